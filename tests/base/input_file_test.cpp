#include "base/input_file.hpp"

#include "tests/support/temporary_directory.hpp"
#include "tests/support/without_privileges.hpp"

#include <array>
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

TEST_CASE("content has the name of its file, but not the number of a pipe") {
  CHECK(name_of("jobs/ring.json") == "ring");
  CHECK(name_of("/dev/stdin") == "stdin");
  CHECK(name_of("/dev/fd/63") == "pipe");
  CHECK(name_of("/proc/self/fd/63") == "pipe");
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
  CHECK(read_file(path, 2).text == "te");
  CHECK(read_file(path, enough).text == "text");
  close(reader);
}

TEST_CASE("a pipe holds the same bytes for every reader, and two pipes hold their own") {
  std::array<int, 2> first{}, second{};
  REQUIRE(pipe(first.data()) == 0);
  REQUIRE(pipe(second.data()) == 0);
  REQUIRE(write(first[1], "first", 5) == 5);
  REQUIRE(write(second[1], "second", 6) == 6);
  close(first[1]);
  const auto path = [](int descriptor) { return "/dev/fd/" + std::to_string(descriptor); };
  CHECK(read_file(path(second[0]), 3).text == "sec"); // the pipe still has a writer
  REQUIRE(write(second[1], ".", 1) == 1);
  close(second[1]);
  for (int again = 0; again < 3; ++again) {
    CHECK(read_file(path(first[0]), enough).text == "first");
    CHECK(read_file("/proc/self/fd/" + std::to_string(first[0]), enough).text == "first");
    CHECK(read_file(path(second[0]), enough).text == "second.");
  }
  close(first[0]);
  close(second[0]);
}

TEST_CASE("relative paths in a pipe are seen from the current directory") {
  CHECK(directory_of("/dev/fd/63").empty());
  CHECK(directory_of("/dev/stdin").empty());
  CHECK(directory_of("/proc/self/fd/3").empty());
  CHECK(directory_of("folder/s.json") == "folder");
  CHECK(directory_of("/tmp/pipe") == "/tmp");
  CHECK(directory_of("s.json").empty());
}
