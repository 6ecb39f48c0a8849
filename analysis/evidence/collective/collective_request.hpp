// What `gradflight collective` is asked, and what it answers.
#pragma once

#include "analysis/evidence/collective/measured_spread.hpp"
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
  std::vector<std::string> sets{}; ///< PATH=VALUE, as of a scenario: "platform.message_overhead=2us"
  std::optional<int> ranks{}, nodes{}, gpus_per_node{};
  double begin = 8, end = 4294967296.0, factor = 2; ///< bytes; sizes begin, begin * factor, ... up to end
  std::vector<double> sizes{};                      ///< these instead, in bytes
  int element_size = 4;
  std::string type = "float"; ///< of elements, as it is told (element_type.hpp)
  std::string algorithm{};    ///< a plain one's name, "nccl", "nccl:tree"; empty: by the platform
  std::string protocol{};     ///< of a library; empty: its choice
  int channels = 0;           ///< likewise; 0: its choice
};

/// One size. Microseconds and GB/s (10^9 bytes), the units of nccl-tests' tables.
struct CollectiveRow {
  std::int64_t size_bytes = 0, count = 0; ///< count: elements, for blocks those of one rank
  double time_us = 0, algbw = 0, busbw = 0;
  std::string algorithm, protocol; ///< protocol: empty of plain schedules
  int channels = 0;                ///< 0 of plain schedules
  std::string why;
  std::optional<double> closed_form_us{};
  bool exact = false; ///< everything holds that the closed form asks for
  std::optional<double> model_time_us{};
  std::optional<double> measured_us{}; ///< --against
  std::vector<Bound> bound_by{};       ///< shares of time_us, largest first
};

struct CollectiveTable {
  Operation op = Operation::all_reduce;
  std::string platform;
  int ranks = 0, nodes = 0, element_size = 4;
  std::vector<CollectiveRow> rows;
  std::string type = "float";
  const MeasuredSpreads* spreads = nullptr; ///< of machines like this one; null: none was measured
};

/// Mistakes of the command line as InputErrors. Nothing happens where there are none.
void refuse(std::vector<std::string> mistakes);

/// As nccl-tests counts: whole elements, of blocks whole ones for each rank; 0: the row is left out.
std::int64_t counted_elements(Operation op, double bytes, int element_size, int ranks);

} // namespace gradflight
