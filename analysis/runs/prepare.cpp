#include "analysis/runs/prepare.hpp"

#include "scenarios/language/decode/canonical.hpp"
#include "scenarios/language/kinds/file_kinds.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <utility>

namespace gradflight {
namespace {

namespace fs = std::filesystem;

/// What is not meant to be run may lie beside scenarios: platforms, workloads, packs, a schema. A file that cannot be
/// read counts as a scenario, so that its errors are told.
std::vector<ScenarioFile> scenarios_below(const fs::path& directory) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(directory, fs::directory_options::skip_permission_denied)) {
    const std::string name = entry.path().filename().string();
    if (name == "schema.json" || name.ends_with(".schema.json")) continue;
    if (entry.path().extension() == ".json" && entry.is_regular_file()) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<ScenarioFile> found;
  for (const fs::path& path : paths)
    if (AnyFile file = read_any_file(path.string()); file.kind == FileKind::scenario)
      found.push_back({path, std::move(file.document)});
  return found;
}

} // namespace

std::vector<PlatformError> shape_errors(const Scenario& scenario) { return Preparation().build_and_expect(scenario); }

Prepared prepare(const fs::path& file, const std::vector<std::string>& sets) {
  return prepare_changed(file, {sets, {}, {}});
}

Prepared prepare_changed(const fs::path& file, const Changes& changes) {
  Preparation preparation;
  Scenario scenario =
      load_changed_scenario(file.string(), changes, [&](const Scenario& s) { return preparation.build_and_expect(s); });
  std::string id = scenario_id(scenario);
  return preparation.finish(std::move(scenario), std::move(id));
}

Prepared prepare(ScenarioFile file) {
  Preparation preparation;
  Scenario scenario = decode_scenario(file.document, file.path.string(),
                                      [&](const Scenario& s) { return preparation.build_and_expect(s); });
  std::string id = scenario_id(scenario);
  return preparation.finish(std::move(scenario), std::move(id));
}

std::vector<ScenarioFile> scenario_files(const std::vector<fs::path>& paths) {
  std::vector<ScenarioFile> files;
  std::vector<Diagnostic> errors;
  for (const fs::path& path : paths) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      files.push_back({path, read_scenario(path.string())});
      continue;
    }
    auto found = scenarios_below(path);
    if (found.empty()) errors.push_back({path.string(), 0, 0, "", "no scenario file (*.json) in this directory"});
    std::move(found.begin(), found.end(), std::back_inserter(files));
  }
  if (!errors.empty()) throw InputErrors(std::move(errors));
  return files;
}

} // namespace gradflight
