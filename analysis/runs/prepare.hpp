// From a file to what can be simulated: decoded, built, identified. Nothing is simulated or written here.
#pragma once

#include "platforms/code/platform.hpp"
#include "scenarios/language/decode/document.hpp"
#include "scenarios/language/types/scenario.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

struct Prepared {
  Scenario scenario;
  Platform platform;
  std::string canonical, id;
};

/// Throws InputErrors with everything that is wrong with the file, the platform's shape included.
Prepared prepare(const std::filesystem::path& file, const std::vector<std::string>& sets = {});
Prepared prepare_changed(const std::filesystem::path& file, const Changes& changes);

/// What is wrong with the shape of a decoded scenario's platform (else it is `built`), or with the quantities that it
/// expects; pointers from the scenario's root.
std::vector<PlatformError> shape_errors(const Scenario& scenario, std::optional<Platform>& built);

/// `paths` with each directory replaced by the scenario files (*.json) below it, sorted by name. A directory without
/// any is an error (InputErrors).
std::vector<std::filesystem::path> scenario_files(const std::vector<std::filesystem::path>& paths);

} // namespace gradflight
