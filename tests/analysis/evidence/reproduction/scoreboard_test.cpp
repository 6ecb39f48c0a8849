#include "analysis/evidence/reproduction/pack_sensitivity.hpp"
#include "analysis/evidence/reproduction/scoreboard_output.hpp"

#include <array>
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

/// Errors of +10 %, -20 %, +40 %, and 0 for a fitted figure; a statement that holds, and a range that does not.
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
  CHECK(toy.board[0].figures[8].relative_error == Approx(8)); // shown, but not counted
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
  CHECK_THROWS_AS(of("1e300 * time_s(x)", 1), WhereError); // its error is out of range, too
  CHECK(of("1 / time_s(x)", 1e300).relative_error == Approx(0));
}

TEST_CASE("the pack's own fit set stands among the random ones") {
  const CrossValidation sets{1, 2, 9, {0.1, 0.2, 0.3, 0.4}, {0.5, 0.6, 0.7, 0.8}};
  const ErrorStatistics own{.count = 7, .median = 0.25, .p90 = 0.55};
  CHECK_THAT(cross_validation_text(sets, own),
             Contains("the pack's own set: 25.0 % and 55.0 %, better than 2 and 3 of the 4"));
  const auto json = fits_json(PackFits{"x", {}, sets}, false, own);
  CHECK(json["cross_validation"]["own"]["median_better_than"] == 2);
  CHECK(json["cross_validation"]["own"]["p90_better_than"] == 3);
  CHECK(fits_json(PackFits{"x", {}, sets}, false, {})["cross_validation"]["own"].is_null());
}

TEST_CASE("of few random sets no range is given") {
  CrossValidation sets{1, 2, 9, {0.1, 0.2, 0.3, 0.4}, {0.5, 0.5, 0.5, 0.5}};
  CHECK_THAT(cross_validation_text(sets, {}),
             Contains("median |error| 25.0 %, 90th percentile 50.0 %: the middle set") && !Contains("range"));
  sets.medians.push_back(0.5);
  sets.p90s.push_back(0.5);
  CHECK_THAT(cross_validation_text(sets, {}),
             Contains("30.0 % (14.0 % to 46.0 %), 90th percentile 50.0 % (50.0 % to 50.0 %): the middle set, and the"));
}

TEST_CASE("a figure is dependent where it is mostly input time or follows one fitted number") {
  Pack pack;
  pack.parameters.resize(2);
  pack.parameters[0].name = "beta";
  pack.parameters[1].name = "jitter";
  pack.input_numbers.resize(2);
  pack.input_numbers[0].time = true;
  CHECK(dependent_reason(pack, {-0.985, 0, 0.01, 0}, 0.01) == "in proportion to one fitted number, beta");
  CHECK(dependent_reason(pack, {-0.985, 0.02, 0.01, 0}, 0.01).empty()); // another number has an effect
  CHECK(dependent_reason(pack, {-0.97, 0, 0, 0}, 0).empty());
  CHECK(dependent_reason(pack, {0.1, 0, 0.8, 0}, 0.8) == "80.0 % of it is input time");
  CHECK(dependent_reason(pack, {0.1, 0, 0.75, 0.9}, 0.75).empty());
}

TEST_CASE("failed figures, input time and closed forms are counted beside the predicted ones") {
  Pack pack;
  pack.figures = {
      figure("a", FigureRole::predicted, 10.0, "time_s(x)"), figure("b", FigureRole::predicted, 10.0, "time_s(x)"),
      figure("c", FigureRole::failed, 10.0, "time_s(x)"), figure("d", FigureRole::dependent, 10.0, "time_s(x)")};
  pack.choices.resize(3);
  PaperScore paper{&pack, {}, {}, false};
  const std::vector<double> simulated = {11, 12, 20, 10};
  for (std::size_t i = 0; i < simulated.size(); ++i) paper.figures.push_back(score(pack.figures[i], {simulated[i]}));
  paper.figures[0].closed_form = 11.05; // within 1 % of the simulation
  paper.figures[1].closed_form = 11;
  paper.figures[0].input_share = 0.5;
  paper.figures[1].input_share = 1; // no other time is left
  const auto counts = paper.counts();
  CHECK(counts.predicted == 2);
  CHECK(counts.dependent == 1);
  CHECK(counts.choices == 3);
  CHECK(counts.errors_with_failed().count == 3);
  CHECK(counts.errors_with_failed().median.value() == Approx(0.2));
  REQUIRE(counts.non_input_errors.size() == 1);
  CHECK(counts.non_input_errors[0] == Approx(0.2)); // 10 % of a time, half of which is input time
  REQUIRE(counts.against_form.form.size() == 1);
  CHECK(counts.against_form.form[0] == Approx(0.1));
  CHECK(counts.against_form.closer() == 0);
  CHECK(counts_of(std::array{paper, paper}).against_form.simulation.size() == 2);
  paper.figures[1].dependent_because = "in proportion to one fitted number, beta";
  CHECK(paper.counts().predicted == 1);
  CHECK(paper.counts().dependent == 2);
}
