// Scenarios for advice, and their results.
#pragma once

#include "analysis/explore/advice/advice.hpp"
#include "analysis/run/prepare.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <string>

namespace gradflight::test {

inline ScenarioSource source_of(const std::string& platform, const std::string& exchange = R"({ "algorithm": "ring" })",
                                const std::string& more = "", const std::string& bytes = "100MB") {
  return {"case.json",
          fmt::format(R"({{ "platform": {}, "workload": {{ "tensors": [{{ "name": "g", "bytes": "{}" }}] }},
    "training": {{ "exchange": {} }}{} }})",
                      platform, bytes, exchange, more)};
}

/// Four nodes at 10 Gbps (1.25 GB/s); a parameter server is node 4.
inline std::string star_with(const std::string& more) {
  return R"({ "nodes": 4, "network": { "topology": "star", "link": { "bandwidth": "10Gbps" } })" + more + "}";
}

inline Advice advice_on(const ScenarioSource& source) { return advise(source, {}, {.budget = 300, .jobs = 1}); }

inline double seconds_of(const Advice& advice) { return advice.step.iteration_time; }

inline const Tried* find(const Advice& advice, const std::string& change) {
  for (const Tried& t : advice.tried)
    if (t.what.change == change) return &t;
  return nullptr;
}

inline double gain_of(const Advice& advice, const std::string& change) {
  const Tried* tried = find(advice, change);
  INFO(change);
  REQUIRE(tried != nullptr);
  return tried->gain;
}

} // namespace gradflight::test
