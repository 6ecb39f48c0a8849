// Prepares files for simulation: decodes, builds and identifies scenarios. Does not simulate or write.
#pragma once

#include "analysis/run/prepared.hpp"
#include "scenarios/language/decode/document.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace gradflight {

/// Throws InputErrors with all mistakes in the file, including the shape of the platform.
Prepared prepare(const std::filesystem::path& file, const std::vector<std::string>& sets = {});
/// The same without the limit of messages, for scenarios that will not be simulated.
Prepared prepare_to_look_at(const std::filesystem::path& file, const std::vector<std::string>& sets);
Prepared prepare_changed(const std::filesystem::path& file, const Changes& changes);
/// Prepares without an id, because computing it takes as long as a small simulation.
Prepared prepare_unnamed(const std::filesystem::path& file, const Changes& changes);

/// A scenario that is prepared several times with changes: a file, or the content of standard input.
struct ScenarioSource {
  std::filesystem::path path;
  std::optional<std::string> text{}; ///< absent: read from the file
};
/// `path` "-" means standard input, which is read to its end here. Throws InputErrors if that fails.
ScenarioSource scenario_source(const std::filesystem::path& path);
Prepared prepare_changed(const ScenarioSource& source, const Changes& changes);

/// A scenario file after reading, with all files that it names.
struct ScenarioFile {
  std::filesystem::path path;
  Document document;
};
Prepared prepare(ScenarioFile file);

/// Returns mistakes in the shape of a decoded scenario's platform, or in its expected quantities. Pointers start at the
/// scenario's root.
std::vector<PlatformError> shape_errors(const Scenario& scenario, Known known = Known::all);

/// Replaces each directory in `paths` by the scenario files (*.json) below it, sorted by name. A file that is
/// named twice counts once. Reads each file without decoding. A directory without scenarios is an error (InputErrors).
std::vector<ScenarioFile> scenario_files(const std::vector<std::filesystem::path>& paths);

} // namespace gradflight
