// What no single key can tell: rules between keys of a decoded scenario.
#pragma once

#include <string>
#include <vector>

namespace gradflight {

struct PlatformSpec;
struct Scenario;

/// `pointer` names the value at fault in the resolved document.
struct Violation {
  std::string pointer, message;
};

std::vector<Violation> check_platform(const PlatformSpec& platform, const std::string& pointer);
std::vector<Violation> check_scenario(const Scenario& scenario);

} // namespace gradflight
