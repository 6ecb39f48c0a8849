// Short scenarios, and their verdicts.
#pragma once

#include "analysis/run/evaluate.hpp"
#include "analysis/run/prepare.hpp"
#include "analysis/run/result/comparison.hpp"
#include "analysis/run/result/verdict.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <string>

namespace gradflight::verdict_cases {

inline ScenarioSource source_of(const std::string& platform, const std::string& exchange, const std::string& more = "",
                                const std::string& workload = R"({ "tensors": [{ "name": "g", "bytes": "100MB" }] })") {
  return {"case.json", fmt::format(R"({{ "platform": {}, "workload": {}, "training": {{ "exchange": {} }}{} }})",
                                   platform, workload, exchange, more)};
}

template <class... Parts> Outcome evaluated(const Parts&... parts) {
  return evaluate(prepare_changed(source_of(parts...), {}));
}

inline std::string sentence(const Outcome& o) { return o.verdict; }

inline double share(const Outcome& o, Bounding what) {
  double all = 0, found = 0;
  for (const Bound& b : bound_by(o.scenario, o.result)) {
    all += b.share;
    if (b.what == what) found += b.share;
  }
  CHECK(all == Approx(1).epsilon(1e-12));
  return found;
}

inline const std::string tree = R"({ "algorithm": "binomial_tree" })", ring = R"({ "algorithm": "ring" })",
                         doubling = R"({ "algorithm": "recursive_doubling" })",
                         halving = R"({ "algorithm": "halving_doubling" })";

/// Returns a star with NICs of 1 GB/s; `more` is further JSON of the platform, after a comma.
inline std::string star_of(int nodes, const std::string& more = "") {
  return fmt::format(R"({{ "nodes": {}, "network": {{ "topology": "star", "link": {{ "bandwidth": "8Gbps" }} }}{} }})",
                     nodes, more);
}
/// A gradient of 80 MB, and the same with passes of 60 ms.
inline const std::string gradient = R"({ "tensors": [{ "name": "g", "bytes": "80MB" }] })",
                         trained = R"({ "layers": [{ "name": "l", "forward": "20ms", "backward": "40ms",
    "tensors": [{ "name": "g", "bytes": "80MB" }] }] })";

} // namespace gradflight::verdict_cases
