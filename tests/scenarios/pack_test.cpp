// Packs on published figures of their own: expansion, roles, and every way to get them wrong.
#include "scenarios/pack_fits.hpp"
#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

namespace {

std::string figure(const std::string& id, const std::string& value, const std::string& more = "") {
  return fmt::format(R"J({{ "id": "{}", "paper": "Toy", "table_or_figure": "Table 1", "quantity": "q", "unit": "s",
    "value": {}, "kind": "time", "source": "text", "conditions": {{}}{} }})J",
                     id, value, more);
}

/// a.1, a.2, a.4 are times; b prints a.4 again and c prints b; d is a statement, e a range; x is alpha.
const std::string published = "[" + figure("a.1", "1") + "," + figure("a.2", "2") + "," + figure("a.4", "4") + "," +
                              figure("b", "25", R"J(, "dup_of": "a.4")J") + "," +
                              figure("c", "0.25", R"J(, "dup_of": "b")J") + "," + figure("d", "true") + "," +
                              figure("e", "[1, 3]") + "," + figure("x", "5e-6") + "," + figure("z", "0") + "]";

const std::string cluster = R"J({ "nodes": 8, "network": { "topology": "star",
  "link": { "bandwidth": "10Gbps", "latency": "5us" } }, "message_overhead": "1us" })J";

struct Text {
  std::string fitted = R"J([{ "name": "beta", "file": "cluster.json", "at": "/network/link/bandwidth",
      "bounds": ["1Gbps", "100Gbps"], "why": "the link" }])J";
  std::string fits = R"J([{ "parameters": ["beta"], "to": ["a.1"] }])J";
  std::string experiments = R"J([{ "name": "p{p}", "for": { "p": [1, 2, 4] }, "scenario": "s.json",
      "set": { "platform.nodes": "{p}" } }])J";
  std::string figures = R"J([{ "id": "a.{p}", "for": { "p": [1, 2, 4] }, "value": "2 * time_s(p{p})" },
      { "id": "d", "value": "time_s(p1) < time_s(p2)" }, { "id": "e", "value": "time_s(p1)" }])J";
  std::string inputs = R"J([{ "id": "x", "why": "latency" }])J";
  std::string excluded = R"J([{ "id": "z", "why": "zero" }])J";
  std::string more;

  [[nodiscard]] std::string json() const {
    return fmt::format(R"J({{ "paper": "Toy", "published": "figures.json",
  "fitted": {}, "fits": {},
  "experiments": {},
  "figures": {},
  "inputs": {},
  "excluded": {}{} }})J",
                       fitted, fits, experiments, figures, inputs, excluded, more);
  }
};

class Packs {
public:
  Packs() {
    directory.write("figures.json", published);
    directory.write("cluster.json", cluster);
  }
  Pack load(const Text& text) const { return load_pack(directory.write("reproduce.json", text.json())); }
  std::string errors(const Text& text) const {
    return errors_of([&] { load(text); });
  }
  TemporaryDirectory directory;
};

const PackFigure& figure_of(const Pack& pack, const std::string& id) {
  return *std::find_if(pack.figures.begin(), pack.figures.end(),
                       [&](const PackFigure& figure) { return figure.published.id == id; });
}

std::string role_of(const Pack& pack, const std::string& id) { return role_name(figure_of(pack, id).role); }

} // namespace

TEST_CASE("a pack gives every published figure its role") {
  const Packs packs;
  const auto pack = packs.load({});
  REQUIRE(pack.figures.size() == 9);
  CHECK(role_of(pack, "a.1") == "fitted");
  CHECK(figure_of(pack, "a.1").reason == "beta");
  CHECK(role_of(pack, "a.2") == "predicted");
  CHECK(role_of(pack, "a.4") == "predicted");
  CHECK(role_of(pack, "b") == "excluded");
  CHECK(figure_of(pack, "b").reason == "duplicate of a.4");
  CHECK(figure_of(pack, "c").reason == "duplicate of b");
  CHECK(role_of(pack, "d") == "statement");
  CHECK(role_of(pack, "e") == "statement");
  CHECK(role_of(pack, "x") == "input");
  CHECK(role_of(pack, "z") == "excluded");
}

TEST_CASE("an entry with for stands once for every combination") {
  const Packs packs;
  Text text;
  text.experiments = R"J([{ "name": "p{p}.{w}", "for": { "p": [1, 2], "w": ["1MB", "2MB"] }, "scenario": "{w}.json",
      "set": { "platform.nodes": "{p}", "workload.{w}": 7, "name": "n{p}" } }])J";
  text.figures = R"J([{ "id": "a.{p}", "for": { "p": [1, 2] }, "value": "time_s(p{p}.1MB) + time_s(p{p}.2MB)" }])J";
  text.excluded = R"J([{ "id": "{i}", "for": { "i": ["z", "d", "e", "a.4"] }, "why": "no" }])J";
  const auto pack = packs.load(text);
  REQUIRE(pack.experiments.size() == 4);
  CHECK(pack.experiments[1].name == "p1.2MB");
  CHECK(pack.experiments[1].scenario == packs.directory.path("2MB.json"));
  REQUIRE(pack.experiments[2].settings.size() == 3);
  CHECK(pack.experiments[2].settings[0].value.integer == 2); // as --set reads it
  CHECK(pack.experiments[2].settings[1].path == "workload.1MB");
  CHECK(pack.experiments[2].settings[1].value.integer == 7);
  CHECK(pack.experiments[2].settings[2].value.text == "n2");
  CHECK(figure_of(pack, "a.2").experiments == std::vector<std::size_t>{2, 3});
  CHECK(role_of(pack, "a.4") == "excluded");
}

TEST_CASE("a parameter is a literal of another file, with its dimension") {
  const Packs packs;
  Text text;
  text.fitted = R"J([{ "name": "beta", "file": "cluster.json", "at": "/network/link/bandwidth",
      "bounds": ["1Gbps", "100Gbps"], "uncertainty": "0.1Gbps", "why": "w" },
    { "name": "alpha", "file": "cluster.json", "at": ["/message_overhead"], "bounds": ["0s", "5us"], "scale": "linear",
      "why": "w" }])J";
  text.fits = R"J([{ "parameters": ["beta", "alpha"], "to": ["a.{p}"], "for": { "p": [1, 2] } }])J";
  const auto pack = packs.load(text);
  REQUIRE(pack.parameters.size() == 2);
  CHECK(pack.parameters[0].value == 1.25e9);
  CHECK(pack.parameters[0].uncertainty == 1.25e7);
  CHECK(pack.parameters[0].text(2.5e8) == "2Gbps");
  CHECK_FALSE(pack.parameters[1].logarithmic);
  CHECK(pack.fits[0].figures.size() == 2);

  // A candidate stands in for the literal wherever the file is included; the file stays as it is.
  const auto scenario = packs.directory.write(
      "s.json",
      R"J({ "platform": { "extends": "cluster.json" }, "workload": { "tensors": [{ "name": "g", "bytes": "1MB" }] },
          "training": { "exchange": { "algorithm": "ring" } } })J");
  const auto with = [&](const std::vector<double>& values) {
    return load_changed_scenario(scenario, {{}, pack.experiments[1].settings, replacements(pack, values)});
  };
  CHECK(with({}).platform.network.link.bandwidth.value() == 1.25e9);
  CHECK(with({}).platform.nodes == 2);
  CHECK(with({5e8, 3e-6}).platform.network.link.bandwidth.value() == 5e8);
  CHECK(with({5e8, 3e-6}).platform.message_overhead.value() == 3e-6);
  CHECK(load_scenario(scenario).platform.message_overhead.value() == 1e-6);
}

TEST_CASE("a literal that went away during a fit is an input error") {
  const TemporaryDirectory directory;
  const auto file = directory.write("s.json", minimal);
  CHECK_THAT(errors_of([&] {
               load_changed_scenario(file, {{}, {}, {{file, "/platform/no", Node::of(1.0)}}});
             }),
             Contains("/platform/no: a fitted number stood here"));
}

TEST_CASE("an experiment's settings are told at their place in the pack") {
  const Packs packs;
  Text text;
  text.experiments = R"J([{ "name": "p{p}", "for": { "p": [1, 2, 4] }, "scenario": "s.json",
      "set": { "platform.nodes": "{p}x" } }])J";
  const auto pack = packs.load(text);
  const auto file = packs.directory.write("s.json", minimal);
  CHECK_THAT(errors_of([&] {
               load_changed_scenario(file, {{}, pack.experiments[0].settings, {}});
             }),
             Contains("reproduce.json:5:34: /platform/nodes: expected an integer"));
}

TEST_CASE("what was fitted to or went in is never predicted, a measurement counts once") {
  const Packs packs;
  Text text;
  const auto with_value = [&](const std::string& ids) {
    Text t;
    t.figures.insert(t.figures.size() - 1, fmt::format(R"J(, {{ "id": "{}", "value": "time_s(p4)" }})J", ids));
    return t;
  };
  // c is a copy of a copy of a.4, which is predicted
  CHECK_THAT(packs.errors(with_value("c")),
             Contains("\"c\" is predicted, and \"a.4\", which prints the same measurement"));
  CHECK_THAT(packs.errors(with_value("b")),
             Contains("\"b\" is predicted, and \"a.4\", which prints the same measurement"));
  // also where that one was fitted to
  text = with_value("c");
  text.fits = R"J([{ "parameters": ["beta"], "to": ["a.4"] }])J";
  CHECK_THAT(packs.errors(text),
             Contains("\"c\" is predicted, and \"a.4\", which prints the same measurement, is fitted"));
  // or went in
  text = with_value("c");
  text.inputs = R"J([{ "id": "x", "why": "w" }, { "id": "a.4", "why": "w" }])J";
  CHECK_THAT(packs.errors(text),
             Contains("\"c\" is predicted, and \"a.4\", which prints the same measurement, is input"));
  // instead of the original it may count
  text.inputs = R"J([{ "id": "x", "why": "w" }])J";
  text.figures = R"J([{ "id": "a.{p}", "for": { "p": [1, 2] }, "value": "time_s(p{p})" },
      { "id": "c", "value": "time_s(p4)" }, { "id": "d", "value": "true or time_s(p1) > 0" }])J";
  text.excluded = R"J([{ "id": "z", "why": "w" }, { "id": "e", "why": "w" }])J";
  const auto pack = packs.load(text);
  CHECK(role_of(pack, "c") == "predicted");
  CHECK(figure_of(pack, "a.4").reason == "duplicate of c, which is scored instead");
}

TEST_CASE("an excluded or input figure may show its value") {
  const Packs packs;
  Text text;
  text.excluded = R"J([{ "id": "z", "why": "zero" }, { "id": "a.4", "why": "contradiction" }])J";
  const auto pack = packs.load(text);
  CHECK(role_of(pack, "a.4") == "excluded");
  CHECK(figure_of(pack, "a.4").value.has_value());
}

TEST_CASE("every figure has one role") {
  const Packs packs;
  Text text;
  text.inputs = "[]";
  text.excluded = R"J([{ "id": "a.1", "why": "w" }, { "id": "y", "why": "w" }])J";
  const auto errors = packs.errors(text);
  CHECK_THAT(errors, Contains("reproduce.json:1:12: /paper: 2 figures of Toy have no role: x, z"));
  CHECK_THAT(errors, Contains("/excluded/0/id: \"a.1\" is excluded here, and already fitted to"));
  CHECK_THAT(errors, Contains("/excluded/1/id: \"y\" is not a published figure of this paper"));
}

TEST_CASE("a figure's value is of the kind that is printed") {
  const Packs packs;
  Text text;
  text.figures = R"J([{ "id": "a.{p}", "for": { "p": [1, 2, 4] }, "value": "time_s(p{p}) < 1" },
      { "id": "d", "value": "time_s(p1)" }, { "id": "e", "value": "time_s(p1) > 1" }, { "id": "z", "value": "time_s(p1)" }])J";
  text.excluded = "[]";
  text.fits = "[]";
  text.fitted = "[]";
  const auto errors = packs.errors(text);
  CHECK_THAT(errors, Contains("\"a.1\" is printed as 1: a number is needed, no condition"));
  CHECK_THAT(errors, Contains("\"d\" is printed as true: a condition is needed, true or false"));
  CHECK_THAT(errors, Contains("\"e\" is printed as [1, 3]: a number is needed, no condition"));
  CHECK_THAT(errors, Contains("\"z\" is printed as 0: no error is relative to that; exclude it"));
}

TEST_CASE("mistakes in values are told at their character") {
  const Packs packs;
  Text text;
  text.figures = R"J([{ "id": "a.{p}", "for": { "p": [1, 2, 4] }, "value": "{p} * time_s(q{p})" },
      { "id": "d", "value": "1 <" }, { "id": "e", "value": "2" }, { "id": "a.1", "value": "time_s(p1)" },
      { "id": "a.{q}", "for": { "p": [1] }, "value": "time_s(p1)" }, { "id": "a.9", "value": "{p}" }])J";
  const auto errors = packs.errors(text);
  CHECK_THAT(errors, Contains("reproduce.json:6:82: /figures/0/value: \"q1\" is not an experiment of this pack"));
  CHECK_THAT(errors, Contains("/figures/0/value: \"q4\" is not an experiment"));
  CHECK_THAT(errors, Contains("/figures/1/value: expected a value, got the end"));
  CHECK_THAT(errors, Contains("/figures/2/value: no experiment is read"));
  CHECK_THAT(errors, Contains("/figures/3/id: \"a.1\" has a value already"));
  CHECK_THAT(errors, Contains("/figures/4/id: \"for\" has no \"q\"; did you mean \"p\"?"));
  CHECK_THAT(errors, Contains("/figures/5/value: {p} stands for nothing: there is no \"for\""));
  CHECK_THAT(errors, !Contains("no role")); // their values are told to be wrong
}

TEST_CASE("mistakes in parameters") {
  const Packs packs;
  const auto errors = [&](const std::string& at, const std::string& bounds, const std::string& more = "") {
    Text text;
    text.fitted = fmt::format(
        R"J([{{ "name": "beta", "file": "cluster.json", "at": {}, "bounds": {}, "why": "w"{} }}])J", at, bounds, more);
    return packs.errors(text);
  };
  const std::string link = "\"/network/link/bandwidth\"", good = R"J(["1Gbps", "100Gbps"])J";
  CHECK(errors(link, good).empty());
  CHECK_THAT(errors("\"/network/link/b\"", good), Contains("/fitted/0/at: nothing stands at \"/network/link/b\" in"));
  CHECK_THAT(errors("\"/network/link\"", good), Contains("expected a number or a quantity with its unit there"));
  CHECK_THAT(errors("\"/network/topology\"", good), Contains("expected a number or a quantity with its unit there"));
  CHECK_THAT(errors(R"J(["/network/link/bandwidth", "/network/link/latency"])J", good),
             Contains("/fitted/0/at/1: \"5us\" stands there, another value than at the first place"));
  CHECK_THAT(errors(link, R"J(["1us", "100Gbps"])J"),
             Contains("/bounds/0: expected a rate") || Contains("/bounds/0: expected a bandwidth"));
  CHECK_THAT(errors(link, R"J(["1Gbps", 4])J"), Contains("/bounds/1: expected a "));
  CHECK_THAT(errors(link, R"J(["20Gbps", "100Gbps"])J"), Contains("/bounds: the value, 10Gbps, is not within them"));
  CHECK_THAT(errors(link, R"J(["100Gbps", "1Gbps"])J"), Contains("the greatest value must be above the least"));
  CHECK_THAT(errors(link, R"J(["0B/s", "100Gbps"])J"), Contains("must be above zero for \"scale\": \"log\""));
  CHECK_THAT(errors(link, R"J(["1Gbps", "100Gbps", "1Gbps"])J"), Contains("expected two bounds"));
  CHECK_THAT(errors(link, good, R"J(, "uncertainty": "1us")J"), Contains("/uncertainty: expected a "));
  CHECK_THAT(errors(link, good, R"J(, "scale": "square")J"), Contains("\"square\" is not a scale"));
  CHECK_THAT(errors(link, good, R"J(, "unit": "s")J"), Contains("unknown key \"unit\""));
  Text text;
  text.fitted = R"J([{ "name": "beta", "file": "none.json", "at": "/a", "bounds": [1, 2], "why": "w" }])J";
  CHECK_THAT(packs.errors(text), Contains("/fitted/0/file: ") && Contains("no such file"));
}

TEST_CASE("mistakes in fits") {
  const Packs packs;
  const auto errors = [&](const std::string& fits) {
    Text text;
    text.fits = fits;
    return packs.errors(text);
  };
  CHECK_THAT(errors("[]"), Contains("/fitted/0/name: no fit says what \"beta\" was fitted to"));
  CHECK_THAT(errors(R"J([{ "parameters": ["beto"], "to": ["a.1"] }])J"),
             Contains("\"beto\" is not a fitted number of this pack; did you mean \"beta\"?"));
  CHECK_THAT(errors(R"J([{ "parameters": ["beta"], "to": ["a.1"] }, { "parameters": ["beta"], "to": ["a.2"] }])J"),
             Contains("/fits/1/parameters: \"beta\" is fitted twice"));
  CHECK_THAT(errors(R"J([{ "parameters": ["beta"], "to": ["a.1", "a.1"] }])J"),
             Contains("\"a.1\" is fitted to here, and already fitted to"));
  CHECK_THAT(errors(R"J([{ "parameters": ["beta"], "to": ["d"] }])J"),
             Contains("\"d\" cannot be fitted to: it is no number"));
  CHECK_THAT(errors(R"J([{ "parameters": ["beta"], "to": ["x"] }])J"),
             Contains("\"x\" cannot be fitted to: \"figures\" has no value for it"));
  CHECK_THAT(errors(R"J([{ "parameters": ["beta"], "to": ["b"] }])J"), Contains("\"b\" cannot be fitted to"));
}

TEST_CASE("mistakes in experiments and transfers") {
  const Packs packs;
  Text text;
  text.experiments = R"J([{ "name": "p{p}", "for": { "p": [1, 2, 4, 5, 1] }, "scenario": "s.json" },
      { "name": "p(1)", "scenario": "s.json" }, { "name": "r", "for": { "k": [[1]] }, "scenario": "s.json" }])J";
  CHECK_THAT(packs.errors(text), Contains("/experiments/2/for/k/0: expected a text or a number, got a list"));
  text.experiments = R"J([{ "name": "p{p}", "for": { "p": [1, 2, 4, 5, 1] }, "scenario": "s.json" },
      { "name": "p(1)", "scenario": "s.json" }])J";
  CHECK_THAT(packs.errors(text), Contains("/experiments/0/name: the experiment \"p1\" stands here twice") &&
                                     Contains("/experiments/1/name: a name with parentheses"));
  text.experiments = R"J([{ "name": "p{p}", "for": { "p": [1, 2, 4, 5] }, "scenario": "s.json" }])J";
  CHECK_THAT(packs.errors(text), Contains("/experiments/0: no figure reads \"p5\""));
  text = {};
  text.more = R"J(, "transfer": [{ "name": "t", "fit": ["a.2"], "predict": ["a.2", "x"] }])J";
  CHECK_THAT(packs.errors(text), Contains("/transfer/0/predict: \"a.2\" is fitted to here, so it is not predicted") &&
                                     Contains("\"x\" is input: only predicted and fitted figures transfer"));
  text.more = R"J(, "transfer": [{ "name": "t", "fit": ["a.2"] }])J";
  CHECK(packs.load(text).transfers[0].predict.size() == 2); // a.1 and a.4
}

TEST_CASE("a pack needs a paper that is known, and no keys that are not") {
  const Packs packs;
  Text text;
  text.more = R"J(, "duplicates": [])J";
  CHECK_THAT(packs.errors(text), Contains("unknown key \"duplicates\""));
  const auto other = [&](const std::string& from, const std::string& to) {
    auto json = Text{}.json();
    json.replace(json.find(from), from.size(), to);
    return errors_of([&] { load_pack(packs.directory.write("reproduce.json", json)); });
  };
  CHECK_THAT(other("\"Toy\"", "\"Toys\""),
             Contains("/paper: ") && Contains("has no figures of \"Toys\"; did you mean \"Toy\"?"));
  CHECK_THAT(other("figures.json", "nowhere.json"), Contains("nowhere.json: no such file"));
}

TEST_CASE("published figures have ids of their own, and duplicates of something") {
  const TemporaryDirectory directory;
  const auto errors = [&](const std::string& figures) {
    return errors_of([&] { load_published(directory.write("f.json", "[" + figures + "]")); });
  };
  CHECK_THAT(errors(figure("a", "1") + "," + figure("a", "2")), Contains("/1/id: \"a\" stands here a second time"));
  CHECK_THAT(errors(figure("a", "1", R"J(, "dup_of": "b")J")), Contains("/0/dup_of: there is no figure \"b\""));
  CHECK_THAT(errors(figure("a", "1", R"J(, "dup_of": "a")J")), Contains("a figure is no duplicate of itself"));
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
  CHECK(copies.same[0].empty()); // and they are none of each other
}

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
  CHECK(file_kind(fits_path(pack)) == FileKind::fits);
  CHECK(file_kind(pack.file) == FileKind::pack);
  CHECK(file_kind(packs.directory.path("figures.json")) == FileKind::published);
}

TEST_CASE("the digest changes with what the results depend on, and with nothing else") {
  const Packs packs;
  const std::vector<std::string> ids = {"1", "2"};
  const auto digest = [&](const Text& text) { return pack_digest(packs.load(text), ids); };
  const auto before = digest({});
  Text text;
  text.fitted.insert(text.fitted.size() - 2, R"J(, "uncertainty": "1Gbps")J");
  CHECK(digest(text) == before); // written by calibrate
  text.figures.replace(text.figures.find("2 * time"), 1, "3");
  CHECK(digest(text) != before);
  CHECK(pack_digest(packs.load({}), {"1", "3"}) != before);
  packs.directory.write("figures.json",
                        std::string(published).replace(published.find("\"value\": 2"), 10, "\"value\": 3"));
  CHECK(digest({}) != before);
}

TEST_CASE("the committed figures are read whole") {
  const auto figures = load_published(std::string(GF_SOURCE_DIR) + "/scenarios/published/figures.json");
  CHECK(figures.size() == 540);
}
