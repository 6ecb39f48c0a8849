#include "scenarios/canonical.hpp"

#include "scenarios/tables.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gradflight {

std::string canonical_json(const Scenario& scenario) { return json_text_sorted(scenario_table().show(scenario)); }

std::string workload_json(const Workload& workload) { return json_text_ordered(workload_value().show(workload)); }

std::string scenario_id(const Scenario& scenario) {
  auto node = scenario_table().show(scenario);
  for (const auto* key : {"name", "description", "expect"}) node.erase(key);
  for (const auto* part : {"platform", "workload"}) {
    for (const auto* key : {"name", "source"}) node.find(part)->erase(key);
  }
  const auto text = json_text_sorted(node) + std::string(model_version);
  return fmt::format("{:016x}", XXH64(text.data(), text.size(), 0));
}

} // namespace gradflight
