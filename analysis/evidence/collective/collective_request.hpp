// The request of `gradflight collective`, and its result.
#pragma once

#include "analysis/evidence/collective/measured_spread.hpp"
#include "analysis/run/forms/assumption.hpp"
#include "analysis/run/result/verdict.hpp"
#include "models/collectives/operation.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct CollectiveRequest {
  std::vector<Operation> ops{};
  std::string platform{};          ///< a file, or a machine of the catalogue
  std::vector<std::string> sets{}; ///< PATH=VALUE as in a scenario: "platform.message_overhead=2us"
  std::optional<int> ranks{}, nodes{}, gpus_per_node{};
  double begin = 8, end = 4294967296.0, factor = 2; ///< bytes; sizes begin, begin * factor, ... up to end
  std::vector<double> sizes{};                      ///< replace begin, end and factor; in bytes
  int element_size = 4;
  std::string type = "float"; ///< type of elements for display (element_type.hpp)
  std::string algorithm{};    ///< the name of a plain algorithm, "nccl", "nccl:tree"; empty: depends on the platform
  std::string protocol{};     ///< of a library; empty: its choice
  int channels = 0;           ///< of a library; 0: its choice
  int seeds = 1;              ///< seeds of routing by hash, >= 1; with several, median and 90th percentile count
  int iterations = 20;        ///< calls in a row whose mean time counts, >= 1; 20: nccl-tests' default
};

/// One size. Microseconds and GB/s (10^9 bytes), the units of nccl-tests' tables.
struct CollectiveRow {
  std::int64_t size_bytes = 0, count = 0; ///< count: number of elements; for operations on blocks, of one rank
  double time_us = 0, algbw = 0, busbw = 0;
  std::string algorithm, protocol; ///< protocol: empty for plain schedules
  int channels = 0;                ///< 0 for plain schedules
  std::string why;
  std::optional<double> closed_form_us{};
  bool form_is_bound = false;           ///< no call is faster than the closed form
  std::vector<Assumption> form_fails{}; ///< assumptions of the closed form that do not hold
  std::optional<double> model_time_us{};
  std::optional<double> measured_us{};  ///< --against
  std::optional<double> time_90th_us{}; ///< with several seeds: nine of ten take at most this long
  std::vector<Bound> bound_by{};        ///< shares of time_us, largest first
};

struct CollectiveTable {
  Operation op = Operation::all_reduce;
  std::string platform;
  int ranks = 0, nodes = 0, element_size = 4;
  std::vector<CollectiveRow> rows;
  std::string type = "float";
  const MeasuredSpreads* spreads = nullptr; ///< for machines like this one; null: none were measured
  int seeds = 1;                            ///< of routing by hash
  std::vector<std::string> warnings{};      ///< doubtful values of the platform
};

/// Throws mistakes of the command line as InputErrors. Does nothing without mistakes.
void refuse(std::vector<std::string> mistakes);

/// Returns the number of elements as nccl-tests counts it: whole elements, and for blocks whole ones per rank. 0: the
/// row is left out.
std::int64_t counted_elements(Operation op, double bytes, int element_size, int ranks);

} // namespace gradflight
