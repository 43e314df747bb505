//! FLAC: metadata blocks, and frames of a fixed number of samples, compressed without loss.
//!
//! Frames do not depend on one another. They are encoded in batches, the frames of a batch in
//! parallel, and appended in order. So a file's bytes do not depend on the number of jobs, and
//! memory holds one batch.

use super::PROGRAM;
use super::container::Container;
use super::flac_block::{BLOCK_FRAMES, BlockEncoder};
use super::quantizer::Quantizer;
use super::tags::{TagKind, Tags};
use drumline::prelude::*;
use flacenc::bitsink::ByteSink;
use flacenc::component::{BitRepr, StreamInfo};
use flacenc::source::{Context, Fill};
use std::io;

/// How many blocks are encoded in parallel.
const BATCH_BLOCKS: usize = 16;

const CHANNELS: usize = 2;
const BLOCK_SAMPLES: usize = BLOCK_FRAMES * CHANNELS;
const BATCH_SAMPLES: usize = BATCH_BLOCKS * BLOCK_SAMPLES;

/// A FLAC file.
pub(super) struct Flac {
    bytes_per_sample: usize,
    info: StreamInfo,
    /// The body of the metadata block with the tags.
    comment: Vec<u8>,
    quantizer: Quantizer,
    encoder: BlockEncoder,
    /// The samples of the next batch, left and right in turn.
    batch: Vec<i32>,
    /// The MD5 sum of the samples until now.
    digest: Context,
    frames: u64,
    blocks: usize,
    smallest_block_bytes: usize,
    largest_block_bytes: usize,
}

impl Flac {
    /// An empty file with samples of 16 or 24 bits. `rate` is in range for its format.
    pub(super) fn new(bits: u32, rate: u32, tags: &Tags) -> Self {
        let mut info = StreamInfo::new(rate as usize, CHANNELS, bits as usize)
            .expect("the format's rates and bits are those of FLAC");
        info.set_block_sizes(BLOCK_FRAMES, BLOCK_FRAMES)
            .expect("a block size of FLAC");
        Self {
            bytes_per_sample: bits as usize / 8,
            encoder: BlockEncoder::new(info.clone()),
            info,
            comment: vorbis_comment(tags),
            quantizer: Quantizer::new(bits),
            batch: Vec::new(),
            digest: Context::new(bits as usize, CHANNELS),
            frames: 0,
            blocks: 0,
            smallest_block_bytes: usize::MAX,
            largest_block_bytes: 0,
        }
    }

    /// Encodes what is in the batch, and appends it.
    fn encode_batch(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        let Self {
            batch,
            digest,
            encoder,
            bytes_per_sample,
            ..
        } = self;
        let first = self.blocks;
        let ((), blocks) = drumline::join(
            || update_digest(digest, batch, *bytes_per_sample),
            || {
                batch
                    .par_chunks(BLOCK_SAMPLES)
                    .enumerate()
                    .map(|(index, samples)| encoder.encode(samples, first + index))
                    .collect::<io::Result<Vec<_>>>()
            },
        );
        for block in blocks? {
            self.blocks += 1;
            self.smallest_block_bytes = self.smallest_block_bytes.min(block.len());
            self.largest_block_bytes = self.largest_block_bytes.max(block.len());
            bytes.extend(block);
        }
        self.batch.clear();
        Ok(())
    }

    fn stream_info(&self) -> StreamInfo {
        let mut info = self.info.clone();
        // Without blocks, both are 0, which stands for unknown.
        let smallest = self.smallest_block_bytes.min(self.largest_block_bytes);
        info.set_frame_sizes(smallest, self.largest_block_bytes)
            .expect("a block's size fits in 32 bits, and the smallest is not above the largest");
        info.set_total_samples(self.frames as usize);
        info.set_md5_digest(&self.digest.md5_digest());
        info
    }
}

impl Container for Flac {
    fn header(&self) -> Vec<u8> {
        const STREAM_INFO: u8 = 0;
        const VORBIS_COMMENT: u8 = 4;
        const LAST: u8 = 0x80;

        let mut info = ByteSink::new();
        self.stream_info()
            .write(&mut info)
            .expect("a sink in memory does not fail");
        let mut header = b"fLaC".to_vec();
        push_metadata(&mut header, STREAM_INFO, info.as_slice());
        push_metadata(&mut header, VORBIS_COMMENT | LAST, &self.comment);
        header
    }

    fn max_frames(&self) -> u64 {
        // The header has 36 bits for them. A system of 32 bits has fewer for the encoder's `usize`.
        ((1 << 36) - 1).min(usize::MAX as u64)
    }

    fn push(&mut self, mut frames: &[[f32; 2]], bytes: &mut Vec<u8>) -> io::Result<()> {
        while !frames.is_empty() {
            let room = (BATCH_SAMPLES - self.batch.len()) / CHANNELS;
            let (now, later) = frames.split_at(room.min(frames.len()));
            self.batch.extend(
                now.as_flattened()
                    .iter()
                    .map(|sample| self.quantizer.quantize(*sample)),
            );
            self.frames += now.len() as u64;
            frames = later;
            if self.batch.len() == BATCH_SAMPLES {
                self.encode_batch(bytes)?;
            }
        }
        Ok(())
    }

    fn end(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        self.encode_batch(bytes)
    }

    fn clipped(&self) -> u64 {
        self.quantizer.clipped()
    }
}

/// Adds samples to the sum, which is over little-endian integers of as many bytes as samples have.
fn update_digest(digest: &mut Context, samples: &[i32], bytes_per_sample: usize) {
    let mut bytes = Vec::with_capacity(samples.len() * bytes_per_sample);
    for sample in samples {
        bytes.extend(&sample.to_le_bytes()[..bytes_per_sample]);
    }
    digest
        .fill_le_bytes(&bytes, bytes_per_sample)
        .expect("a sum takes any bytes");
}

/// Appends a metadata block. Its length has 24 bits; tags are cut long before.
fn push_metadata(header: &mut Vec<u8>, kind: u8, body: &[u8]) {
    header.push(kind);
    header.extend(&(body.len() as u32).to_be_bytes()[1..]);
    header.extend(body);
}

/// The tags as Vorbis comments, which are UTF-8.
fn vorbis_comment(tags: &Tags) -> Vec<u8> {
    let tags = tags.list();
    let mut body = Vec::new();
    push_text(&mut body, PROGRAM);
    body.extend((tags.len() as u32).to_le_bytes());
    for (kind, text) in tags {
        let name = match kind {
            TagKind::Title => "TITLE",
            TagKind::Album => "ALBUM",
            TagKind::Artist => "ARTIST",
            TagKind::Date => "DATE",
            TagKind::Track => "TRACKNUMBER",
            TagKind::System => "SYSTEM",
            TagKind::Comment => "COMMENT",
        };
        push_text(&mut body, &format!("{name}={text}"));
    }
    body
}

fn push_text(body: &mut Vec<u8>, text: &str) {
    body.extend((text.len() as u32).to_le_bytes());
    body.extend(text.as_bytes());
}
