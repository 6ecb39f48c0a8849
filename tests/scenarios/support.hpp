// Scenarios as text, and their error messages.
#pragma once

#include "scenarios/language/decode/load.hpp"
#include "tests/support/temporary_directory.hpp"

#include <string>
#include <vector>

namespace gradflight::test {

inline const std::string minimal = R"({ "platform": { "nodes": 8, "gpus_per_node": 1,
    "network": { "topology": "star", "link": { "bandwidth": "10Gbps", "latency": "5us" } },
    "message_overhead": "0s", "reduce_bandwidth": "10GB/s" },
  "workload": { "tensors": [ { "name": "g", "bytes": "100MB" } ] },
  "training": { "exchange": { "algorithm": "ring" }, "granularity": "model", "overlap": "none", "iterations": 1 },
  "engine": "hybrid" }
)";

/// Four nodes on a star with the given workload; `training` follows the exchange (", \"overlap\": ...").
inline std::string ring_text(const std::string& workload, const std::string& training = "") {
  return R"({ "platform": { "nodes": 4, "network": { "topology": "star", "link": { "bandwidth": "10Gbps" } } },
    "workload": )" +
         workload + R"(, "training": { "exchange": { "algorithm": "ring" })" + training + "} }";
}
inline Scenario ring_scenario(const std::string& workload, const std::string& training = "") {
  return parse_scenario(ring_text(workload, training), "s.json", {});
}

inline Scenario with(const std::vector<std::string>& sets) { return parse_scenario(minimal, "s.json", sets); }

/// Returns the error messages of `load`; "" if it succeeds.
template <class Load> std::string errors_of(Load load) {
  try {
    load();
  } catch (const InputErrors& errors) {
    return errors.format();
  }
  return {};
}
inline std::string errors_of_text(const std::string& text, const std::vector<std::string>& sets = {}) {
  return errors_of([&] { parse_scenario(text, "s.json", sets); });
}
inline std::string errors_with(const std::vector<std::string>& sets) { return errors_of_text(minimal, sets); }

} // namespace gradflight::test
