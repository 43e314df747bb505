//! Headers of all versions: which chips they name, and where the commands begin.

mod log;
mod opn2;

use chipmill::song::{ChipKind, MissingChips, Song, SongError};

use log::Log;
use opn2::log;

/// The field of the YM2612's clock.
const OPN2: usize = 0x2c;

fn parse(file: &[u8]) -> Result<Song, SongError> {
    Song::parse(file, MissingChips::Refuse)
}

/// The samples are in a ROM of the chip.
#[test]
fn drums_of_a_ym2608_are_a_remark() {
    for (value, remarks) in [(0x01, 1), (0x81, 0), (0x00, 0)] {
        let mut log = Log::new();
        log.set(0x48, 7_987_200);
        log.push(&[0x56, 0x10, value, 0x56, 0x10, value]);
        log.wait(1);
        let song = parse(&log.finish()).unwrap();
        assert_eq!(song.remarks.len(), remarks, "{value:#04x}");
        assert!(song.remarks.iter().all(|remark| remark.contains("ROM")));
    }
}

/// The samples are in a ROM, of which a log can have the data, or in RAM that registers fill.
#[test]
fn waves_of_a_ymf278b_without_samples_are_a_remark() {
    let remarks = |add: &dyn Fn(&mut Log)| {
        let mut log = Log::new();
        log.set(0x60, 33_868_800);
        add(&mut log);
        log.push(&[0xd0, 2, 0x68, 0x80]);
        log.wait(1);
        parse(&log.finish()).unwrap().remarks
    };
    let told = remarks(&|_| ());
    assert_eq!(told.len(), 1);
    assert!(told[0].contains("waves of the YMF278B"), "{told:?}");
    // A register of that number at another port.
    assert_eq!(remarks(&|log| log.push(&[0xd0, 0, 6, 1])), told);
    assert_eq!(remarks(&|log| log.push(&[0xd0, 2, 6, 1])), [""; 0]);
    for kind in [0x84, 0x87] {
        // The size of the memory, the address, and the data.
        let data = [0, 0, 0x20, 0, 0, 0, 0, 0, 1, 2, 3, 4];
        assert_eq!(remarks(&|log| log.block(kind, &data)), [""; 0]);
    }
}

/// Bit 31 of a clock stands for another chip of the family.
#[test]
fn chips_that_sound_as_their_relatives_are_a_remark() {
    for (field, bits, chip) in [
        (0x10, 1_u32 << 31, "VRC7"),
        (OPN2, 1 << 31, "YM3438"),
        (0x50, 3 << 30, "YM3812"),
    ] {
        let remarks = |bits| {
            let mut log = Log::new();
            log.set(field, 3_579_545 | bits);
            log.wait(1);
            parse(&log.finish()).unwrap().remarks
        };
        assert_eq!(remarks(0), [""; 0]);
        assert_eq!(remarks(bits).len(), 1);
        assert!(remarks(bits)[0].contains(chip), "{:?}", remarks(bits));
    }
}

/// Before version 1.10 all FM chips had one clock in the header.
#[test]
fn an_old_log_has_the_chips_that_it_writes_to() {
    let old = |commands: &[u8]| {
        let mut log = Log::new();
        log.set(0x08, 0x101);
        log.set(0x10, 3_579_545);
        // The commands are behind the header of that version.
        log.bytes.truncate(0x40);
        log.set(0x34, 0);
        log.push(commands);
        log.wait(100);
        Song::parse(&log.finish(), MissingChips::Refuse).map(|song| {
            let kinds = song.chips.iter().map(|chip| chip.kind);
            kinds.collect::<Vec<_>>()
        })
    };
    assert_eq!(old(&[0x51, 0x30, 0]).unwrap(), [ChipKind::Ym2413]);
    assert_eq!(old(&[0x52, 0x28, 0]).unwrap(), [ChipKind::Ym2612]);
    assert_eq!(old(&[0x54, 0x08, 0]).unwrap(), [ChipKind::Ym2151]);
    let two = old(&[0x54, 0x08, 0, 0x51, 0x30, 0]).unwrap();
    assert_eq!(two, [ChipKind::Ym2151, ChipKind::Ym2413]);
    assert!(matches!(old(&[]), Err(SongError::NoChips)));
}

/// Where the header does not say where the commands begin, they begin at 0x40.
#[test]
fn commands_begin_at_their_usual_place() {
    for (version, has_field) in [
        (0x100, false),
        (0x101, false),
        (0x110, false),
        (0x151, true),
    ] {
        for padding in [0, 0x100] {
            let mut log = Log::new();
            log.set(0x08, version);
            log.set(0x0c, 3_579_545);
            log.set(0x34, if has_field { 0 } else { 0xffff });
            log.bytes.truncate(0x40);
            log.push(&[0x50, 0x9f]);
            log.wait(7);
            log.push(&vec![0x70; padding]);
            let song = parse(&log.finish()).unwrap();
            assert_eq!(song.samples, 7 + padding as u64, "{version:#x}");
            assert_eq!(song.chips.len(), 1);
        }
    }
}

#[test]
fn chips_without_a_model_are_refused_by_name() {
    let mut log = log();
    log.set(0x38, 4_000_000);
    log.set(0x80, 4_194_304);
    // The memory of a chip that is not played has no use.
    log.block(0x80, &[0; 9]);
    let file = log.finish();
    let error = parse(&file).unwrap_err().to_string();
    for part in [
        "Sega PCM",
        "0x38",
        "Game Boy",
        "0x80",
        "--missing-chips silent",
    ] {
        assert!(error.contains(part), "{error}");
    }
    let song = Song::parse(&file, MissingChips::Silent).unwrap();
    assert_eq!((song.chips.len(), song.silent.len()), (1, 2));
    assert_eq!(song.memory, []);
    let mut log = Log::new();
    log.set(0x38, 4_000_000);
    let file = log.finish();
    for missing in [MissingChips::Refuse, MissingChips::Silent] {
        let alone = Song::parse(&file, missing);
        assert!(matches!(alone, Err(SongError::AllSilent(_))), "{missing:?}");
    }
    assert!(matches!(
        parse(&Log::new().finish()),
        Err(SongError::NoChips)
    ));
}

#[test]
fn a_broken_noise_of_an_sn76489_is_told_at_its_byte() {
    for (field, value, at) in [(0x28, 33 << 16, 0x2a), (0x28, 0x8000 | 8 << 16, 0x28)] {
        let mut log = Log::new();
        log.set(0x0c, 3_579_545);
        log.set(field, value);
        log.wait(1);
        let error = parse(&log.finish()).unwrap_err();
        assert!(
            matches!(error, SongError::Header { offset, .. } if offset == at),
            "{error}"
        );
    }
}

#[test]
fn a_header_of_many_windows_is_skipped() {
    for more in [1, 100, 20_000, 70_000] {
        let mut log = log();
        log.push(&vec![0; more]);
        log.set(0x34, (log.bytes.len() - 0x34) as u32);
        log.wait(7);
        let file = log.finish();
        assert_eq!(parse(&file).unwrap().samples, 7);
        let short = &file[..file.len() - 5];
        let text = parse(short).unwrap_err().to_string();
        assert!(
            text.contains(&format!("available {}", short.len())),
            "{text}"
        );
    }
}
