// Scenarios as text, and the complaints about them.
#pragma once

#include "scenarios/language/decode/load.hpp"

#include <filesystem>
#include <fstream>
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

inline Scenario with(const std::vector<std::string>& sets) { return parse_scenario(minimal, "s.json", sets); }

/// "" if `load` is content.
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

/// A directory that is gone when the test is over.
class TemporaryDirectory {
public:
  TemporaryDirectory() {
    auto pattern = (std::filesystem::temp_directory_path() / "gradflight-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    const auto file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
    return file.string();
  }
  [[nodiscard]] std::string path(const std::string& name = {}) const { return (path_ / name).string(); }

private:
  std::filesystem::path path_;
};

} // namespace gradflight::test
