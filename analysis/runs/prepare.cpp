#include "analysis/runs/prepare.hpp"

#include "scenarios/language/decode/canonical.hpp"
#include "scenarios/language/decode/load.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace gradflight {
namespace {

namespace fs = std::filesystem;

/// What is not meant to be run may lie beside scenarios: platforms, workloads, packs, a schema. A file that cannot be
/// read counts as a scenario, so that its errors are told.
bool is_scenario(const fs::path& file) {
  const std::string name = file.filename().string();
  if (name == "schema.json" || name.ends_with(".schema.json")) return false;
  const auto kind = file_kind(file.string());
  if (kind == FileKind::pack || kind == FileKind::fits || kind == FileKind::published) return false;
  try {
    return validate_file(file.string()) == FileKind::scenario;
  } catch (const InputErrors&) {
    return true;
  }
}

std::vector<fs::path> scenarios_below(const fs::path& directory) {
  std::vector<fs::path> found;
  for (const auto& entry : fs::recursive_directory_iterator(directory, fs::directory_options::skip_permission_denied))
    if (entry.path().extension() == ".json" && entry.is_regular_file() && is_scenario(entry.path()))
      found.push_back(entry.path());
  std::sort(found.begin(), found.end());
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

std::vector<fs::path> scenario_files(const std::vector<fs::path>& paths) {
  std::vector<fs::path> files;
  std::vector<Diagnostic> errors;
  for (const fs::path& path : paths) {
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      files.push_back(path);
      continue;
    }
    const auto found = scenarios_below(path);
    if (found.empty()) errors.push_back({path.string(), 0, 0, "", "no scenario file (*.json) in this directory"});
    files.insert(files.end(), found.begin(), found.end());
  }
  if (!errors.empty()) throw InputErrors(std::move(errors));
  return files;
}

} // namespace gradflight
