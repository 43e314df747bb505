//! The music itself: which notes there are, and when.

use super::dice::Dice;

/// The ticks of a second: the pictures of a television.
pub const TICKS: u32 = 60;
/// The steps of a bar: sixteenths.
const STEPS: u32 = 16;
/// The longest song, in seconds. It bounds the memory that a score takes.
pub const MAX_SECONDS: u32 = 3_600;
/// The shortest song, in bars: two of intro, and one round of the tune.
const MIN_BARS: u32 = 4;

/// The parts of a score, each of one voice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    Bass,
    /// One of the three notes of a chord.
    Chord(u8),
    Melody,
    Arpeggio,
    Drum(Drum),
}

/// The drums.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drum {
    Kick,
    Snare,
    Hat,
}

/// A note: the half tones are counted as in MIDI, 69 is 440 Hz.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    pub tick: u32,
    pub ticks: u32,
    pub part: Part,
    pub pitch: u8,
}

/// A song without a machine.
#[derive(Debug, Clone)]
pub struct Score {
    pub name: String,
    pub name_in_japanese: String,
    /// In the order of their ticks.
    pub notes: Vec<Note>,
    /// Where the part begins that repeats.
    pub loop_tick: u32,
    pub ticks: u32,
}

/// Four chords each, as steps of the scale.
const PROGRESSIONS: [[u8; 4]; 6] = [
    [0, 5, 3, 4],
    [0, 4, 5, 3],
    [5, 3, 0, 4],
    [0, 3, 0, 4],
    [1, 4, 0, 5],
    [0, 2, 3, 4],
];
const MAJOR: [u8; 7] = [0, 2, 4, 5, 7, 9, 11];
const MINOR: [u8; 7] = [0, 2, 3, 5, 7, 8, 10];

const FIRST: [(&str, &str); 8] = [
    ("Amber", "琥珀の"),
    ("Distant", "遠い"),
    ("Silent", "静かな"),
    ("Paper", "紙の"),
    ("Northern", "北の"),
    ("Hollow", "うつろな"),
    ("Seventh", "第七の"),
    ("Glass", "硝子の"),
];
const SECOND: [(&str, &str); 8] = [
    ("Harbour", "港"),
    ("Signal", "信号"),
    ("Garden", "庭"),
    ("Engine", "機関"),
    ("Lantern", "灯"),
    ("Orbit", "軌道"),
    ("Cavern", "洞窟"),
    ("Parade", "行進"),
];

impl Score {
    /// A score with a length within a second of `seconds`: whole bars, of which two are the intro.
    /// It has four bars at least, and an hour at most.
    pub fn new(dice: &mut Dice, seconds: u32) -> Self {
        let (first, second) = (dice.pick(&FIRST), dice.pick(&SECOND));
        let step = speed(dice, seconds);
        let bars = whole_bars(seconds, step).max(MIN_BARS);
        let mut writer = Writer {
            step,
            scale: if dice.chance(50) { MAJOR } else { MINOR },
            key: 36 + dice.below(12) as u8,
            notes: Vec::new(),
        };
        let verse = *dice.pick(&PROGRESSIONS);
        let chorus = *dice.pick(&PROGRESSIONS);
        let tune = writer.tune(dice);
        for bar in 0..bars {
            let in_chorus = bar / 8 % 2 == 1;
            let chords = if in_chorus { chorus } else { verse };
            let chord = chords[bar as usize % 4];
            writer.bass(bar, chord, dice);
            writer.chord(bar, chord);
            if bar >= 2 {
                writer.drums(bar, dice);
                writer.melody(bar, chord, &tune, dice);
            }
            if in_chorus || bar < 2 {
                writer.arpeggio(bar, chord);
            }
        }
        let mut notes = writer.notes;
        notes.sort_by_key(|note| note.tick);
        Score {
            name: format!("{} {}", first.0, second.0),
            name_in_japanese: format!("{}{}", first.1, second.1),
            notes,
            loop_tick: 2 * step * STEPS,
            ticks: bars * step * STEPS,
        }
    }
}

/// How many bars come nearest to a length, with `step` ticks for a sixteenth.
fn whole_bars(seconds: u32, step: u32) -> u32 {
    let bar = step * STEPS;
    (seconds.min(MAX_SECONDS) * TICKS + bar / 2) / bar
}

/// The ticks of a sixteenth, for 112 to 150 beats a minute: a number of ticks with whole bars that
/// end within a second of what is asked for. Seven ticks always do, because half a bar is shorter
/// than a second then.
fn speed(dice: &mut Dice, seconds: u32) -> u32 {
    let wanted = seconds.min(MAX_SECONDS) * TICKS;
    let fitting: Vec<u32> = (6..=8)
        .filter(|step| (whole_bars(seconds, *step) * step * STEPS).abs_diff(wanted) <= TICKS)
        .collect();
    *dice.pick(&fitting)
}

struct Writer {
    step: u32,
    scale: [u8; 7],
    key: u8,
    notes: Vec<Note>,
}

impl Writer {
    /// Adds a note, by its step in the song, its length in steps, and its place in the scale.
    fn note(&mut self, at: u32, steps: u32, part: Part, degree: u8, octave: u8) {
        let pitch = self.key + self.scale[usize::from(degree % 7)] + 12 * (degree / 7 + octave);
        self.notes.push(Note {
            tick: at * self.step,
            // A gap before the next note, so that it is heard.
            ticks: (steps * self.step - 1).max(1),
            part,
            pitch,
        });
    }

    fn bass(&mut self, bar: u32, chord: u8, dice: &mut Dice) {
        let fifth = dice.chance(40);
        for eighth in 0..8 {
            let degree = if fifth && eighth % 4 == 3 {
                chord + 4
            } else {
                chord
            };
            if eighth % 2 == 0 || dice.chance(70) {
                self.note(bar * STEPS + 2 * eighth, 2, Part::Bass, degree % 7, 0);
            }
        }
    }

    fn chord(&mut self, bar: u32, chord: u8) {
        for (voice, third) in (0..3).zip([0, 2, 4]) {
            self.note(bar * STEPS, STEPS, Part::Chord(voice), chord % 7 + third, 1);
        }
    }

    fn arpeggio(&mut self, bar: u32, chord: u8) {
        for step in 0..STEPS {
            let third = [0, 2, 4, 7][step as usize % 4];
            self.note(bar * STEPS + step, 1, Part::Arpeggio, chord % 7 + third, 2);
        }
    }

    fn drums(&mut self, bar: u32, dice: &mut Dice) {
        let mut drum = |step: u32, drum: Drum| {
            self.notes.push(Note {
                tick: (bar * STEPS + step) * self.step,
                ticks: self.step,
                part: Part::Drum(drum),
                pitch: 60,
            });
        };
        for step in 0..STEPS {
            match step % 8 {
                0 => drum(step, Drum::Kick),
                4 => drum(step, Drum::Snare),
                6 if dice.chance(40) => drum(step, Drum::Kick),
                2 | 3 | 7 => drum(step, Drum::Hat),
                _ => {}
            }
        }
    }

    /// Two bars of a tune: where notes begin, for how long, and how far above the chord.
    fn tune(&self, dice: &mut Dice) -> Vec<(u32, u32, u8)> {
        let mut tune = Vec::new();
        let mut step = 0;
        while step < 2 * STEPS {
            let steps = *dice.pick(&[2, 2, 3, 4, 4, 6]);
            let steps = steps.min(2 * STEPS - step);
            if dice.chance(85) {
                tune.push((step, steps, *dice.pick(&[0, 1, 2, 2, 4, 4, 5, 7])));
            }
            step += steps;
        }
        tune
    }

    fn melody(&mut self, bar: u32, chord: u8, tune: &[(u32, u32, u8)], dice: &mut Dice) {
        let half = bar % 2;
        for &(step, steps, above) in tune {
            if step / STEPS != half {
                continue;
            }
            // Every fourth repetition goes another way.
            let turn = if bar / 2 % 4 == 3 && dice.chance(50) {
                2
            } else {
                0
            };
            let at = bar * STEPS + step % STEPS;
            self.note(at, steps, Part::Melody, chord % 7 + above + turn, 2);
        }
    }
}

/// The frequency of a note in hundredths of a hertz.
pub fn centihertz(pitch: u8) -> u64 {
    /// The octave above 440 Hz, half tone by half tone, in millionths of a hertz.
    const OCTAVE: [u64; 12] = [
        440_000_000,
        466_163_762,
        493_883_301,
        523_251_131,
        554_365_262,
        587_329_536,
        622_253_967,
        659_255_114,
        698_456_463,
        739_988_845,
        783_990_872,
        830_609_395,
    ];
    // Note 21 is the lowest A of a piano, four octaves below 440 Hz.
    let above = u32::from(pitch.max(21) - 21);
    let micro = OCTAVE[above as usize % 12] << (above / 12);
    (micro >> 4) / 10_000
}
