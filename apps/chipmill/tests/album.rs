//! Many songs at once.

mod file_names;
mod small_songs;

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use chipmill::album::{self, Failure, Planned, Rendered, Settings, Unplanned, Watch};
use chipmill::output::Format;
use chipmill::playlist::expand;
use chipmill::render::Options;
use chipmill::song::MissingChips;
use drumline::Pool;
use file_names::names;
use small_songs::write;
use tempfile::TempDir;

/// What has been told.
#[derive(Default)]
struct Told {
    begun: Mutex<Vec<String>>,
    ended: Mutex<Vec<(String, Result<Rendered, String>)>>,
    frames: Mutex<u64>,
    measured: Mutex<u64>,
    /// Set at the first block that is in a file.
    cancel: Option<Arc<AtomicBool>>,
}

impl Watch for Told {
    fn begins(&self, song: &Planned) {
        self.begun.lock().unwrap().push(song.name());
    }

    fn measures(&self, _: &Planned, frames: u64) {
        *self.measured.lock().unwrap() += frames;
    }

    fn goes_on(&self, _: &Planned, frames: u64) {
        *self.frames.lock().unwrap() += frames;
        if let Some(cancel) = &self.cancel {
            // Relaxed: the flag carries no data with it.
            cancel.store(true, Ordering::Relaxed);
        }
    }

    fn ends(&self, song: &Planned, result: &Result<Rendered, Failure>) {
        let result = match result {
            Ok(rendered) => Ok(*rendered),
            Err(failure) => Err(failure.to_string()),
        };
        self.ended.lock().unwrap().push((song.name(), result));
    }
}

fn settings(out: &Path, format: Format) -> Settings {
    Settings {
        render: Options::default(),
        normalize: None,
        format,
        out: out.to_owned(),
        names: "{stem}".parse().unwrap(),
        missing: MissingChips::Refuse,
        max_seconds: 600,
        skip_existing: false,
    }
}

/// A directory with one song, one for its file, and how it is rendered.
fn one_song(notes: u16, format: Format) -> (TempDir, TempDir, Settings) {
    let (songs, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    write(songs.path(), "a.vgm", notes);
    let settings = settings(out.path(), format);
    (songs, out, settings)
}

/// Renders all songs of a directory, and returns what was told.
fn render(from: &Path, settings: Settings, jobs: usize, in_flight: usize, told: Told) -> Arc<Told> {
    let pool = Pool::builder().jobs(jobs).build().unwrap();
    let plan = Arc::new(album::plan(expand(&[from]).entries, &settings));
    let cancelled = told.cancel.clone().unwrap_or_default();
    let told = Arc::new(told);
    let watch: Arc<dyn Watch> = told.clone();
    album::render(
        &plan,
        &Arc::new(settings),
        &pool,
        in_flight,
        &watch,
        &cancelled,
    );
    told
}

#[test]
fn files_do_not_depend_on_jobs() {
    let songs = tempfile::tempdir().unwrap();
    for (name, notes) in [
        ("a.vgm", 7),
        ("b.vgm", 30),
        ("c.vgm", 3),
        ("d.vgm", 12),
        ("e.vgm", 9),
    ] {
        write(songs.path(), name, notes);
    }
    for format in [Format::Wav16, Format::Flac24] {
        let mut first: Option<Vec<(String, Vec<u8>)>> = None;
        // One after another, as many as jobs, more than jobs.
        for (jobs, in_flight) in [(1, 1), (2, 2), (3, 1), (1, 4), (2, 8)] {
            let out = tempfile::tempdir().unwrap();
            let told = render(
                songs.path(),
                settings(out.path(), format),
                jobs,
                in_flight,
                Told::default(),
            );
            assert_eq!(told.ended.lock().unwrap().len(), 5);
            let files: Vec<_> = names(out.path())
                .into_iter()
                .map(|name| {
                    let bytes = std::fs::read(out.path().join(&name)).unwrap();
                    (name, bytes)
                })
                .collect();
            assert_eq!(files.len(), 5);
            match &first {
                None => first = Some(files),
                Some(first) => assert!(*first == files, "{jobs} jobs, {in_flight} in flight"),
            }
        }
    }
}

#[test]
fn the_longest_song_begins_first() {
    let songs = tempfile::tempdir().unwrap();
    let short = write(songs.path(), "a.vgm", 2);
    let long = write(songs.path(), "b.vgm", 20);
    let middle = write(songs.path(), "c.vgm", 9);
    let out = tempfile::tempdir().unwrap();
    let settings = settings(out.path(), Format::Wav16);
    let told = render(songs.path(), settings, 1, 1, Told::default());
    let paths = [long, middle, short].map(|path| path.display().to_string());
    assert_eq!(*told.begun.lock().unwrap(), paths);
}

/// Those in flight end, and those that wait do not begin.
#[test]
fn a_cancelled_album_leaves_no_half_file() {
    let songs = tempfile::tempdir().unwrap();
    for number in 0..20 {
        write(songs.path(), &format!("{number}.vgm"), 200);
    }
    for (jobs, in_flight) in [(2, 2), (1, 3)] {
        let out = tempfile::tempdir().unwrap();
        let told = Told {
            cancel: Some(Arc::default()),
            ..Told::default()
        };
        let settings = settings(out.path(), Format::Flac16);
        let told = render(songs.path(), settings, jobs, in_flight, told);
        let ended = told.ended.lock().unwrap();
        let begun = told.begun.lock().unwrap().len();
        assert!((1..=in_flight).contains(&begun), "{begun} songs have begun");
        assert_eq!(ended.len(), begun);
        for (song, result) in ended.iter() {
            assert_eq!(*result, Err("cancelled".to_owned()), "{song}");
        }
        assert_eq!(names(out.path()), [""; 0]);
    }
}

#[test]
fn one_broken_song_does_not_touch_the_others() {
    let songs = tempfile::tempdir().unwrap();
    write(songs.path(), "a.vgm", 3);
    write(songs.path(), "c.vgm", 4);
    let mut cut = small_songs::song(5);
    cut.truncate(cut.len() - 2);
    std::fs::write(songs.path().join("b.vgm"), cut).unwrap();
    let out = tempfile::tempdir().unwrap();
    let settings = settings(out.path(), Format::Wav16);
    let plan = album::plan(expand(&[songs.path()]).entries, &settings);
    assert_eq!(plan.songs.len(), 2);
    let [Unplanned { name, failure, .. }] = &plan.failed[..] else {
        panic!("one song is broken: {:?}", plan.failed);
    };
    assert!(name.ends_with("b.vgm"), "{name}");
    assert!(
        failure.to_string().contains("broken at offset 0x"),
        "{failure}"
    );
}

/// What happens to a file between the plan and its turn is the failure of that file.
#[test]
fn a_song_that_has_gone_is_a_failure() {
    let songs = tempfile::tempdir().unwrap();
    let gone = write(songs.path(), "a.vgm", 3);
    write(songs.path(), "b.vgm", 3);
    let out = tempfile::tempdir().unwrap();
    let settings = settings(out.path(), Format::Au16);
    let plan = Arc::new(album::plan(expand(&[songs.path()]).entries, &settings));
    std::fs::remove_file(&gone).unwrap();
    let told = Arc::new(Told::default());
    let watch: Arc<dyn Watch> = told.clone();
    let pool = Pool::builder().jobs(2).build().unwrap();
    album::render(
        &plan,
        &Arc::new(settings),
        &pool,
        2,
        &watch,
        &Arc::default(),
    );
    let mut ended = told.ended.lock().unwrap().clone();
    ended.sort_by(|a, b| a.0.cmp(&b.0));
    let failure = ended[0].1.clone().unwrap_err();
    assert!(failure.starts_with("cannot be read: "), "{failure}");
    assert!(ended[1].1.is_ok());
    assert_eq!(names(out.path()), ["b.au"]);
}

#[test]
fn names_come_from_tags_and_are_distinct() {
    let songs = tempfile::tempdir().unwrap();
    let one = write(songs.path(), "one.vgm", 1);
    let two = write(songs.path(), "two.vgm", 2);
    let list = songs.path().join("list.m3u");
    let text = format!(
        "#EXTM3U\n#EXTINF:1,Theme\n{}\n#EXTINF:1,Theme\n{}\n",
        one.display(),
        two.display()
    );
    std::fs::write(&list, text).unwrap();
    let out = tempfile::tempdir().unwrap();
    let mut settings = settings(out.path(), Format::Flac16);
    settings.names = "{title}".parse().unwrap();
    let targets = |settings: &Settings| {
        let plan = album::plan(expand(&[&list]).entries, settings);
        let targets = plan.songs.iter().map(|song| song.target.clone());
        (targets.collect::<Vec<_>>(), plan.skipped.len())
    };
    let file = |name: &str| out.path().join(name);
    let both = vec![file("Theme.flac"), file("Theme (2).flac")];
    assert_eq!(targets(&settings), (both, 0));
    // Names stay with their songs when some of the files are there.
    std::fs::write(file("Theme.flac"), b"").unwrap();
    settings.skip_existing = true;
    assert_eq!(targets(&settings), (vec![file("Theme (2).flac")], 1));
}

/// A song that is broken, and whole again in the next run, finds its name free, though a song
/// behind it wants the same.
#[test]
fn a_broken_song_keeps_its_name() {
    let (songs, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for directory in ["a", "b"] {
        std::fs::create_dir(songs.path().join(directory)).unwrap();
    }
    let broken = songs.path().join("a/01.vgm");
    std::fs::write(&broken, b"no log").unwrap();
    write(songs.path(), "b/01.vgm", 3);
    let mut settings = settings(out.path(), Format::Wav16);
    let told = render(songs.path(), settings.clone(), 1, 1, Told::default());
    assert_eq!(told.ended.lock().unwrap().len(), 1);
    assert_eq!(names(out.path()), ["01 (2).wav"]);
    std::fs::write(&broken, small_songs::song(7)).unwrap();
    settings.skip_existing = true;
    let plan = album::plan(expand(&[songs.path()]).entries, &settings);
    let [again] = &plan.songs[..] else {
        panic!("one song has no file: {:?}", plan.songs);
    };
    assert_eq!(again.name(), broken.display().to_string());
    assert_eq!(again.target, out.path().join("01.wav"));
    assert_eq!(plan.skipped.len(), 1);
}

/// As above, for a name of tags: those of a song that is refused for its chips are known.
#[test]
fn a_refused_song_keeps_its_name() {
    let (songs, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for name in ["a.vgm", "b.vgm"] {
        let mut log = small_songs::song(3);
        if name == "a.vgm" {
            // A NES APU.
            log[0x84..0x88].copy_from_slice(&1_789_772_u32.to_le_bytes());
        }
        let tags = (log.len() - 0x14) as u32;
        log[0x14..0x18].copy_from_slice(&tags.to_le_bytes());
        let title: Vec<u8> = "Opening\0"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        let text = [title, vec![0; 20]].concat();
        log.extend(b"Gd3 \0\x01\0\0");
        log.extend((text.len() as u32).to_le_bytes());
        log.extend(text);
        std::fs::write(songs.path().join(name), log).unwrap();
    }
    let mut settings = settings(out.path(), Format::Wav16);
    settings.names = "{title}".parse().unwrap();
    let plan = |settings: &Settings| album::plan(expand(&[songs.path()]).entries, settings);
    let refused = plan(&settings);
    assert_eq!((refused.songs.len(), refused.failed.len()), (1, 1));
    assert_eq!(refused.songs[0].target, out.path().join("Opening (2).wav"));
    settings.missing = MissingChips::Silent;
    let both = plan(&settings);
    let targets = ["Opening.wav", "Opening (2).wav"].map(|name| out.path().join(name));
    let planned: Vec<_> = both.songs.iter().map(|song| song.target.clone()).collect();
    assert_eq!(planned, targets);
}

#[test]
fn a_song_gets_the_peak_that_is_asked_for() {
    let (songs, out, mut settings) = one_song(4, Format::WavFloat);
    settings.normalize = Some(0.5);
    let told = render(songs.path(), settings, 1, 1, Told::default());
    // Each pass is told.
    let (measured, written) = (told.measured.lock().unwrap(), told.frames.lock().unwrap());
    assert!(
        *measured >= *written && *written > 0,
        "{measured} {written}"
    );
    let mut file = hound::WavReader::open(out.path().join("a.wav")).unwrap();
    let peak = file
        .samples::<f32>()
        .map(|sample| sample.unwrap().abs())
        .fold(0.0, f32::max);
    assert!((peak - 0.5).abs() < 1e-6, "{peak}");
}

#[test]
fn a_song_that_is_too_long_is_refused() {
    // 2.1 seconds.
    let (songs, _out, mut settings) = one_song(21, Format::Wav16);
    settings.max_seconds = 2;
    let plan = album::plan(expand(&[songs.path()]).entries, &settings);
    let [
        Unplanned {
            failure:
                Failure::TooLong {
                    seconds: 3,
                    limit: 2,
                },
            ..
        },
    ] = &plan.failed[..]
    else {
        panic!("{:?}", plan.failed);
    };
}

#[test]
fn a_song_that_no_file_of_the_format_can_hold_is_refused_before_it_is_rendered() {
    let (songs, _out, mut settings) = one_song(7_000, Format::WavFloat);
    settings.render.rate = Format::WavFloat.max_rate();
    settings.max_seconds = 3_600;
    let plan = |settings: &Settings| album::plan(expand(&[songs.path()]).entries, settings);
    let too_long = plan(&settings);
    let [Unplanned { failure, .. }] = &too_long.failed[..] else {
        panic!("{:?}", too_long.failed);
    };
    let text = failure.to_string();
    assert!(
        text.contains("4 GiB") && text.contains("choose flac"),
        "{text}"
    );
    // Half the bytes of a frame.
    settings.format = Format::Wav16;
    assert_eq!(plan(&settings).songs.len(), 1);
}
