//! A chip that plays: what is written to it, and its sound at the rate of the output.

use std::collections::VecDeque;

use crate::chip::Core;
use crate::chip::okim6258::Okim6258;
use crate::chip::sn76489::Sn76489;
use crate::chip::ymfm::Ymfm;
use crate::song::{ChipKind, ChipSpec, MemoryBlock, RegisterWrite};

/// The frames of a chip that are made at a time.
const BATCH: usize = 256;
/// The most writes that wait: with one for each frame, more than a second at 44,100 frames. Only a
/// broken log repeats more writes than there are frames, and they would fill the memory.
const MAX_WAITING: usize = 1 << 16;

/// How the sound of a chip, which has a rate of its own, becomes that of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Resampling {
    /// A frame of the output is the mean of what the chip sounds in its time. A chip gets at most
    /// one write for each of its own frames.
    #[default]
    Mean,
    /// A frame of the output is the one that the chip sounds at its beginning. A chip gets at most
    /// one write for each frame of the output. This is what ymfm's own `vgmrender` does.
    Nearest,
}

/// A chip that plays.
pub struct Voice {
    chip: Chip,
    /// What the chip's frames are multiplied with.
    level: f32,
    /// Writes that have not been made. A chip that gets all of them at once does not see a key that
    /// goes up and down again, as it looks once for each of its frames.
    writes: VecDeque<RegisterWrite>,
    rate: u32,
    position: Position,
    batch: Vec<[i32; 2]>,
    /// The next frame of the batch.
    next: usize,
}

/// How far the chip's frames have been used.
enum Position {
    /// The frame that sounds, and how much of it is left, in parts of which it has as many as the
    /// output has frames in a second.
    Mean { frame: [i32; 2], left: u64 },
    /// The times of the output's next frame and of the chip's, in units of 2^-32 seconds.
    Nearest {
        frame: [i32; 2],
        output: u64,
        chip: u64,
    },
}

enum Chip {
    Yamaha(Ymfm),
    /// A chip that takes all writes at once.
    Prompt(Box<dyn Core>),
}

impl Voice {
    /// A chip after its reset, for an output with this rate, in frames per second.
    pub fn new(spec: &ChipSpec, rate: u32, resampling: Resampling) -> Self {
        let chip = match spec.kind {
            ChipKind::Sn76489(config) => Chip::Prompt(Box::new(Sn76489::new(spec.clock, config))),
            ChipKind::Okim6258 { flags } => {
                Chip::Prompt(Box::new(Okim6258::new(spec.clock, flags)))
            }
            kind => Chip::Yamaha(Ymfm::new(kind, spec.clock)),
        };
        let position = match resampling {
            Resampling::Mean => Position::Mean {
                frame: [0; 2],
                left: 0,
            },
            Resampling::Nearest => Position::Nearest {
                frame: [0; 2],
                output: 0,
                chip: 0,
            },
        };
        Voice {
            chip,
            level: level(spec.kind) * f32::from(spec.volume) / 256.0,
            writes: VecDeque::new(),
            rate,
            position,
            batch: Vec::with_capacity(BATCH),
            next: 0,
        }
    }

    /// Writes to a register.
    pub fn write(&mut self, write: RegisterWrite) {
        if self.writes.len() == MAX_WAITING {
            self.write_next();
        }
        match &mut self.chip {
            Chip::Prompt(core) => core.write(write.port, write.register, write.value),
            Chip::Yamaha(_) => self.writes.push_back(write),
        }
    }

    /// Makes all writes that wait for their turn.
    pub fn write_all(&mut self) {
        while !self.writes.is_empty() {
            self.write_next();
        }
    }

    /// Writes to a memory of the chip.
    pub fn load(&mut self, block: &MemoryBlock) {
        if let Chip::Yamaha(chip) = &mut self.chip {
            chip.load(block.memory, block.start, &block.data);
        }
    }

    /// Adds the next frames of the output to `frames`.
    pub fn add_to(&mut self, frames: &mut [[f32; 2]]) {
        match self.position {
            Position::Mean { frame, left } => self.add_means(frames, frame, left),
            Position::Nearest {
                frame,
                output,
                chip,
            } => self.add_nearest(frames, frame, output, chip),
        }
    }

    fn add_means(&mut self, frames: &mut [[f32; 2]], mut frame: [i32; 2], mut left: u64) {
        let of_chip = u64::from(self.core().rate()).max(1);
        let of_output = u64::from(self.rate);
        for done in 0..frames.len() {
            let mut wanted = of_chip;
            let mut sum = [0_i64; 2];
            loop {
                if left == 0 {
                    if self.next == self.batch.len() {
                        let outputs = (frames.len() - done - 1) as u64;
                        let parts = wanted + outputs * of_chip;
                        self.make(parts.div_ceil(of_output));
                    }
                    frame = self.batch[self.next];
                    self.next += 1;
                    left = of_output;
                }
                let part = left.min(wanted);
                // Both factors are below 2^32, and a chip's samples below 2^24.
                sum[0] += i64::from(frame[0]) * part as i64;
                sum[1] += i64::from(frame[1]) * part as i64;
                left -= part;
                wanted -= part;
                if wanted == 0 {
                    break;
                }
            }
            let scale = f64::from(self.level) / of_chip as f64;
            frames[done][0] += (sum[0] as f64 * scale) as f32;
            frames[done][1] += (sum[1] as f64 * scale) as f32;
        }
        self.position = Position::Mean { frame, left };
    }

    fn add_nearest(
        &mut self,
        frames: &mut [[f32; 2]],
        mut frame: [i32; 2],
        mut output: u64,
        mut chip: u64,
    ) {
        let of_output = (1 << 32) / u64::from(self.rate);
        for out in frames {
            self.write_next();
            let of_chip = ((1 << 32) / u64::from(self.core().rate()).max(1)).max(1);
            if chip <= output {
                let due = (output - chip) / of_chip + 1;
                frame = self.last_of(due);
                chip += due * of_chip;
            }
            out[0] += frame[0] as f32 * self.level;
            out[1] += frame[1] as f32 * self.level;
            output += of_output;
        }
        self.position = Position::Nearest {
            frame,
            output,
            chip,
        };
    }

    /// The last of this number of the chip's next frames, of which there is one at least.
    fn last_of(&mut self, mut frames: u64) -> [i32; 2] {
        loop {
            let now = frames.min(BATCH as u64);
            self.generate(now as usize);
            frames -= now;
            if frames == 0 {
                return self.batch[now as usize - 1];
            }
        }
    }

    /// Makes a batch of the chip's next frames, at most as many as are wanted.
    fn make(&mut self, wanted: u64) {
        self.write_next();
        let frames = match self.writes.is_empty() {
            true => wanted.clamp(1, BATCH as u64) as usize,
            false => 1,
        };
        self.generate(frames);
        self.next = 0;
    }

    /// Makes a batch of this number of the chip's next frames.
    fn generate(&mut self, frames: usize) {
        self.batch.resize(frames, [0; 2]);
        match &mut self.chip {
            Chip::Yamaha(chip) => chip.generate(&mut self.batch),
            Chip::Prompt(chip) => chip.generate(&mut self.batch),
        }
    }

    fn write_next(&mut self) {
        if let Some(write) = self.writes.pop_front() {
            self.core_mut()
                .write(write.port, write.register, write.value);
        }
    }

    fn core(&self) -> &dyn Core {
        match &self.chip {
            Chip::Yamaha(chip) => chip,
            Chip::Prompt(chip) => chip.as_ref(),
        }
    }

    fn core_mut(&mut self) -> &mut dyn Core {
        match &mut self.chip {
            Chip::Yamaha(chip) => chip,
            Chip::Prompt(chip) => chip.as_mut(),
        }
    }
}

/// About how much work a second of a chip is, beside other chips: in tenths of a millisecond for
/// each megahertz of its clock, as measured on one machine. Chips with a model that has a frame for
/// every few ticks of the clock take most.
pub fn work(chip: &ChipSpec) -> u64 {
    let of_a_megahertz = match chip.kind {
        ChipKind::Ym2203 => 55,
        ChipKind::Ay8910 => 48,
        ChipKind::Ym2151 => 42,
        ChipKind::Ym2608 => 38,
        ChipKind::Ym3812 | ChipKind::Ym3526 | ChipKind::Y8950 => 33,
        ChipKind::Ym2610 | ChipKind::Ym2610B => 32,
        ChipKind::Ym2413 | ChipKind::Ym2612 => 22,
        ChipKind::Ymf262 | ChipKind::Ymf278B => 14,
        ChipKind::Sn76489(_) => 7,
        ChipKind::Okim6258 { .. } => 2,
    };
    of_a_megahertz * u64::from(chip.clock) / 1_000_000 + 1
}

/// How loud a chip is beside the others, so that machines with two of them sound as they do: full
/// scale is 1.
fn level(kind: ChipKind) -> f32 {
    let beside_others = match kind {
        // In the Mega Drive the square waves are about a third as loud as the FM chip.
        ChipKind::Sn76489(_) => 0.5,
        ChipKind::Ym2413 => 2.0,
        ChipKind::Ay8910 => 0.5,
        // ADPCM has its full scale in every drum, which FM reaches with all voices only.
        ChipKind::Okim6258 { .. } => 0.5,
        _ => 1.0,
    };
    beside_others / 32_768.0
}
