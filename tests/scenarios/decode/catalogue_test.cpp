// Every shipped JSON file decodes, and every shipped platform builds.
#include "platforms/code/platform.hpp"
#include "scenarios/language/kinds/file_kinds.hpp"
#include "tests/scenarios/support.hpp"
#include "tests/support/effort.hpp"

#include <catch2/catch.hpp>
#include <source_dir.hpp>

#include <algorithm>
#include <set>

using namespace gradflight;
using namespace gradflight::test;

namespace {

namespace fs = std::filesystem;

const fs::path source_dir = GF_SOURCE_DIR;

/// Returns the files sorted by name. The schemas beside the scenarios are not entries of the catalogue.
std::vector<fs::path> shipped(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(source_dir / folder))
    if (entry.path().extension() == ".json" && !entry.path().filename().string().ends_with("schema.json") &&
        entry.path().filename() != "index.json") // the captured gradients' index is not a file of these kinds
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Returns scenarios only: packs and their files are in the same folders.
std::vector<fs::path> shipped_scenario_files() {
  auto files = shipped("scenarios");
  std::erase_if(files, [](const fs::path& file) { return read_any_file(file.string()).kind != FileKind::scenario; });
  return files;
}

bool is_golden(const fs::path& file) { return file.string().starts_with((source_dir / "scenarios/golden").string()); }

/// Checks every file in `folder`: it has the expected kind, and no mistakes.
void all_are(const std::string& folder, FileKind kind) {
  const auto files = shipped(folder);
  CHECK_FALSE(files.empty());
  for (const auto& file : files) {
    CAPTURE(file.string());
    CHECK(errors_of([&] { CHECK(validate_file(file.string()) == kind); }).empty());
  }
}

} // namespace

TEST_CASE("every shipped platform decodes and builds") { all_are("platforms", FileKind::platform); }

TEST_CASE("every shipped workload decodes") { all_are("workloads", FileKind::workload); }

// A scenario that inherits its description would describe another one.
TEST_CASE("every shipped scenario decodes, with a name and a description of its own") {
  const auto files = shipped_scenario_files();
  CHECK_FALSE(files.empty());
  std::set<std::string> names, descriptions;
  for (std::size_t i = 0; i < files.size(); i += test::is_sanitized ? 4 : 1) {
    const auto& file = files[i];
    CAPTURE(file.string());
    CHECK(errors_of([&] {
            const auto scenario = load_scenario(file.string());
            CHECK(scenario.name != file.stem().string());
            CHECK_FALSE(scenario.description.empty());
            CHECK_NOTHROW(build_platform(scenario.platform, 0));
            if (is_golden(file)) return; // uses another scenario's numbers, under that scenario's name
            CHECK(names.insert(scenario.name).second);
            CHECK(descriptions.insert(scenario.description).second);
          }).empty());
  }
}
