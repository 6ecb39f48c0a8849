#include "analysis/run/result/fields/quantity.hpp"

#include "analysis/run/result/fields/result_fields.hpp"
#include "analysis/run/result/fields/result_path.hpp"
#include "platforms/code/platform.hpp"

#include <fmt/format.h>
#include <set>

namespace gradflight {

QuantityLookup find_quantity(const std::string& name, const Scenario& scenario, const Platform& platform) {
  auto found = find_name(result_table(), name, NameKind::numbers);
  if (!found.error.empty()) return {{}, std::move(found.error)};
  if (auto why = why_missing(result_table(), found.path, {scenario, platform}); !why.empty())
    return {{}, std::move(why)};
  return {[path = std::move(found.path)](const Outcome& outcome) -> std::optional<double> {
            const auto value = result_table().read(outcome, path);
            return value ? number_of(*value) : std::nullopt;
          },
          {}};
}

bool is_of_times(const std::string& name) {
  static const std::set<std::string> all = {"time_s",   "iteration_time_s", "compute_time_s",
                                            "messages", "payload_bytes",    "wire_bytes"};
  return all.contains(name);
}

std::vector<PlatformError> expectation_errors(const Scenario& scenario, const Platform* platform, Known known) {
  std::vector<PlatformError> errors;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < scenario.expect.size(); ++i) {
    const std::string& name = scenario.expect[i].quantity;
    const bool decidable = known == Known::all || (known == Known::cluster && name.starts_with("links."));
    std::string error = decidable ? find_quantity(name, scenario, *platform).error
                                  : find_name(result_table(), name, NameKind::numbers).error;
    if (error.empty() && !seen.insert(name).second) error = fmt::format("\"{}\" appears twice", name);
    if (!error.empty()) errors.push_back({fmt::format("/expect/{}/quantity", i), std::move(error)});
  }
  return errors;
}

} // namespace gradflight
