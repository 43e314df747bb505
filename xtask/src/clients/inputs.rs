//! What the programs are given to do. It is made once, and the same each time.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;

/// A tree of 10,000 directories with 45,000 files in them.
pub fn tree(directory: &Path) -> Result<PathBuf> {
    let root = directory.join("tree");
    let whole = directory.join("tree is whole");
    if !whole.exists() {
        for top in 0..1000 {
            for below in 0..9 {
                let place = root.join(format!("package-{top}/source-{below}"));
                fs::create_dir_all(&place)?;
                for file in 0..5 {
                    let text = vec![b'x'; 100 * file];
                    fs::write(place.join(format!("file-{file}.rs")), text)?;
                }
            }
        }
        File::create(whole)?;
    }
    Ok(root)
}

/// A file of 512 MiB.
pub fn file(directory: &Path) -> Result<PathBuf> {
    let path = directory.join("file");
    made(&path, |out| {
        let mut noise = Noise(1);
        let mut block = vec![0; 1 << 20];
        for _ in 0..512 {
            block.fill_with(|| noise.next());
            out.write_all(&block)?;
        }
        Ok(())
    })?;
    Ok(path)
}

/// A picture in PNG, 1,024 by 1,024, not compressed: slopes with some noise.
pub fn picture(directory: &Path) -> Result<PathBuf> {
    let path = directory.join("picture.png");
    made(&path, |out| out.write_all(&png(1024)))?;
    Ok(path)
}

/// Makes a file that appears when it is whole, unless it is there.
fn made(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<()> {
    if path.exists() {
        return Ok(());
    }
    let part = path.with_extension("part");
    let mut out = BufWriter::new(File::create(&part)?);
    write(&mut out)?;
    out.flush()?;
    Ok(fs::rename(part, path)?)
}

/// Bytes that are hard to compress: a linear congruence.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u8 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 56) as u8
    }
}

/// A square picture, as the format has it: a signature, a header, the data, and an end.
fn png(side: u32) -> Vec<u8> {
    let mut noise = Noise(2);
    let mut data = Vec::new();
    for y in 0..side {
        // The line is not filtered.
        data.push(0);
        for x in 0..side {
            let shade = noise.next() & 7;
            data.extend([
                (x / 4) as u8 ^ shade,
                (y / 4) as u8,
                ((x + y) / 8) as u8 | shade,
            ]);
        }
    }
    let mut header = Vec::new();
    header.extend(side.to_be_bytes());
    header.extend(side.to_be_bytes());
    // Eight bits each of red, green and blue.
    header.extend([8, 2, 0, 0, 0]);
    let mut picture = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut picture, b"IHDR", &header);
    chunk(&mut picture, b"IDAT", &stored(&data));
    chunk(&mut picture, b"IEND", &[]);
    picture
}

fn chunk(picture: &mut Vec<u8>, kind: &[u8; 4], data: &[u8]) {
    picture.extend((data.len() as u32).to_be_bytes());
    let start = picture.len();
    picture.extend(kind);
    picture.extend(data);
    let sum = crc(&picture[start..]);
    picture.extend(sum.to_be_bytes());
}

/// A stream of zlib (RFC 1950) with blocks that are stored as they are.
fn stored(data: &[u8]) -> Vec<u8> {
    let mut stream = vec![0x78, 0x01];
    let mut blocks = data.chunks(0xffff).peekable();
    while let Some(block) = blocks.next() {
        let len = block.len() as u16;
        stream.push(u8::from(blocks.peek().is_none()));
        stream.extend(len.to_le_bytes());
        stream.extend((!len).to_le_bytes());
        stream.extend(block);
    }
    let (mut a, mut b) = (1_u32, 0_u32);
    for &byte in data {
        a = (a + u32::from(byte)) % 65_521;
        b = (b + a) % 65_521;
    }
    stream.extend((b << 16 | a).to_be_bytes());
    stream
}

/// The checksum of a chunk (CRC-32).
fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32, &byte: &u8| {
        let mut sum = sum ^ u32::from(byte);
        for _ in 0..8 {
            sum = sum >> 1 ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
        sum
    };
    !bytes.iter().fold(!0, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checksum of an end of a picture, which each of them has.
    #[test]
    fn a_picture_ends_as_all_do() {
        let picture = png(3);
        let end = [0, 0, 0, 0, b'I', b'E', b'N', b'D', 0xae, 0x42, 0x60, 0x82];
        assert!(picture.ends_with(&end));
        assert_eq!(crc(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn stored_blocks_have_their_lengths_and_a_sum() {
        let stream = stored(b"Wikipedia");
        assert_eq!(stream[..7], [0x78, 0x01, 1, 9, 0, 0xf6, 0xff]);
        assert!(stream.ends_with(&0x11e6_0398_u32.to_be_bytes()));
        let long = stored(&[7; 0x1_0000]);
        assert_eq!((long[2], long[2 + 5 + 0xffff]), (0, 1));
    }
}
