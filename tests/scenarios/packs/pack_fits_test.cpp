// The results stored beside a pack, and when they are still valid.
#include "scenarios/language/kinds/file_kinds.hpp"
#include "tests/scenarios/packs/pack_support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

TEST_CASE("fits are kept beside the pack, and read as they were written") {
  const Packs packs;
  const auto pack = packs.load({});
  CHECK_FALSE(load_fits(pack).has_value());
  CHECK(fits_path(pack) == packs.directory.path("reproduce-fits.json"));
  PackFits fits{"0123",
                {{"t", 2, 9, 0.03, 0.1, {{"beta", "2Gbps"}}, {"alpha"}, {"a.1"}}},
                CrossValidation{7, 2, 9, {0.1, 0.3}, {0.2, 1. / 3}}};
  packs.directory.write("reproduce-fits.json", fits_json(fits));
  const auto read = load_fits(pack).value();
  CHECK(fits_json(read) == fits_json(fits));
  CHECK(read.cross_validation->p90s[1] == 1. / 3);
  CHECK(read.transfers[0].held == std::vector<std::string>{"alpha"});
  packs.directory.write("reproduce-fits.json", R"J({ "digest": "x", "transfers": [], "seed": 1 })J");
  CHECK_THAT(errors_of([&] { load_fits(pack); }), Contains("unknown key \"seed\""));
  CHECK(read_any_file(fits_path(pack)).kind == FileKind::fits);
  CHECK(read_any_file(pack.file).kind == FileKind::pack);
  CHECK(read_any_file(packs.directory.path("figures.json")).kind == FileKind::published);
}

TEST_CASE("the digest changes with what the results depend on, and with nothing else") {
  const Packs packs;
  const std::vector<std::string> ids = {"1", "2"};
  const auto digest = [&](const PackText& text) { return pack_digest(packs.load(text), ids); };
  const auto before = digest({});
  PackText text;
  text.fitted.insert(text.fitted.size() - 2, R"J(, "uncertainty": "1Gbps")J");
  CHECK(digest(text) == before); // `calibrate` wrote it
  text.figures.replace(text.figures.find("2 * time"), 1, "3");
  CHECK(digest(text) != before);
  CHECK(pack_digest(packs.load({}), {"1", "3"}) != before);
  packs.directory.write("figures.json",
                        std::string(published).replace(published.find("\"value\": 2"), 10, "\"value\": 3"));
  CHECK(digest({}) != before);
}
