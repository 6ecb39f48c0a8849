#include "analysis/run/prepare.hpp"

#include "base/input_file.hpp"
#include "base/paths.hpp"
#include "scenarios/language/decode/canonical.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/kinds/file_kinds.hpp"

#include <fmt/format.h>
#include <iterator>
#include <set>
#include <utility>

namespace gradflight {
namespace {

namespace fs = std::filesystem;

/// Finds scenarios below a directory, which may also contain platforms, workloads, packs and a schema. A file that
/// cannot be read counts as a scenario, so that its errors are reported.
std::vector<ScenarioFile> scenarios_below(const fs::path& directory) {
  const FilesBelow below = files_below(directory);
  if (!below.error.empty()) throw InputErrors({Diagnostic{below.unread.string(), 0, 0, "", below.error}});
  std::vector<ScenarioFile> found;
  for (const fs::path& path : below.files) {
    const std::string name = path.filename().string();
    if (path.extension() != ".json" || name == "schema.json" || name.ends_with(".schema.json")) continue;
    if (AnyFile file = read_any_file(path.string()); file.kind == FileKind::scenario)
      found.push_back({path, std::move(file.document)});
  }
  return found;
}

Prepared prepared_by(Preparation preparation, const fs::path& file, const Changes& changes, bool named = true) {
  Scenario scenario = load_changed_scenario(
      file.string(), changes, [&](const Scenario& s, Known known) { return preparation.build_and_expect(s, known); });
  std::string id = named ? scenario_id(scenario) : std::string();
  return preparation.finish(std::move(scenario), std::move(id));
}

} // namespace

std::vector<PlatformError> shape_errors(const Scenario& scenario, Known known) {
  return Preparation().build_and_expect(scenario, known);
}

Prepared prepare(const fs::path& file, const std::vector<std::string>& sets) {
  return prepare_changed(file, {sets, {}, {}});
}

Prepared prepare_to_look_at(const fs::path& file, const std::vector<std::string>& sets) {
  return prepared_by({.simulates = false}, file, {sets, {}, {}});
}

Prepared prepare_changed(const fs::path& file, const Changes& changes) { return prepared_by({}, file, changes); }

Prepared prepare_unnamed(const fs::path& file, const Changes& changes) { return prepared_by({}, file, changes, false); }

ScenarioSource scenario_source(const fs::path& path) {
  if (path != "-") return {path, {}};
  constexpr std::size_t most = std::size_t{1} << 30;
  FileText read = read_file("/dev/stdin", most);
  if (!read.error.empty()) throw InputErrors({Diagnostic{"standard input", 0, 0, "", read.error}});
  return {"standard input", std::move(read.text)};
}

Prepared prepare_changed(const ScenarioSource& source, const Changes& changes) {
  if (!source.text) return prepare_changed(source.path, changes);
  Preparation preparation;
  Scenario scenario =
      parse_changed_scenario(*source.text, source.path.string(), changes,
                             [&](const Scenario& s, Known known) { return preparation.build_and_expect(s, known); });
  std::string id = scenario_id(scenario);
  return preparation.finish(std::move(scenario), std::move(id));
}

Prepared prepare(ScenarioFile file) {
  Preparation preparation;
  Scenario scenario = decode_scenario(file.document, file.path.string(), [&](const Scenario& s, Known known) {
    return preparation.build_and_expect(s, known);
  });
  std::string id = scenario_id(scenario);
  return preparation.finish(std::move(scenario), std::move(id));
}

std::vector<ScenarioFile> scenario_files(const std::vector<fs::path>& paths) {
  std::vector<ScenarioFile> files;
  std::vector<Diagnostic> errors;
  std::error_code ignored;
  for (const fs::path& path : paths) {
    if (!fs::is_directory(path, ignored)) {
      files.push_back({path, read_scenario(path.string())});
      continue;
    }
    auto found = scenarios_below(path);
    if (found.empty()) errors.push_back({path.string(), 0, 0, "", "the directory contains no scenario file (*.json)"});
    std::move(found.begin(), found.end(), std::back_inserter(files));
  }
  if (!errors.empty()) throw InputErrors(std::move(errors));
  std::set<fs::path> seen; // without links to the directory; a link to a file has a name of its own
  std::erase_if(files, [&](const ScenarioFile& file) {
    const fs::path directory = real_path(absolute_path(file.path).parent_path());
    return !seen.insert(directory / file.path.filename()).second;
  });
  return files;
}

} // namespace gradflight
