// All kinds of mistakes in a pack, and their positions.
#include "tests/scenarios/packs/pack_support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

TEST_CASE("every figure has one role") {
  const Packs packs;
  PackText text;
  text.inputs = "[]";
  text.excluded = R"J([{ "id": "a.1", "why": "w" }, { "id": "y", "why": "w" }])J";
  const auto errors = packs.errors(text);
  CHECK_THAT(errors, Contains("reproduce.json:1:12: /paper: 2 figures of Toy have no role: x, z"));
  CHECK_THAT(errors, Contains("/excluded/0/id: \"a.1\" is excluded here, but it already is a figure of a fit"));
  CHECK_THAT(errors, Contains("/excluded/1/id: \"y\" is not a published figure of this paper"));
}

TEST_CASE("a figure's value is of the kind that is printed") {
  const Packs packs;
  PackText text;
  text.figures = R"J([{ "id": "a.{p}", "for": { "p": [1, 2, 4] }, "value": "time_s(p{p}) < 1" },
      { "id": "d", "value": "time_s(p1)" }, { "id": "e", "value": "time_s(p1) > 1" }, { "id": "z", "value": "time_s(p1)" }])J";
  text.excluded = "[]";
  text.fits = "[]";
  text.fitted = "[]";
  const auto errors = packs.errors(text);
  CHECK_THAT(errors, Contains("\"a.1\" is printed as 1: expected a number, not a condition"));
  CHECK_THAT(errors, Contains("\"d\" is printed as true: expected a condition, which is true or false"));
  CHECK_THAT(errors, Contains("\"e\" is printed as [1, 3]: expected a number, not a condition"));
  CHECK_THAT(errors, Contains("\"z\" is printed as 0, which has no relative error; exclude it"));
}

TEST_CASE("mistakes in values are told at their character") {
  const Packs packs;
  PackText text;
  text.figures = R"J([{ "id": "a.{p}", "for": { "p": [1, 2, 4] }, "value": "{p} * time_s(q{p})" },
      { "id": "d", "value": "1 <" }, { "id": "e", "value": "2" }, { "id": "a.1", "value": "time_s(p1)" },
      { "id": "a.{q}", "for": { "p": [1] }, "value": "time_s(p1)" }, { "id": "a.9", "value": "{p}" }])J";
  const auto errors = packs.errors(text);
  CHECK_THAT(errors, Contains("reproduce.json:6:82: /figures/0/value: \"q1\" is not an experiment of this pack"));
  CHECK_THAT(errors, Contains("/figures/0/value: \"q4\" is not an experiment"));
  CHECK_THAT(errors, Contains("/figures/1/value: expected a value, got the end"));
  CHECK_THAT(errors, Contains("/figures/2/value: the expression uses no experiment"));
  CHECK_THAT(errors, Contains("/figures/3/id: \"a.1\" already has a value"));
  CHECK_THAT(errors, Contains("/figures/4/id: \"for\" has no \"q\"; did you mean \"p\"?"));
  CHECK_THAT(errors, Contains("/figures/5/value: {p} has no value: the entry has no \"for\""));
  CHECK_THAT(errors, !Contains("no role")); // the mistakes in their values are reported instead
}

TEST_CASE("mistakes in parameters") {
  const Packs packs;
  const auto errors = [&](const std::string& at, const std::string& bounds, const std::string& more = "") {
    PackText text;
    text.fitted = fmt::format(
        R"J([{{ "name": "beta", "file": "cluster.json", "at": {}, "bounds": {}, "why": "w"{} }}])J", at, bounds, more);
    return packs.errors(text);
  };
  const std::string link = "\"/network/link/bandwidth\"", good = R"J(["1Gbps", "100Gbps"])J";
  CHECK(errors(link, good).empty());
  CHECK_THAT(errors("\"/network/link/b\"", good), Contains("/fitted/0/at: \"/network/link/b\" does not exist in"));
  CHECK_THAT(errors("\"/network/link\"", good), Contains("expected a number or a quantity with a unit at that place"));
  CHECK_THAT(errors("\"/network/topology\"", good),
             Contains("expected a number or a quantity with a unit at that place"));
  CHECK_THAT(errors(R"J(["/network/link/bandwidth", "/network/link/latency"])J", good),
             Contains("/fitted/0/at/1: the value at that place, \"5us\", differs from the one at the first place"));
  CHECK_THAT(errors(link, R"J(["1us", "100Gbps"])J"),
             Contains("/bounds/0: expected a rate") || Contains("/bounds/0: expected a bandwidth"));
  CHECK_THAT(errors(link, R"J(["1Gbps", 4])J"), Contains("/bounds/1: expected a "));
  CHECK_THAT(errors(link, R"J(["20Gbps", "100Gbps"])J"),
             Contains("/bounds: the value, 10Gbps, is outside these bounds"));
  const auto reversed = errors(link, R"J(["100Gbps", "1Gbps"])J");
  CHECK_THAT(reversed, Contains("the upper bound must be above the lower bound") && !Contains("outside these bounds"));
  CHECK_THAT(errors(link, R"J(["1Gbps"])J"),
             Contains("/bounds: expected a list of two or more") && Contains("got a list of 1"));
  CHECK_THAT(errors(link, R"J(["0B/s", "100Gbps"])J"), Contains("must be above zero for \"scale\": \"log\""));
  CHECK_THAT(errors(link, R"J(["1Gbps", "100Gbps", "1Gbps"])J"), Contains("expected two bounds"));
  CHECK_THAT(errors(link, good, R"J(, "uncertainty": "1us")J"), Contains("/uncertainty: expected a "));
  CHECK_THAT(errors(link, good, R"J(, "scale": "square")J"), Contains("\"square\" is not a scale"));
  CHECK_THAT(errors(link, good, R"J(, "unit": "s")J"), Contains("unknown key \"unit\""));
  PackText text;
  text.fitted = R"J([{ "name": "beta", "file": "none.json", "at": "/a", "bounds": [1, 2], "why": "w" }])J";
  CHECK_THAT(packs.errors(text), Contains("/fitted/0/file: ") && Contains("no such file"));
}

TEST_CASE("mistakes in fits") {
  const Packs packs;
  const auto errors = [&](const std::string& fits) {
    PackText text;
    text.fits = fits;
    return packs.errors(text);
  };
  CHECK_THAT(errors("[]"),
             Contains("/fitted/0/name: no entry of \"fits\" contains \"beta\"; every fitted number needs one"));
  CHECK_THAT(errors(R"J([{ "parameters": ["beto"], "to": ["a.1"] }])J"),
             Contains("\"beto\" is not a fitted number of this pack; did you mean \"beta\"?"));
  CHECK_THAT(errors(R"J([{ "parameters": ["beta"], "to": ["a.1"] }, { "parameters": ["beta"], "to": ["a.2"] }])J"),
             Contains("/fits/1/parameters: \"beta\" is fitted twice"));
  CHECK_THAT(errors(R"J([{ "parameters": ["beta"], "to": ["a.1", "a.1"] }])J"),
             Contains("\"a.1\" is a figure of a fit here, but it already is a figure of a fit"));
  CHECK_THAT(errors(R"J([{ "parameters": ["beta"], "to": ["d"] }])J"),
             Contains("\"d\" cannot be a figure of a fit: it is not a number"));
  CHECK_THAT(errors(R"J([{ "parameters": ["beta"], "to": ["x"] }])J"),
             Contains("\"x\" cannot be a figure of a fit: \"figures\" has no value for it"));
  CHECK_THAT(errors(R"J([{ "parameters": ["beta"], "to": ["b"] }])J"), Contains("\"b\" cannot be a figure of a fit"));
  CHECK_THAT(errors(R"J([{ "parameters": ["beto"], "to": ["a.1"] }])J"), !Contains("no entry of \"fits\""));
  packs.directory.write("figures.json",
                        std::string(published).replace(published.find("\"value\": 1"), 10, "\"value\": -1"));
  CHECK_THAT(errors(R"J([{ "parameters": ["beta"], "to": ["a.1"] }])J"),
             Contains("\"a.1\" cannot be a figure of a fit: it is printed as -1"));
}

TEST_CASE("mistakes in experiments and transfers") {
  const Packs packs;
  PackText text;
  text.experiments = R"J([{ "name": "p{p}", "for": { "p": [1, 2, 4, 5, 1] }, "scenario": "s.json" },
      { "name": "p(1)", "scenario": "s.json" }, { "name": "r", "for": { "k": [[1]] }, "scenario": "s.json" }])J";
  CHECK_THAT(packs.errors(text), Contains("/experiments/2/for/k/0: expected a text or a number, got a list"));
  text.experiments = R"J([{ "name": "p{p}", "for": { "p": [1, 2, 4, 5, 1] }, "scenario": "s.json" },
      { "name": "p(1)", "scenario": "s.json" }])J";
  CHECK_THAT(packs.errors(text), Contains("/experiments/0/name: the experiment \"p1\" appears twice") &&
                                     Contains("/experiments/1/name: a name must not contain parentheses"));
  text.experiments = R"J([{ "name": "p{p}", "for": { "p": [1, 2, 4, 5] }, "scenario": "s.json" }])J";
  CHECK_THAT(packs.errors(text), Contains("/experiments/0: no figure uses the experiment \"p5\""));
  text = {};
  text.more = R"J(, "transfer": [{ "name": "t", "fit": ["a.2"], "predict": ["a.2", "x"] }])J";
  CHECK_THAT(packs.errors(text),
             Contains("/transfer/0/predict: this transfer fits to \"a.2\", so it cannot predict it") &&
                 Contains("\"x\" is input; a transfer takes only predicted and fitted figures"));
  text.more = R"J(, "transfer": [{ "name": "t", "fit": ["a.2"] }])J";
  CHECK(packs.load(text).transfers[0].predict.size() == 2); // a.1 and a.4
}

TEST_CASE("a pack needs a paper that is known, and no keys that are not") {
  const Packs packs;
  PackText text;
  text.more = R"J(, "duplicates": [])J";
  CHECK_THAT(packs.errors(text), Contains("unknown key \"duplicates\""));
  const auto other = [&](const std::string& from, const std::string& to) {
    auto json = PackText{}.json();
    json.replace(json.find(from), from.size(), to);
    return errors_of([&] { load_pack(packs.directory.write("reproduce.json", json)); });
  };
  CHECK_THAT(other("\"Toy\"", "\"Toys\""), Contains("/paper: ") &&
                                               Contains("has no figures of paper \"Toys\"; did you mean \"Toy\"?") &&
                                               !Contains("is not a published figure"));
  CHECK_THAT(other("figures.json", "nowhere.json"), Contains("nowhere.json\": no such file"));
}

TEST_CASE("what cannot be read hides no other mistake") {
  const Packs packs;
  PackText text;
  text.more = R"J(, "duplicates": [], "transfer": [{ "name": "t", "fit": ["a.3"] }])J";
  text.fitted.replace(text.fitted.find("1Gbps"), 5, "1us");
  text.inputs = R"J([{ "id": "y", "why": "latency" }])J";
  auto errors = packs.errors(text);
  CHECK_THAT(errors, Contains("/duplicates: unknown key \"duplicates\""));
  CHECK_THAT(errors, Contains("/fitted/0/bounds/0: expected a "));
  CHECK_THAT(errors, Contains("/inputs/0/id: \"y\" is not a published figure"));
  CHECK_THAT(errors, Contains("/transfer/0/fit: \"a.3\" is not a published figure"));
  CHECK_THAT(errors, Contains("/paper: 1 figure of Toy has no role: x"));
  // Data that may be in an unread part is not reported as missing.
  text.experiments = R"J([{ "nam": "p1" }])J";
  text.inputs = R"J([{ "id": "x" }])J";
  errors = packs.errors(text);
  CHECK_THAT(errors, Contains("/experiments/0/nam: unknown key") && Contains("/inputs/0: \"why\" is missing"));
  CHECK_THAT(errors, Contains("/transfer/0/fit: \"a.3\" is not a published figure"));
  CHECK_THAT(errors, !Contains("no role") && !Contains("is not an experiment"));
}

TEST_CASE("one mistake in a value is told once") {
  const Packs packs;
  PackText text;
  text.more = R"J(, "transfer": [{ "name": "t", "fit": ["a.2"], "predict": ["a.4"] }])J";
  text.figures.replace(text.figures.find("2 * "), 4, "2 ** ");
  CHECK(
      packs.errors(text) ==
      packs.directory.path("reproduce.json") + ":6:72: /figures/0/value: expected a value, got \"* time_s(p1)\"\n" +
          packs.directory.path("reproduce.json") + ":6:72: /figures/0/value: expected a value, got \"* time_s(p2)\"\n" +
          packs.directory.path("reproduce.json") + ":6:72: /figures/0/value: expected a value, got \"* time_s(p4)\"\n");
}

TEST_CASE("a published figure is worked out from the simulation, not from a formula beside it") {
  const Packs packs;
  PackText text;
  text.figures = R"J([{ "id": "a.{p}", "for": { "p": [1, 2, 4] }, "value": "2 * closed_form.time_s(p{p})" },
      { "id": "d", "value": "time_s(p1) < 2 * closed_form.time_s(p2)" }, { "id": "e", "value": "time_s(p1)" }])J";
  const auto errors = packs.errors(text);
  CHECK_THAT(errors, Contains("reproduce.json:6:73: /figures/0/value: \"closed_form.time_s\" is a closed form"));
  CHECK_THAT(errors, !Contains("/figures/1/value"));
}

TEST_CASE("a for stands for so many entries and no more") {
  const Packs packs;
  PackText text;
  std::string many = "0";
  for (int i = 1; i < 300; ++i) many += fmt::format(", {}", i);
  text.experiments = fmt::format(
      R"J([{{ "name": "p{{p}}", "for": {{ "p": [{0}], "q": [{0}], "r": [{0}] }}, "scenario": "s.json" }}])J", many);
  CHECK_THAT(packs.errors(text),
             Contains("/experiments/0/for: 27000000 combinations are too many; at most 10000 are allowed"));
}

TEST_CASE("the maps of a pack may have comments") {
  const Packs packs;
  PackText text;
  text.experiments = R"J([{ "name": "p{p}", "for": { "// p": "workers", "p": [1, 2, 4] }, "scenario": "s.json",
      "set": { "//": "as in the paper", "platform.nodes": "{p}" } }])J";
  const Pack pack = packs.load(text);
  REQUIRE(pack.experiments.size() == 3);
  REQUIRE(pack.experiments[0].settings.size() == 1);
  CHECK(pack.experiments[0].settings[0].path == "platform.nodes");
  text.experiments = R"J([{ "name": "p{p}", "for": { "// p": ["workers"], "p": [1, 2, 4] }, "scenario": "s.json",
      "set": { "//": 7, "platform.nodes": "{p}" } }])J";
  const auto errors = packs.errors(text);
  CHECK_THAT(errors, Contains("/experiments/0/for/~1~1 p: a comment must be a text"));
  CHECK_THAT(errors, Contains("/experiments/0/set/~1~1: a comment must be a text"));
}

TEST_CASE("files that are missing are told where they are named") {
  const Packs packs;
  auto json = PackText{}.json();
  json.replace(json.find("figures.json"), 12, "nowhere.json");
  const auto errors = errors_of([&] { load_pack(packs.directory.write("reproduce.json", json)); });
  CHECK_THAT(errors, Contains("reproduce.json:1:32: /published: \"") && Contains("nowhere.json\": no such file"));
  CHECK_THAT(errors, !Contains("is not a published figure"));
}

TEST_CASE("names with control characters are told as JSON") {
  const Packs packs;
  PackText text;
  text.inputs = R"J([{ "id": "x\u001b[2J", "why": "w" }])J";
  CHECK_THAT(packs.errors(text), Contains(R"("x\u001b[2J" is not a published figure)"));
}

TEST_CASE("mistakes in what went in, what was chosen, and what is not counted") {
  const Packs packs;
  packs.directory.write("w.json", R"J({ "rate": "1Gbps", "words": "some", "t": "1ms" })J");
  PackText text;
  text.more = R"J(, "dependent": [{ "id": "d", "why": "w" }, { "id": "a.1", "why": "w" }, { "id": "x", "why": "w" }],
    "failed": [{ "id": "b", "mechanism": "m" }],
    "given": [ { "name": "a", "file": "no.json", "at": "/t", "why": "w" },
      { "name": "b", "file": "w.json", "at": "/u", "why": "w" }, { "name": "b", "file": "w.json", "at": "/words", "why": "w" },
      { "name": "r", "file": "w.json", "at": "/rate", "time": true, "why": "w" } ],
    "choices": [ { "what": "a", "alternatives": "b", "tried_on": "c", "without": { "set": {}, "experiments": ["q"] } } ])J";
  const auto errors = packs.errors(text);
  CHECK_THAT(errors, Contains("/dependent/0/id: \"d\" cannot be dependent: it is not a number"));
  CHECK_THAT(errors, Contains("/dependent/1/id: \"a.1\" is dependent here, but it already is a figure of a fit"));
  CHECK_THAT(errors, Contains("/dependent/2/id: \"x\" is dependent here, but it already is an input"));
  CHECK_THAT(errors, Contains("/failed/0/id: \"b\" cannot be failed: \"figures\" has no value for it"));
  CHECK_THAT(errors, Contains("/given/0/file: ") && Contains("no.json"));
  CHECK_THAT(errors, Contains("/given/1/at: \"/u\" does not exist in w.json"));
  CHECK_THAT(errors, Contains("/given/2/name: \"b\" appears twice"));
  CHECK_THAT(errors, Contains("/given/2/at: expected a number or times at that place, got \"some\""));
  CHECK_THAT(errors, Contains("/given/3/at: expected a time or a compute rate at that place, got \"1Gbps\""));
  CHECK_THAT(errors, Contains("/choices/0/without/experiments: \"q\" is not an experiment of this pack"));
  text.more = R"J(, "failed": [{ "id": "a.2", "why": "w" }])J";
  CHECK_THAT(packs.errors(text), Contains("/failed/0: \"mechanism\" is missing"));
}

TEST_CASE("a measurement that failed is not predicted as well") {
  const Packs packs;
  PackText text;
  text.figures = R"J([{ "id": "a.{p}", "for": { "p": [1, 2, 4] }, "value": "2 * time_s(p{p})" },
      { "id": "b", "value": "time_s(p1)" }, { "id": "d", "value": "time_s(p1) < time_s(p2)" },
      { "id": "e", "value": "time_s(p1)" }])J";
  text.more = R"J(, "failed": [{ "id": "a.4", "mechanism": "m" }])J";
  CHECK_THAT(packs.errors(text),
             Contains("\"a.4\" is failed, and \"b\", which prints the same measurement, is predicted") ||
                 Contains("\"b\" is predicted, and \"a.4\", which prints the same measurement, is failed"));
}
