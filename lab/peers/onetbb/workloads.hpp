// The workloads. Each runs inside the arena that is its own.
#pragma once

#include <cstdint>

#include "session.hpp"

namespace lab {

void tree_sum(Session &session, std::int64_t size);
void slice_sum(Session &session, std::int64_t size);
void mandelbrot(Session &session, std::int64_t side);

} // namespace lab
