// Published figures: ids, duplicates, and the figures in the repository.
#include "tests/scenarios/packs/pack_support.hpp"

#include <catch2/catch.hpp>
#include <source_dir.hpp>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

TEST_CASE("published figures have ids of their own, and duplicates of something") {
  const TemporaryDirectory directory;
  const auto errors = [&](const std::string& figures) {
    return errors_of([&] { load_published(directory.write("f.json", "[" + figures + "]")); });
  };
  CHECK_THAT(errors(figure("a", "1") + "," + figure("a", "2")), Contains("/1/id: \"a\" appears twice"));
  CHECK_THAT(errors(figure("a", "1", R"J(, "dup_of": "b")J")), Contains("/0/dup_of: unknown figure \"b\""));
  CHECK_THAT(errors(figure("a", "1", R"J(, "dup_of": "a")J")), Contains("a figure cannot be a duplicate of itself"));
  CHECK_THAT(errors(figure("a", "[2, 1]")), Contains("/0/value: expected a number, true or false, a range"));
  CHECK_THAT(errors(figure("a", "null")), Contains("/0/value: expected a number"));
  CHECK_THAT(errors(figure("a", "1", R"J(, "valeu": 1)J")), Contains("unknown key \"valeu\""));
  CHECK(errors(figure("a", "1") + "," + figure("a.b", "1") + "," + figure("c", "[1, 2]", R"J(, "dup_of": "a")J"))
            .empty());
}

TEST_CASE("a duplicate of a group is one of each figure in it") {
  const TemporaryDirectory directory;
  const auto figures =
      load_published(directory.write("f.json", "[" + figure("t.1", "1") + "," + figure("t.2", "2") + "," +
                                                   figure("share", "[1, 2]", R"J(, "dup_of": "t")J") + "]"));
  const auto copies = copies_of(figures);
  CHECK(copies.groups[2] == std::vector<std::size_t>{0, 1});
  CHECK(copies.same[0].empty()); // they are not duplicates of each other
}

TEST_CASE("the committed figures are read whole") {
  const auto figures = load_published(std::string(GF_SOURCE_DIR) + "/scenarios/published/figures.json");
  CHECK(figures.size() == 540);
}
