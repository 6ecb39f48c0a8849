#include "base/input_file.hpp"

#include "tests/support/temporary_directory.hpp"
#include "tests/support/without_privileges.hpp"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace gradflight;
using test::TemporaryDirectory;

namespace {
constexpr std::size_t enough = 1 << 20;
} // namespace

TEST_CASE("a file is read whole, or as far as is asked for", "[system]") {
  const TemporaryDirectory directory;
  const std::string path = directory.write("f", "some text");
  CHECK(read_file(path, enough).text == "some text");
  CHECK(read_file(path, 4).text == "some");
  CHECK(read_file("/dev/null", enough).text.empty());
  CHECK(read_file("/dev/null", enough).error.empty());
  CHECK(read_file("/dev/zero", 5).text == std::string(5, '\0'));
}

TEST_CASE("what cannot be read says why", "[system]") {
  const TemporaryDirectory directory;
  CHECK(read_file(directory.path("none"), enough).error == "no such file");
  CHECK(read_file(directory.write("f", "") + "/below", enough).error == "no such file");
  CHECK(read_file(directory.path(), enough).error == "it is a directory, not a file");
}

TEST_CASE("a folder that cannot be read is not taken for an empty one", "[system]") {
  namespace fs = std::filesystem;
  const TemporaryDirectory directory;
  fs::create_directory(directory.path("shut"));
  directory.write("b", "");
  directory.write("shut/a", "");
  CHECK(files_below(directory.path()).files == std::vector<fs::path>{directory.path("b"), directory.path("shut/a")});
  fs::permissions(directory.path(), fs::perms::all);
  fs::permissions(directory.path("shut"), fs::perms::none);
  {
    const test::WithoutPrivileges nobody;
    for (const auto* name : {"", "shut"}) {
      const FilesBelow found = files_below(directory.path(name));
      CHECK(found.error == "cannot be read: Permission denied");
      CHECK(fs::equivalent(found.unread, directory.path("shut")));
    }
  }
  fs::permissions(directory.path("shut"), fs::perms::owner_all);
}

TEST_CASE("a pipe is read to its end, and refused where nobody writes to it", "[system]") {
  const TemporaryDirectory directory;
  const std::string path = directory.path("pipe");
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  CHECK(read_file(path, enough).error == "it is a pipe that nobody writes to");
  const int reader = open(path.c_str(), O_RDONLY | O_NONBLOCK);
  const int writer = open(path.c_str(), O_WRONLY);
  REQUIRE(write(writer, "text", 4) == 4);
  close(writer);
  CHECK(read_file(path, enough).text == "text");
  close(reader);
}
