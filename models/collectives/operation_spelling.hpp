// Operations by the names that people and benchmarks give them.
#pragma once

#include "models/collectives/operation.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gradflight {

/// "all_reduce", "allreduce", "all-reduce", "AllReduce", "a2a", "bcast", ...; with "osu_" before or "_perf" behind too.
std::optional<Operation> operation_of(std::string_view name);

/// All names, apart by commas.
std::string known_operations();

/// The first operation that a text names: all_reduce_perf, osu_allreduce, h100-allreduce.csv.
std::optional<Operation> operation_in(std::string_view text);

} // namespace gradflight
