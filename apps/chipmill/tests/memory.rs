//! The memory of the program, for the worst files that are known: no more than the README says.
//!
//! What counts is the most that the process ever has (`VmHWM`), with one job. `bench --sample` says
//! it of itself when it has rendered a directory. Files that are errors are read by `info`, which
//! then waits for a song on standard input, while the test looks at it.
#![cfg(target_os = "linux")]

mod log;
mod memory_chips;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use chipmill::song::MAX_BYTES;
use flate2::Compression;
use flate2::write::GzEncoder;

use log::Log;

/// What the README says, in megabytes.
const STATED: u64 = 160;

/// The most bytes of a file that is read: the command that ends it is one of them.
const MOST: usize = MAX_BYTES - 1;

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_chipmill"))
}

/// Bytes that nothing compresses.
fn noise(len: usize) -> Vec<u8> {
    let mut state = 1_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()
    };
    let mut bytes: Vec<u8> = std::iter::repeat_with(&mut next)
        .take(len.div_ceil(8))
        .flatten()
        .collect();
    bytes.truncate(len);
    bytes
}

/// A log for two of each chip that has a memory, and a YM2612.
fn log() -> Log {
    let mut log = memory_chips::log();
    log.set(0x2c, 7_670_454);
    log
}

/// A second, and the end of the log.
fn finish(mut log: Log) -> Vec<u8> {
    log.wait(44_100);
    let file = log.finish();
    assert!(file.len() <= MAX_BYTES);
    file
}

/// Writes that fill the file, but for this number of bytes.
fn dense(log: &mut Log, but: usize) {
    let room = MOST - 3 - but - log.bytes.len();
    let mut writes = noise(room / 3 * 3);
    for write in writes.chunks_mut(3) {
        write[0] = 0x52;
    }
    log.push(&writes);
}

/// Commands for streams: each takes 2 bytes here, and 24 in memory.
fn streams(log: &mut Log) {
    log.push(&[0x94, 0].repeat(1 << 20));
}

/// A compressed block that becomes this number of bytes. Each bit is four of them, which come to a
/// bank that has some already.
fn growing(size: usize) -> Vec<u8> {
    let mut log = Log::new();
    let head = log.bytes.len();
    log.block(0, &[1, 2, 3, 4]);
    let size = size / 32 * 32;
    let packed = vec![0x5a; size / 32];
    let method = [&[0][..], &(size as u32).to_le_bytes(), &[32, 1, 0, 0, 0]].concat();
    log.block(0x40, &[method, packed].concat());
    log.bytes.split_off(head)
}

/// Blocks of a byte for the memory of a chip, from these addresses on.
fn memories(log: &mut Log, kind: u8, second: u8, starts: impl Iterator<Item = u32>) {
    for start in starts {
        log.block(kind, &[&[0; 4][..], &start.to_le_bytes(), &[1]].concat());
        let length = log.bytes.len() - 10;
        log.bytes[length] |= second;
    }
}

/// A byte for each page of the RAM of a YMF278B, by its registers.
fn wave_ram(log: &mut Log, second: u8) {
    for address in (0x20_0000..0x40_0000_u32).step_by(1 << 14) {
        let [_, high, middle, low] = address.to_be_bytes();
        for (register, value) in [(2, 1), (3, high), (4, middle), (5, low), (6, 7)] {
            log.push(&[0xd0, 2 | second, register, value]);
        }
    }
}

/// Makes a file.
type Make = fn() -> Vec<u8>;

/// The songs that take most, each by another part. One of them at a time is in memory here.
const SONGS: [(&str, Make); 6] = [
    ("commands", commands),
    ("a compressed block", compressed_block),
    ("samples", samples),
    ("small blocks", small_blocks),
    ("pages", pages),
    ("tags", tags),
];

fn commands() -> Vec<u8> {
    let mut log = log();
    dense(&mut log, 0);
    finish(log)
}

fn compressed_block() -> Vec<u8> {
    let mut log = log();
    log.block(0, &[1]);
    let packed = noise(MAX_BYTES - (1 << 12));
    let size = (packed.len() as u32).to_le_bytes();
    let method = [&[0][..], &size, &[8, 8, 0, 0, 0]].concat();
    log.block(0x40, &[method, packed].concat());
    finish(log)
}

fn samples() -> Vec<u8> {
    let mut log = log();
    for kind in [0x82, 0x83] {
        log.block(kind, &[vec![0; 8], noise(MAX_BYTES / 2 - 300)].concat());
    }
    finish(log)
}

/// Streams, blocks for memories, writes, and then a block that grows.
fn small_blocks() -> Vec<u8> {
    let mut log = log();
    streams(&mut log);
    memories(&mut log, 0x82, 0, std::iter::repeat_n(0, 1 << 16));
    let grows = growing(MAX_BYTES - (1 << 17));
    dense(&mut log, grows.len());
    log.push(&grows);
    finish(log)
}

/// The same with a page of a memory for each of few blocks, and RAM.
fn pages() -> Vec<u8> {
    let mut log = log();
    streams(&mut log);
    for second in [0, 0x80] {
        wave_ram(&mut log, second);
        memories(&mut log, 0x82, second, (0..16 << 20).step_by(1 << 14));
    }
    let grows = growing(MAX_BYTES - (1 << 13));
    dense(&mut log, grows.len());
    log.push(&grows);
    finish(log)
}

fn tags() -> Vec<u8> {
    let mut tags = log();
    let at = tags.bytes.len() + 4;
    tags.set(0x14, (at - 0x14) as u32);
    let mut tags = finish(tags);
    tags.extend(b"Gd3 \x00\x01\x00\x00\xff\xff\xff\xff");
    tags.extend([0x42, 0x30].repeat((MAX_BYTES - tags.len()) / 2));
    tags
}

#[test]
fn a_song_takes_no_more_memory_than_the_readme_says() {
    let readme = include_str!("../README.md");
    assert!(readme.contains(&format!("{STATED} MB")), "{STATED}");
    for (name, file) in SONGS {
        let songs = tempfile::tempdir().unwrap();
        fs::write(songs.path().join("a.vgm"), file()).unwrap();
        let mut bench = program();
        bench.args(["bench", "--row", "drumline 1 x 1", "--sample"]);
        let output = bench.arg(songs.path()).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name}: {errors}");
        let sample: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let peak = sample["peak_bytes"].as_u64().unwrap();
        println!("{name}: {} MB", peak / 1_000_000);
        assert!(peak <= STATED * 1_000_000, "{name}: {peak}");
    }
}

/// A file of a few kilobytes that becomes more than a song may have.
fn bomb(mut file: Vec<u8>, fill: u8) -> Vec<u8> {
    file.resize(MAX_BYTES + 1, fill);
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&file).unwrap();
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 1 << 20);
    bomb
}

#[test]
fn a_file_that_is_an_error_takes_no_more_either() {
    let directory = tempfile::tempdir().unwrap();
    let mut twice = log();
    twice.push(&growing(MAX_BYTES - 64));
    twice.push(&growing(64));
    let mut cut = log();
    streams(&mut cut);
    let grows = growing(MAX_BYTES - (1 << 13));
    dense(&mut cut, grows.len());
    cut.push(&grows);
    let files = [
        bomb(Vec::new(), 0),
        // Of waits, and of bytes for the DAC, each of which would be an event.
        bomb(log().bytes, 0x70),
        bomb(log().bytes, 0x80),
        twice.finish(),
        cut.bytes,
    ];
    let mut info = program();
    info.arg("info");
    for (number, file) in files.iter().enumerate() {
        let path = directory.path().join(format!("{number}.vgz"));
        fs::write(&path, file).unwrap();
        info.arg(path);
    }
    info.arg("-").stdin(Stdio::piped()).stdout(Stdio::null());
    let mut child = info.stderr(Stdio::piped()).spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap()).lines();
    for number in 0..files.len() {
        let error = errors.next().unwrap().unwrap();
        assert!(error.contains(&format!("{number}.vgz")), "{error}");
    }
    // It has no more to do, and cannot end before standard input does.
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|peak| peak.trim().strip_suffix(" kB"))
        .unwrap();
    let peak = peak.parse::<u64>().unwrap() * 1024;
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    println!("errors: {} MB", peak / 1_000_000);
    assert!(peak <= STATED * 1_000_000, "{peak}");
}
