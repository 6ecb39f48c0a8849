// Checks between several keys of a decoded scenario.
#pragma once

#include <string>
#include <vector>

namespace gradflight {

struct PlatformSpec;
struct Scenario;

/// `pointer` is the JSON pointer of the wrong value in the resolved document.
struct Violation {
  std::string pointer, message;
};

std::vector<Violation> check_platform(const PlatformSpec& platform, const std::string& pointer);
std::vector<Violation> check_scenario(const Scenario& scenario);
/// Checks only the platform, the traffic and the changes; the rest of the scenario may have any values.
std::vector<Violation> check_cluster(const Scenario& scenario);

} // namespace gradflight
