// The operations of process groups, and how nccl-tests counts their bytes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gradflight {

enum class Operation : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  alltoall,
  broadcast,
  reduce,
  gather,
  scatter,
  sendrecv, ///< every rank sends to the next one of a ring, as nccl-tests does
  barrier
};

inline constexpr std::array operation_names{std::string_view("all_reduce"),     std::string_view("all_gather"),
                                            std::string_view("reduce_scatter"), std::string_view("alltoall"),
                                            std::string_view("broadcast"),      std::string_view("reduce"),
                                            std::string_view("gather"),         std::string_view("scatter"),
                                            std::string_view("sendrecv"),       std::string_view("barrier")};

constexpr std::string_view operation_name(Operation op) { return operation_names[static_cast<std::size_t>(op)]; }

constexpr std::optional<Operation> operation_named(std::string_view name) {
  for (std::size_t i = 0; i < operation_names.size(); ++i)
    if (operation_names[i] == name) return static_cast<Operation>(i);
  return std::nullopt;
}

/// Whether the vector consists of one block per rank. Its size is the size of the whole vector (nccl-tests).
constexpr bool counts_blocks(Operation op) {
  return op == Operation::all_gather || op == Operation::reduce_scatter || op == Operation::alltoall ||
         op == Operation::gather || op == Operation::scatter;
}

constexpr bool has_root(Operation op) {
  return op == Operation::broadcast || op == Operation::reduce || op == Operation::gather || op == Operation::scatter;
}

/// Whether ranks combine their vectors.
constexpr bool is_reduction(Operation op) {
  return op == Operation::all_reduce || op == Operation::reduce_scatter || op == Operation::reduce;
}

/// Returns bus bandwidth over algorithm bandwidth (size / time) among p >= 1 ranks, as nccl-tests defines it.
constexpr double bus_factor(Operation op, int p) {
  const double others = static_cast<double>(p - 1) / p;
  switch (op) {
  case Operation::all_reduce: return 2 * others;
  case Operation::all_gather:
  case Operation::reduce_scatter:
  case Operation::alltoall:
  case Operation::gather:
  case Operation::scatter: return others;
  case Operation::broadcast:
  case Operation::reduce:
  case Operation::sendrecv:
  case Operation::barrier: return 1;
  }
  return 1;
}

} // namespace gradflight
