// Finds operations by the names that people and benchmarks use.
#pragma once

#include "models/collectives/operation.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

/// Accepts "all_reduce", "allreduce", "all-reduce", "AllReduce", "a2a", "bcast", ..., also with the prefix "osu_" or
/// the suffix "_perf".
std::optional<Operation> operation_of(std::string_view name);

/// The same for operations that have a table over sizes: all but barrier, which carries no data.
std::optional<Operation> sized_operation(std::string_view name);
/// Returns their names.
std::vector<std::string> sized_operations();

/// Returns the first operation named in a text: all_reduce_perf, osu_allreduce, h100-allreduce.csv.
std::optional<Operation> operation_in(std::string_view text);

} // namespace gradflight
