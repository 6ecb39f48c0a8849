#include "analysis/reproduction/fits_text.hpp"
#include "analysis/reproduction/scoreboard_text.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace gradflight;
using Catch::Contains;

namespace {

PackFigure figure(const std::string& id, FigureRole role, PublishedValue value, const std::string& expression = "") {
  PackFigure f;
  f.published.id = id;
  f.published.paper = "Toy";
  f.published.value = std::move(value);
  f.published.unit = "s";
  f.published.source = id == "other" ? "script" : "text";
  f.role = role;
  if (role == FigureRole::excluded) f.reason = "no timing";
  if (!expression.empty()) f.value.emplace(expression);
  return f;
}

/// Errors of +10 %, -20 %, +40 % and a fitted one of 0; a statement that holds and a range that does not.
struct Toy {
  Pack pack;
  Scoreboard board;
  Toy() {
    pack.paper = "Toy";
    pack.parameters.push_back({"beta",
                               "the link",
                               "c.json",
                               {"/b"},
                               Dimension::byte_rate,
                               "Gbps",
                               1.25e8,
                               1.25e6,
                               1e9,
                               1.25e6,
                               true,
                               "/fitted/0"});
    pack.figures = {figure("a", FigureRole::predicted, 10.0, "time_s(x)"),
                    figure("b", FigureRole::predicted, 10.0, "time_s(x)"),
                    figure("other", FigureRole::predicted, 10.0, "time_s(x)"),
                    figure("f", FigureRole::fitted, 10.0, "time_s(x)"),
                    figure("s", FigureRole::statement, true, "time_s(x) > 1"),
                    figure("r", FigureRole::statement, std::array{1.0, 2.0}, "time_s(x)"),
                    figure("i", FigureRole::input, 3.0),
                    figure("n", FigureRole::excluded, std::string("words")),
                    figure("v", FigureRole::excluded, 10.0, "time_s(x)")};
    pack.fits.push_back({{0}, {3}});
    PaperScore paper{&pack, {}, {}, false};
    const std::vector<double> readings = {11, 8, 14, 10, 2, 3, 0, 0, 90};
    for (std::size_t i = 0; i < pack.figures.size(); ++i)
      paper.figures.push_back(
          score(pack.figures[i], pack.figures[i].value ? std::vector{readings[i]} : std::vector<double>{}));
    board.push_back(std::move(paper));
  }
};

} // namespace

TEST_CASE("of no figures there is no median error") { CHECK_FALSE(summary_of({}).median.has_value()); }

TEST_CASE("errors are relative to what is reported, and only predicted figures count") {
  const Toy toy;
  const auto counts = counts_of(toy.board);
  CHECK(counts.predicted == 3);
  CHECK(counts.predicted_in_text == 2);
  CHECK(counts.fitted == 1);
  CHECK(counts.statements == 2);
  CHECK(counts.statements_held == 1);
  CHECK(counts.inputs == 1);
  CHECK(counts.excluded == 2);
  CHECK(counts.parameters == 1);
  CHECK(toy.board[0].figures[0].relative_error == Approx(0.1));
  CHECK(toy.board[0].figures[1].relative_error == Approx(-0.2));
  CHECK(toy.board[0].figures[8].relative_error == Approx(8)); // shown, not counted
  const auto errors = counts.errors();
  CHECK(errors.median.value() == Approx(0.2));
  CHECK(errors.p90.value() == Approx(0.2 + 0.8 * 0.2));
}

TEST_CASE("the scoreboard as JSON has the names that scripts use") {
  const Toy toy;
  const auto json = scoreboard_json(toy.board);
  REQUIRE(json["figures"].size() == 9);
  const auto& a = json["figures"][0];
  CHECK(a["id"] == "a");
  CHECK(a["paper"] == "Toy");
  CHECK(a["reported"] == 10.0);
  CHECK(a["simulated"] == 11.0);
  CHECK(a["relative_error"].get<double>() == Approx(0.1));
  CHECK(a["role"] == "predicted");
  CHECK(a["reason"].is_null());
  CHECK(json["figures"][4]["simulated"] == true);
  CHECK(json["figures"][4]["holds"] == true);
  CHECK(json["figures"][4]["relative_error"].is_null());
  CHECK(json["figures"][5]["reported"] == nlohmann::ordered_json({1.0, 2.0}));
  CHECK(json["figures"][5]["holds"] == false);
  CHECK(json["figures"][7]["reason"] == "no timing");
  CHECK(json["summary"]["predicted"] == 3);
  CHECK(json["summary"]["median_abs_error"].get<double>() == Approx(0.2));
  CHECK(json["summary"]["p90_abs_error"].get<double>() == Approx(0.36));
  CHECK(json["summary"]["fitted_parameters"] == 1);
  CHECK(json["papers"][0]["statements_held"] == 1);
  CHECK(json["parameters"][0]["text"] == "1Gbps +- 0.01Gbps");
  CHECK(json["parameters"][0]["fitted_to"] == nlohmann::ordered_json({"f"}));
}

TEST_CASE("the scoreboard as text says which errors are counted") {
  const Toy toy;
  const auto text = scoreboard_text(toy.board);
  CHECK_THAT(text, Contains("3 figures predicted (2 from the text): median |error| 20.0 %, 90th percentile 36.0 %"));
  CHECK_THAT(text, Contains("1 of 2 statements hold"));
  CHECK_THAT(text, Contains("+10 %  predicted"));
  CHECK_THAT(text, Contains("excluded   no timing"));
  CHECK_THAT(text, Contains("beta = 1Gbps +- 0.01Gbps  within 0.01Gbps .. 8Gbps  c.json /b"));
}

TEST_CASE("a figure without a finite value has no score") {
  const auto of = [](const std::string& expression, double reading) {
    const auto f = figure("a", FigureRole::predicted, 1e-300, expression);
    return score(f, {reading});
  };
  CHECK_THROWS_AS(of("1 / time_s(x)", 0), WhereError);
  CHECK_THROWS_AS(of("1e300 * time_s(x)", 1), WhereError); // so is its error beyond all numbers
  CHECK(of("1 / time_s(x)", 1e300).relative_error == Approx(0));
}

TEST_CASE("of few random sets no range is given") {
  CrossValidation sets{1, 2, 9, {0.1, 0.2, 0.3, 0.4}, {0.5, 0.5, 0.5, 0.5}};
  CHECK_THAT(cross_validation_text(sets),
             Contains("median |error| 25.0 %, 90th percentile 50.0 %: the middle set") && !Contains("range"));
  sets.medians.push_back(0.5);
  sets.p90s.push_back(0.5);
  CHECK_THAT(cross_validation_text(sets),
             Contains("30.0 % (14.0 % to 46.0 %), 90th percentile 50.0 % (50.0 % to 50.0 %): the middle set, and the"));
}
