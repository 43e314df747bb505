fn main() {
    let numbers: Vec<u64> = (0..1_000).collect();
    let names: Vec<String> = numbers.iter().map(|number| format!("n{number}")).collect();
    let mut check = 0u64;

    // Values.
    check += numbers.par_iter().sum::<u64>();
    check += numbers.par_iter().map(|number| number * 3).filter(|number| number % 2 == 0).sum::<u64>();
    check += numbers.par_iter().enumerate().map(|(place, number)| place as u64 ^ number).reduce(|| 0, |a, b| a ^ b);
    check += numbers.par_iter().zip(numbers.par_iter().rev()).map(|(a, b)| a * b).sum::<u64>();
    check += numbers.par_chunks(16).map(|chunk| chunk.iter().max().copied().unwrap_or(0)).max().unwrap_or(0);
    check += numbers.par_iter().fold(|| 0, |sum, number| sum + number).sum::<u64>();
    check += names.par_iter().map(|name| name.len()).min().unwrap_or(0) as u64;
    check += (0..1_000u64)
        .into_par_iter()
        .map_init(|| 1, |state, number| {
            *state += number;
            *state
        })
        .max()
        .unwrap_or(0);

    // Searches.
    check += numbers.par_iter().find_any(|number| **number == 500).copied().unwrap_or(0);
    check += numbers.par_iter().position_first(|number| *number == 400).unwrap_or(0) as u64;
    check += u64::from(numbers.par_iter().any(|number| *number == 7));

    // More items, and fewer.
    check += names.par_iter().flat_map_iter(|name| name.bytes()).map(u64::from).sum::<u64>();
    check += numbers.par_iter().flat_map(|number| (0..number % 5).into_par_iter()).count() as u64;
    check += numbers.par_iter().skip(3).step_by(2).take(100).count() as u64;

    // Collections.
    check += numbers.par_iter().map(|number| number + 1).collect::<Vec<_>>().len() as u64;
    check += numbers.par_iter().filter(|number| **number % 3 == 0).collect::<Vec<_>>().len() as u64;
    check += numbers.clone().into_par_iter().map(|number| number.to_string()).collect::<Vec<_>>().len() as u64;
    check += numbers
        .par_iter()
        .map(|number| (number % 10, *number))
        .collect::<std::collections::HashMap<_, _>>()
        .len() as u64;
    let (even, odd): (Vec<_>, Vec<_>) = numbers.par_iter().copied().partition(|number| number % 2 == 0);
    check += even.len() as u64 - odd.len() as u64;
    let small: Result<Vec<_>, u64> = numbers
        .par_iter()
        .map(|number| if *number < 2_000 { Ok(*number) } else { Err(*number) })
        .collect();
    check += small.map_or(0, |small| small.len() as u64);

    // In place.
    let mut sorted = numbers.clone();
    sorted.par_sort_unstable();
    sorted.par_sort_by_key(|number| number % 7);
    sorted.par_iter_mut().for_each(|number| *number += 1);
    println!("{}", check + sorted[0]);
}
