// A run's result through a pipe between two processes of one program (never kept, never sent elsewhere).
#pragma once

#include "sim/result/result.hpp"

#include <string>
#include <string_view>

namespace gradflight {

std::string to_bytes(const RunResult& result);
/// Throws std::runtime_error where the bytes end early or go on too long.
RunResult from_bytes(std::string_view bytes);

} // namespace gradflight
