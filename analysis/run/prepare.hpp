// From files to what can be simulated: decoded, built, identified. Nothing is simulated or written here.
#pragma once

#include "analysis/run/prepared.hpp"
#include "scenarios/language/decode/document.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// Throws InputErrors with everything that is wrong with the file, the platform's shape included.
Prepared prepare(const std::filesystem::path& file, const std::vector<std::string>& sets = {});
/// The same of what will not be simulated: there may be too much of it.
Prepared prepare_to_look_at(const std::filesystem::path& file, const std::vector<std::string>& sets);
Prepared prepare_changed(const std::filesystem::path& file, const Changes& changes);
/// Without an id, which takes as long as small simulations do.
Prepared prepare_unnamed(const std::filesystem::path& file, const Changes& changes);

/// A scenario that is prepared several times, with changes: a file, or what standard input held.
struct ScenarioSource {
  std::filesystem::path path;
  std::optional<std::string> text{}; ///< absent: the file's
};
/// `path` "-": standard input, read to its end here; throws InputErrors where that cannot be.
ScenarioSource scenario_source(const std::filesystem::path& path);
Prepared prepare_changed(const ScenarioSource& source, const Changes& changes);

/// A scenario file as it was read, with everything it names.
struct ScenarioFile {
  std::filesystem::path path;
  Document document;
};
Prepared prepare(ScenarioFile file);

/// What is wrong with the shape of a decoded scenario's platform, or with the quantities that it expects; pointers from
/// the scenario's root.
std::vector<PlatformError> shape_errors(const Scenario& scenario);

/// `paths` with each directory replaced by the scenario files (*.json) below it, sorted by name; each is read, none
/// decoded. A directory without any is an error (InputErrors).
std::vector<ScenarioFile> scenario_files(const std::vector<std::filesystem::path>& paths);

} // namespace gradflight
