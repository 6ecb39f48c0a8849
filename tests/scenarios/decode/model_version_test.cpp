// Changes of golden numbers need a new model version, because the version contains a digest of them.
#include "scenarios/language/decode/model_version.hpp"

#include "base/digest.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <source_dir.hpp>
#include <vector>

using namespace gradflight;

namespace {

namespace fs = std::filesystem;

/// Returns a line for each expected number in a golden file: "examples/ring.json time_s 0.1".
std::string golden_numbers() {
  const fs::path golden = fs::path(GF_SOURCE_DIR) / "scenarios/golden";
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(golden))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::string lines;
  for (const auto& file : files) {
    std::vector<Problem> problems;
    const auto root = parse_json(read_file(file.string()).text, 0, problems);
    REQUIRE(root);
    const auto* expect = root->find("expect");
    if (expect == nullptr) continue;
    for (const auto& item : expect->items)
      lines += fmt::format("{} {} {}\n", file.lexically_relative(golden).generic_string(), item.find("quantity")->text,
                           item.find("value")->text);
  }
  return lines;
}

} // namespace

TEST_CASE("the model version is that of the golden numbers") {
  const auto lines = golden_numbers();
  CHECK(std::count(lines.begin(), lines.end(), '\n') > 500);
  INFO(
      "A golden number was accepted, or is new: let scenarios/language/decode/model_version.hpp say what stands right");
  CHECK(std::string(model_version) == "gradflight-model-" + digest(lines));
}
