//! The mean over a frame, computed another way: all frames of the chip first, and then differences
//! of their sum up to a time.

use chipmill::chip::Core;
use chipmill::chip::ymfm::Ymfm;
use chipmill::song::{Event, LOG_RATE, Song};

const DAC_BANK: u8 = 0;
const DAC_REGISTER: u8 = 0x2a;

/// The frames of a song at the rate of the log, in the units of the chips.
pub fn means(song: &Song) -> Vec<[f64; 2]> {
    let mut means = vec![[0.0; 2]; song.samples as usize];
    for chip in 0..song.chips.len() {
        let (frames, rate) = native(song, chip);
        add_means(&mut means, &frames, rate);
    }
    means
}

/// Something that the chip gets, and the first of its frames that can have it.
enum Input {
    Write { port: u8, register: u8, value: u8 },
    Load(usize),
}

/// All frames of a chip, and their rate.
fn native(song: &Song, place: usize) -> (Vec<[i32; 2]>, u64) {
    let spec = song.chips[place];
    let mut chip = Ymfm::new(spec.kind, spec.clock);
    let rate = u64::from(chip.rate());
    let first_frame = |sample: u64| (sample * rate).div_ceil(LOG_RATE.into());
    let mut inputs = inputs(song, place)
        .into_iter()
        .map(|(sample, input)| (first_frame(sample), input))
        .peekable();
    let count = first_frame(song.samples);
    let mut frames = vec![[0; 2]; count as usize];
    for (frame, now) in frames.iter_mut().zip(0..) {
        // Data for a memory is there at once, and a frame takes one write.
        while let Some((_, input)) = inputs.next_if(|(first, _)| *first <= now) {
            match input {
                Input::Load(block) => {
                    let block = &song.memory[block];
                    chip.load(block.memory, block.start, &block.data);
                }
                Input::Write {
                    port,
                    register,
                    value,
                } => {
                    chip.write(port, register, value);
                    break;
                }
            }
        }
        chip.generate(std::slice::from_mut(frame));
    }
    (frames, rate)
}

/// What a chip gets, and at which samples of the log.
fn inputs(song: &Song, place: usize) -> Vec<(u64, Input)> {
    let mut inputs = Vec::new();
    let mut now = 0;
    let mut dac = 0;
    for event in song.events.iter() {
        match event {
            Event::Wait(samples) => now += u64::from(samples),
            Event::Seek(to) => dac = to as usize,
            Event::Dac { wait } => {
                let bank = song.banks.iter().find(|bank| bank.kind == DAC_BANK);
                inputs.push((
                    now,
                    Input::Write {
                        port: 0,
                        register: DAC_REGISTER,
                        value: bank.unwrap().data[dac],
                    },
                ));
                dac += 1;
                now += u64::from(wait);
            }
            Event::Write(write) if usize::from(write.chip) == place => inputs.push((
                now,
                Input::Write {
                    port: write.port,
                    register: write.register,
                    value: write.value,
                },
            )),
            Event::Memory(block) if usize::from(song.memory[block as usize].chip) == place => {
                inputs.push((now, Input::Load(block as usize)));
            }
            Event::Write(_) | Event::Memory(_) => (),
            Event::Stream(_) => unreachable!("the songs have no streams"),
        }
    }
    inputs
}

fn add_means(means: &mut [[f64; 2]], frames: &[[i32; 2]], rate: u64) {
    let parts = u64::from(LOG_RATE);
    // A frame of the chip has as many parts as the output has frames in a second, so that a frame
    // of the output has as many as the chip has.
    for side in 0..2 {
        let mut sums = vec![0_i64];
        for frame in frames {
            sums.push(sums.last().unwrap() + i64::from(frame[side]));
        }
        let sum_to = |part: u64| {
            let (whole, rest) = ((part / parts) as usize, (part % parts) as i64);
            let begun = frames.get(whole).map_or(0, |frame| frame[side]);
            sums[whole] * parts as i64 + i64::from(begun) * rest
        };
        for (mean, place) in means.iter_mut().zip(0..) {
            let sum = sum_to((place + 1) * rate) - sum_to(place * rate);
            mean[side] += sum as f64 / rate as f64;
        }
    }
}
