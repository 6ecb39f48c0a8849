#include "models/collectives/operation_spelling.hpp"

#include "base/letters.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace gradflight {

namespace {

/// Names in benchmarks, without "_" and "-". A longer name stands before its own prefix.
constexpr std::array<std::pair<std::string_view, Operation>, 16> spellings = {
    {{"reducescatter", Operation::reduce_scatter},
     {"allreduce", Operation::all_reduce},
     {"allgather", Operation::all_gather},
     {"alltoall", Operation::alltoall},
     {"a2a", Operation::alltoall},
     {"all2all", Operation::alltoall},
     {"broadcast", Operation::broadcast},
     {"bcast", Operation::broadcast},
     {"sendrecv", Operation::sendrecv},
     {"reduce", Operation::reduce},
     {"gather", Operation::gather},
     {"scatter", Operation::scatter},
     {"barrier", Operation::barrier},
     {"mbwmr", Operation::sendrecv},
     {"multilat", Operation::sendrecv},
     {"latency", Operation::sendrecv}}};

/// Abbreviations. Only whole names match, because other words contain these letters.
constexpr std::array<std::pair<std::string_view, Operation>, 4> short_names = {{{"ar", Operation::all_reduce},
                                                                                {"ag", Operation::all_gather},
                                                                                {"rs", Operation::reduce_scatter},
                                                                                {"p2p", Operation::sendrecv}}};

} // namespace

std::optional<Operation> operation_of(std::string_view name) {
  std::string letters = common_spelling(name);
  for (const std::string_view program : {"osu", "mpi", "nccl", "rccl"})
    if (letters.starts_with(program)) {
      letters.erase(0, program.size());
      break;
    }
  if (letters.ends_with("perf")) letters.resize(letters.size() - 4);
  for (const auto& [spelling, op] : spellings)
    if (letters == spelling) return op;
  for (const auto& [spelling, op] : short_names)
    if (letters == spelling) return op;
  return std::nullopt;
}

std::optional<Operation> sized_operation(std::string_view name) {
  const auto op = operation_of(name);
  return op == Operation::barrier ? std::nullopt : op;
}

std::vector<std::string> sized_operations() {
  std::vector<std::string> names(operation_names.begin(), operation_names.end());
  std::erase(names, operation_name(Operation::barrier));
  return names;
}

std::optional<Operation> operation_in(std::string_view text) {
  const std::string letters = common_spelling(text);
  std::size_t where = std::string::npos;
  std::optional<Operation> found;
  for (const auto& [spelling, op] : spellings)
    if (const std::size_t at = letters.find(spelling); at < where) {
      where = at;
      found = op;
    }
  return found;
}

} // namespace gradflight
