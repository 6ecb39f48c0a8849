#include "analysis/evidence/reproduction/pack_choice.hpp"

#include "scenarios/language/json/diagnostics.hpp"
#include "source_dir.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace gradflight;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

const fs::path shipped = fs::path(GF_SOURCE_DIR) / "scenarios";

} // namespace

TEST_CASE("packs are found below a directory, or the ones that are named, whatever their case") {
  const auto all = chosen_packs(shipped, {});
  REQUIRE(all.size() >= 2);
  CHECK(std::ranges::is_sorted(all));
  for (const auto& pack : all) CHECK(pack.filename() == "reproduce.json");
  CHECK(chosen_packs(shipped, {"3LC"}) == std::vector{shipped / "3lc" / "reproduce.json"});
  CHECK(chosen_packs(shipped / "3lc", {}) == std::vector{shipped / "3lc" / "reproduce.json"});
}

TEST_CASE("papers without a pack are all told, and the nearest name") {
  try {
    chosen_packs(shipped, {"3lk", "nobody", "3lc"});
    FAIL("found");
  } catch (const InputErrors& errors) {
    REQUIRE(errors.diagnostics().size() == 2);
    CHECK_THAT(errors.format(), Contains("\"3lk\"; did you mean \"3lc\"?"));
  }
  CHECK_THROWS_AS(chosen_packs(shipped / "traces", {}), InputErrors); // no pack in this directory
  CHECK_THROWS_AS(chosen_packs(shipped / "nowhere", {}), InputErrors);
}
