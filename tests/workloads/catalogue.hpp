// The shipped catalogue as plain JSON for the tests, without the decoder.
#pragma once

#include "workloads/code/compute.hpp"
#include "workloads/code/workload.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <source_dir.hpp>

#include <filesystem>
#include <fstream>
#include <string>

namespace gradflight::testing {

inline const std::filesystem::path source_dir = GF_SOURCE_DIR;

inline nlohmann::json read_json(const std::filesystem::path& path) {
  INFO(path.string());
  std::ifstream file(path);
  REQUIRE(file);
  return nlohmann::json::parse(file);
}

inline nlohmann::json read_network(const std::string& name) {
  return read_json(source_dir / "workloads/networks" / (name + ".json"));
}

inline std::int64_t size_of(const nlohmann::json& shape) {
  std::int64_t size = 1;
  for (const auto& extent : shape) size *= extent.get<std::int64_t>();
  return size;
}

inline Workload to_workload(const nlohmann::json& network) {
  Workload workload;
  workload.name = network.at("name");
  for (const auto& layer : network.at("layers")) {
    workload.layers.push_back({layer.at("name"), 0, 0, {}});
    for (const auto& tensor : layer.at("tensors"))
      workload.layers.back().tensors.push_back({tensor.at("name"), size_of(tensor.at("shape"))});
  }
  return workload;
}

inline std::vector<LayerFlops> to_flops(const nlohmann::json& network) {
  std::vector<LayerFlops> flops;
  for (const auto& layer : network.at("layers"))
    flops.push_back({layer.at("flops_forward"), layer.at("flops_backward")});
  return flops;
}

inline int tensor_count(const Workload& workload) {
  int count = 0;
  for (const Layer& layer : workload.layers) count += static_cast<int>(layer.tensors.size());
  return count;
}

} // namespace gradflight::testing
