// The lab's workloads in C++ with oneTBB. The lab compiles and starts this program; its arguments
// and its answer are described in ../README.md.
#include "workloads.hpp"

#include <cstdlib>
#include <exception>
#include <string_view>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

namespace {

using Workload = void (*)(lab::Session &, std::int64_t);

Workload workload(std::string_view name) {
    if (name == "tree-sum") {
        return lab::tree_sum;
    }
    if (name == "slice-sum") {
        return lab::slice_sum;
    }
    if (name == "mandelbrot") {
        return lab::mandelbrot;
    }
    throw std::invalid_argument("there is no such workload here");
}

std::int64_t number(const char *text) {
    char *end = nullptr;
    const long long number = std::strtoll(text, &end, 10);
    if (end == text || *end != '\0' || number < 0) {
        throw std::invalid_argument("an argument is no number from 0 on");
    }
    return number;
}

void run(int count, char **arguments) {
    if (count != 9) {
        throw std::invalid_argument("README.md describes 8 arguments");
    }
    const auto measure = workload(arguments[1]);
    const auto size = number(arguments[2]), jobs = number(arguments[3]);
    if (size == 0 || jobs == 0 || jobs > 1024) {
        throw std::invalid_argument("size is 1 at least, and jobs are 1 to 1024");
    }
    std::array<std::int64_t, 5> effort{};
    for (std::size_t place = 0; place < effort.size(); ++place) {
        effort[place] = number(arguments[4 + place]);
    }
    lab::Session session(effort);
    using oneapi::tbb::global_control;
    const global_control control(global_control::max_allowed_parallelism,
                                 static_cast<std::size_t>(jobs));
    oneapi::tbb::task_arena arena(static_cast<int>(jobs));
    arena.execute([&] { measure(session, size); });
    session.write();
}

} // namespace

int main(int count, char **arguments) {
    try {
        run(count, arguments);
    } catch (const std::exception &wrong) {
        std::printf("{\"protocol\":1,\"error\":\"%s\"}\n", wrong.what());
    }
}
