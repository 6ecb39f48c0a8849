// The ids of assumptions: a single list with distinct names, all of them documented.
#include "analysis/run/forms/closed_form.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <set>
#include <source_dir.hpp>

using namespace gradflight;

TEST_CASE("every assumption has a name of its own, and a row in the documentation", "[analysis][closed-form]") {
  std::ifstream file(GF_SOURCE_DIR "/docs/closed-forms.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  REQUIRE_FALSE(page.empty());
  std::set<std::string_view> names;
  for (const AssumptionInfo& info : assumption_ids()) {
    INFO(info.name);
    CHECK(names.insert(info.name).second);
    CHECK(name(info.id) == info.name);
    CHECK(info.documentation.ends_with('.'));
    CHECK(page.find(fmt::format("`{}`", info.name)) != std::string::npos);
  }
}

TEST_CASE("a form's failed assumptions are ids with details", "[analysis][closed-form]") {
  ClosedForm form;
  form.assumptions = {assume(AssumptionId::links_alike, "links of level 1 up alike", false, "node 3 has 1 Gbps"),
                      assume(AssumptionId::one_stream, "one communication stream", true, "dropped"),
                      assume(AssumptionId::divisible, "n divisible by p", false, "5 elements, p is 2")};
  const std::vector<Assumption> failed = form.failed();
  REQUIRE(failed.size() == 2);
  CHECK(failed[0].id == AssumptionId::links_alike);
  CHECK(failed[0].detail == "node 3 has 1 Gbps");
  CHECK(failed[1].id == AssumptionId::divisible);
  CHECK(form.assumptions[1].detail.empty());
  CHECK(form.cause() == "an assumption fails: links of level 1 up alike (node 3 has 1 Gbps); an assumption fails: n "
                        "divisible by p (5 elements, p is 2)");
  CHECK_FALSE(form.all_hold());
}
