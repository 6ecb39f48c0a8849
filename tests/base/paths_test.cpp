#include "base/paths.hpp"

#include "tests/support/temporary_directory.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace gradflight;
using test::TemporaryDirectory;

namespace fs = std::filesystem;

TEST_CASE("links and dots name the same real path, also of a file that does not exist", "[system]") {
  const TemporaryDirectory directory;
  fs::create_directory(directory.path("a"));
  fs::create_directory_symlink("a", directory.path("b"));
  CHECK(real_path(directory.path("b/none.json")) == real_path(directory.path("b/../a/none.json")));
  CHECK(real_path("none.json") == real_path("./none.json"));
  CHECK(real_path("none.json").is_absolute());
}

TEST_CASE("a path that cannot be examined remains as it is", "[system]") {
  const TemporaryDirectory directory;
  fs::create_symlink("loop", directory.path("loop"));
  CHECK(real_path(directory.path("loop/x.json")) == directory.path("loop/x.json"));
  CHECK(real_path(directory.path("loop/x.json")) != real_path(directory.path("loop/y.json")));
  const std::string long_name(300, 'x');
  CHECK(real_path(directory.path(long_name)) == directory.path(long_name));
}

TEST_CASE("in a deleted working directory, relative paths remain relative", "[system]") {
  const TemporaryDirectory directory;
  const fs::path before = fs::current_path();
  fs::create_directory(directory.path("gone"));
  fs::current_path(directory.path("gone"));
  fs::remove(directory.path("gone"));
  const fs::path absolute = absolute_path("x.json"), real = real_path("./x.json");
  fs::current_path(before);
  CHECK(absolute == "x.json");
  CHECK(real == "x.json");
}

TEST_CASE("the entries of a directory, or why they cannot be read", "[system]") {
  const TemporaryDirectory directory;
  std::error_code error;
  CHECK(entries_of(directory.path(), error).empty());
  CHECK(!error);
  directory.write("f", "");
  CHECK(entries_of(directory.path(), error) == std::vector<fs::path>{directory.path("f")});
  CHECK(entries_of(directory.path("none"), error).empty());
  CHECK(error == std::errc::no_such_file_or_directory);
}
