#include "workloads.hpp"

#include <functional>
#include <numeric>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_reduce.h>

namespace lab {
namespace {

using oneapi::tbb::blocked_range;
using oneapi::tbb::parallel_reduce;

// This many random numbers below 2^32, the same every time (splitmix64).
std::vector<std::uint64_t> numbers(std::int64_t count) {
    std::uint64_t state = 19;
    std::vector<std::uint64_t> numbers(static_cast<std::size_t>(count));
    for (auto &number : numbers) {
        state += 0x9E3779B97F4A7C15;
        std::uint64_t mixed = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
        number = (mixed ^ (mixed >> 31)) >> 32;
    }
    return numbers;
}

// Keeps the compiler from moving a loop over what is behind the pointer out of another loop.
template <typename T> const T *opaque(const T *pointer) {
    asm volatile("" : "+r"(pointer) : : "memory");
    return pointer;
}

// After this many steps a point counts as one that never escapes.
constexpr std::uint64_t most_steps = 256;

std::uint64_t steps(double real, double imaginary) {
    double x = 0, y = 0;
    for (std::uint64_t step = 0; step < most_steps; ++step) {
        const double xx = x * x, yy = y * y;
        if (xx + yy > 4) {
            return step;
        }
        y = 2 * x * y + imaginary;
        x = xx - yy + real;
    }
    return most_steps;
}

// The steps of all points of a row together.
[[gnu::noinline]] std::uint64_t row(std::int64_t y, std::int64_t side) {
    const double scale = 2.5 / static_cast<double>(side);
    const double imaginary = (static_cast<double>(y) + 0.5) * scale - 1.25;
    std::uint64_t sum = 0;
    for (std::int64_t x = 0; x < side; ++x) {
        sum += steps((static_cast<double>(x) + 0.5) * scale - 2, imaginary);
    }
    return sum;
}

} // namespace

void slice_sum(Session &session, std::int64_t size) {
    const auto slice = numbers(size);
    const auto expected = std::accumulate(slice.begin(), slice.end(), std::uint64_t{0});
    session.sample(size, expected, [&] {
        const std::uint64_t *begin = opaque(slice.data());
        using Range = blocked_range<const std::uint64_t *>;
        return parallel_reduce(
            Range(begin, begin + slice.size()), std::uint64_t{0},
            [](const Range &range, std::uint64_t sum) {
                return std::accumulate(range.begin(), range.end(), sum);
            },
            std::plus<>());
    });
}

void mandelbrot(Session &session, std::int64_t side) {
    std::uint64_t expected = 0;
    for (std::int64_t y = 0; y < side; ++y) {
        expected += row(y, side);
    }
    session.sample(side, expected, [side] {
        using Range = blocked_range<std::int64_t>;
        return parallel_reduce(
            Range(0, side), std::uint64_t{0},
            [side](const Range &range, std::uint64_t sum) {
                for (std::int64_t y = range.begin(); y < range.end(); ++y) {
                    sum += row(y, side);
                }
                return sum;
            },
            std::plus<>());
    });
}

} // namespace lab
