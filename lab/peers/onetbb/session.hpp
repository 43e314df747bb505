// Warms up, takes samples, and writes the answer to the lab.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#include <sys/resource.h>

namespace lab {

// What the process has used until now.
struct Usage {
    std::array<std::int64_t, 6> counts{};

    static Usage now() {
        rusage used{};
        getrusage(RUSAGE_SELF, &used);
        const auto ns = [](const timeval &time) {
            return std::int64_t{time.tv_sec} * 1'000'000'000 + std::int64_t{time.tv_usec} * 1'000;
        };
        return {{ns(used.ru_utime), ns(used.ru_stime), used.ru_nvcsw, used.ru_nivcsw,
                 used.ru_minflt, used.ru_majflt}};
    }

    // Adds the difference of two looks, and returns its processor time.
    std::int64_t add(const Usage &before, const Usage &after) {
        for (std::size_t place = 0; place < counts.size(); ++place) {
            counts[place] += after.counts[place] - before.counts[place];
        }
        return after.cpu() - before.cpu();
    }

    std::int64_t cpu() const { return counts[0] + counts[1]; }
};

class Session {
  public:
    using Clock = std::chrono::steady_clock;

    // Has the last five arguments of the program.
    explicit Session(const std::array<std::int64_t, 5> &effort)
        : warm_up_(effort[0]), window_(effort[1]), samples_min_(effort[2]),
          samples_max_(effort[3]), sample_ns_(effort[4]) {}

    // Measures an operation of this many items, whose answer has to be the expected one. It is
    // repeated until a sample is long enough.
    template <typename Answer, typename Operation>
    void sample(std::int64_t items, const Answer &expected, const Operation &operation) {
        items_ = items;
        auto start = Clock::now();
        std::int64_t done = 0;
        for (std::int64_t step = 1; done == 0 || Clock::now() - start < warm_up_;) {
            repeat(step, expected, operation);
            done += step;
            // The clock must not be a part of what is estimated.
            step = std::min<std::int64_t>(step * 2, 1 << 10);
        }
        const double each = ns(Clock::now() - start) / static_cast<double>(done);
        const auto wanted = static_cast<double>(sample_ns_) / std::max(each, 0.1);
        const auto batch = std::max<std::int64_t>(1, static_cast<std::int64_t>(wanted) + 1);

        start = Clock::now();
        for (std::int64_t taken = 0; !is_enough(taken, Clock::now() - start); ++taken) {
            const auto before = Usage::now();
            const auto begin = Clock::now();
            repeat(batch, expected, operation);
            const auto wall = Clock::now() - begin;
            const auto cpu = usage_.add(before, Usage::now());
            operations_ += batch;
            wall_ns_.push_back(ns(wall) / static_cast<double>(batch));
            cpu_ns_.push_back(static_cast<double>(cpu) / static_cast<double>(batch));
        }
    }

    // Writes what was measured.
    void write() const {
        std::printf("{\"protocol\":1,\"items\":%lld,\"operations\":%lld,", wide(items_),
                    wide(operations_));
        write("wall_ns", wall_ns_);
        write("cpu_ns", cpu_ns_);
        const auto &counts = usage_.counts;
        std::printf("\"usage\":{\"cpu_ns\":%lld,\"user_ns\":%lld,\"system_ns\":%lld,"
                    "\"ctx_voluntary\":%lld,\"ctx_involuntary\":%lld,"
                    "\"faults_minor\":%lld,\"faults_major\":%lld}}\n",
                    wide(usage_.cpu()), wide(counts[0]), wide(counts[1]), wide(counts[2]),
                    wide(counts[3]), wide(counts[4]), wide(counts[5]));
    }

  private:
    static double ns(Clock::duration time) {
        return std::chrono::duration<double, std::nano>(time).count();
    }

    static long long wide(std::int64_t number) { return number; }

    static void write(const char *name, const std::vector<double> &numbers) {
        std::printf("\"%s\":[", name);
        const char *comma = "";
        for (const double number : numbers) {
            std::printf("%s%.3f", comma, number);
            comma = ",";
        }
        std::printf("],");
    }

    // Not inlined, so that warm-up and samples run the same machine code.
    template <typename Answer, typename Operation>
    [[gnu::noinline]] static void repeat(std::int64_t times, const Answer &expected,
                                         const Operation &operation) {
        for (; times > 0; --times) {
            const Answer answer = operation();
            if (answer != expected) {
                throw std::runtime_error("wrong answer: " + std::to_string(answer) +
                                         ", expected " + std::to_string(expected));
            }
        }
    }

    bool is_enough(std::int64_t taken, Clock::duration passed) const {
        return taken >= samples_max_ || (taken >= samples_min_ && passed >= window_);
    }

    std::chrono::milliseconds warm_up_, window_;
    std::int64_t samples_min_, samples_max_, sample_ns_;
    std::int64_t items_ = 0, operations_ = 0;
    std::vector<double> wall_ns_, cpu_ns_;
    Usage usage_;
};

} // namespace lab
