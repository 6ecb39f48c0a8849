// Both versions of the format for gradients (docs/capture.md) contain the same values, plain and compressed.
#include "scenarios/language/tables/training/gradient_index.hpp"

#include "tests/scenarios/support.hpp"
#include "workloads/code/gradients.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <source_dir.hpp>

using namespace gradflight;
namespace fs = std::filesystem;

namespace {

const std::string gradients = GF_SOURCE_DIR "/tests/scenarios/data/gradients/";

Workload tiny() {
  Workload workload;
  workload.layers = {{"a", 1e-6, 2e-6, {{"a.weight", 4}, {"a.bias", 2}}}, {"b", 1e-6, 2e-6, {{"b.weight", 3}}}};
  return workload;
}

TEST_CASE("captured gradients of version 1 and of version 2 have the same values") {
  const auto plain = read_gradient_index(gradients + "version-1"),
             packed = read_gradient_index(gradients + "version-2");
  REQUIRE(plain.error.empty());
  REQUIRE(packed.error.empty());
  CHECK(plain.files.path(1, 0) == gradients + "version-1/gradients/late/worker-0.npy");
  CHECK(packed.files.path(1, 0) == gradients + "version-2/gradients/late/worker-0.npy.gz");
  Gradients first(plain.files, tiny()), second(packed.files, tiny());
  // The last tensor comes first: b.weight, then a.bias and a.weight.
  const std::vector<float> early = {0, -128, 256, 16, -32, 0, -2, 4, 0};
  const auto got = first.worker(0, 0);
  CHECK(std::vector<float>(got.begin(), got.end()) == early);
  for (std::size_t point = 0; point < 2; ++point)
    for (int worker = 0; worker < 2; ++worker) {
      const auto a = first.worker(point, worker), b = second.worker(point, worker);
      CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
    }
}

TEST_CASE("an index of another version is refused by name") {
  const fs::path copy = fs::temp_directory_path() / "gf-gradients-version-3";
  fs::create_directories(copy);
  std::ofstream(copy / "index.json") << R"({ "format": "gradflight-gradients", "version": 3 })";
  CHECK(read_gradient_index(copy.string()).error ==
        (copy / "index.json").string() + ": \"version\" is 3; expected 1 or 2");
  fs::remove_all(copy);
}

TEST_CASE("a capture with a missing or cut file is refused with its name") {
  const fs::path copy = fs::temp_directory_path() / "gf-gradients-cut";
  fs::remove_all(copy);
  fs::copy(gradients + "version-1/gradients", copy, fs::copy_options::recursive);
  CHECK(read_gradient_index(copy.string()).error.empty());
  const fs::path file = copy / "late" / "worker-1.npy";
  fs::resize_file(file, fs::file_size(file) / 4);
  CHECK(read_gradient_index(copy.string()).error ==
        file.string() + ": has 41 bytes, but 9 values of float32 take 36 and a header");
  fs::remove(file);
  CHECK(read_gradient_index(copy.string()).error == file.string() + ": No such file or directory");
  fs::remove_all(copy);
}

TEST_CASE("gradients of other tensors are refused, and so is an index without their sizes") {
  const auto told = [](const char* first, const char* last) {
    return test::errors_of_text(
        std::string(
            R"({ "platform": { "nodes": 2, "network": { "topology": "star", "link": { "bandwidth": "1Gbps" } } },
            "workload": { "tensors": [ { "name": "x", "elements": )") +
        first + R"( }, { "name": "y", "elements": 2 }, { "name": "z", "elements": )" + last +
        R"( } ] }, "training": { "exchange": { "algorithm": "ring" }, "compression": { "tensors": ")" + gradients +
        R"(version-1" } } })");
  };
  CHECK(told("4", "3").empty());
  CHECK_THAT(told("3", "4"), Catch::Contains("/training/compression/tensors: tensor 0 of the gradients has 4 elements, "
                                             "but tensor \"x\" of the workload has 3"));
  const fs::path copy = fs::temp_directory_path() / "gf-gradients-sizes";
  fs::create_directories(copy);
  std::ofstream(copy / "index.json")
      << R"({ "format": "gradflight-gradients", "version": 1, "elements": 9, "workers": 2,
      "points": [ { "name": "a" } ], "tensors": [ { "name": "x" } ] })";
  CHECK(read_gradient_index(copy.string()).error ==
        (copy / "index.json").string() + ": each of \"tensors\" must have \"elements\", a whole number from 1");
  fs::remove_all(copy);
}

} // namespace
