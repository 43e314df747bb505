//! What holds for any writes.

use super::*;
use proptest::prelude::*;

/// A write, and how many frames follow it.
type Event = (u8, u8, usize);

/// Writes of which most are data, while the chip plays.
fn events() -> impl Strategy<Value = Vec<Event>> {
    let register = prop_oneof![6 => Just(DATA), 1 => Just(CONTROL), 1 => any::<u8>()];
    let value = prop_oneof![2 => any::<u8>(), 1 => Just(0x02), 1 => Just(0x77)];
    proptest::collection::vec((register, value, 0..12_usize), 0..300)
}

proptest! {
    #[test]
    fn the_output_is_bounded_and_there_is_a_rate(
        clock: u32,
        flags: u8,
        port: u8,
        events in events(),
    ) {
        let mut chip = Okim6258::new(clock, flags);
        for (register, value, count) in events {
            chip.write(port, register, value);
            prop_assert!(chip.rate() > 0);
            for sample in frames(&mut chip, count).into_flattened() {
                prop_assert!((-32_768..=32_752).contains(&sample));
            }
        }
    }

    #[test]
    fn blocks_equal_single_frames(flags: u8, events in events(), block in 1..12_usize) {
        let mut whole = Okim6258::new(8_000_000, flags);
        let mut single = whole.clone();
        let mut blocks = whole.clone();
        for (register, value, count) in events {
            for chip in [&mut whole, &mut single, &mut blocks] {
                chip.write(0, register, value);
            }
            let expected = frames(&mut whole, count);
            let singles: Vec<[i32; 2]> = (0..count).map(|_| frames(&mut single, 1)[0]).collect();
            let mut parts = vec![[0; 2]; count];
            parts.chunks_mut(block).for_each(|part| blocks.generate(part));
            prop_assert_eq!(&expected, &singles);
            prop_assert_eq!(&expected, &parts);
        }
    }
}
