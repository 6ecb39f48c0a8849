// Which machine of the catalogue a shipped table was measured on.
#pragma once

#include "analysis/measured/measured_table.hpp"

#include <optional>
#include <string>

namespace gradflight {

struct MeasuredMachine {
  std::string machine; ///< of the catalogue of platforms
  int nodes = 0;
  int gpus_per_node = 0; ///< ranks of a node; 0 where the table does not say
  std::string note{};    ///< what is inferred; empty: the source says so
};

/// By the table's file, GPU and conditions, as analysis/measurements/modern/*.md say; none for other files.
std::optional<MeasuredMachine> machine_of(const MeasuredTable& table);

} // namespace gradflight
