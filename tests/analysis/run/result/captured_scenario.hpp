// A scenario with real gradients, as a file.
#pragma once

#include "source_dir.hpp"

#include <string>

namespace gradflight::testing {

/// Three workers in a ring; INCEPTIONN's codec encodes every partial sum. `more`: further members, after a comma.
inline std::string captured_scenario(const std::string& more = "") {
  const std::string gradients = std::string(GF_SOURCE_DIR) + "/workloads/captured/small-cnn";
  return R"({ "platform": { "nodes": 3, "network": { "topology": "star", "link": { "bandwidth": "1Gbps" } } },
  "workload": ")" +
         gradients + R"(/workload.json",
  "training": { "exchange": { "algorithm": "ring" },
    "compression": { "tensors": ")" +
         gradients + R"(", "codec": "inceptionn" } })" + more + " }";
}

} // namespace gradflight::testing
