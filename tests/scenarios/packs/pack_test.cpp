// Packs with their own published figures: expansion, parameters and roles.
#include "scenarios/language/types/scenario.hpp"
#include "tests/scenarios/packs/pack_support.hpp"

#include <catch2/catch.hpp>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

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
  PackText text;
  text.experiments = R"J([{ "name": "p{p}.{w}", "for": { "p": [1, 2], "w": ["1MB", "2MB"] }, "scenario": "{w}.json",
      "set": { "platform.nodes": "{p}", "workload.{w}": 7, "name": "n{p}" } }])J";
  text.figures = R"J([{ "id": "a.{p}", "for": { "p": [1, 2] }, "value": "time_s(p{p}.1MB) + time_s(p{p}.2MB)" }])J";
  text.excluded = R"J([{ "id": "{i}", "for": { "i": ["z", "d", "e", "a.4"] }, "why": "no" }])J";
  const auto pack = packs.load(text);
  REQUIRE(pack.experiments.size() == 4);
  CHECK(pack.experiments[1].name == "p1.2MB");
  CHECK(pack.experiments[1].scenario == packs.directory.path("2MB.json"));
  REQUIRE(pack.experiments[2].settings.size() == 3);
  CHECK(pack.experiments[2].settings[0].value.integer == 2); // in the form of --set
  CHECK(pack.experiments[2].settings[1].path == "workload.1MB");
  CHECK(pack.experiments[2].settings[1].value.integer == 7);
  CHECK(pack.experiments[2].settings[2].value.text == "n2");
  CHECK(figure_of(pack, "a.2").experiments == std::vector<std::size_t>{2, 3});
  CHECK(role_of(pack, "a.4") == "excluded");
}

TEST_CASE("a parameter is a literal of another file, with its dimension") {
  const Packs packs;
  PackText text;
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
  CHECK(pack.parameters[0].text(pack.parameters[0].rounded(1e9 / 3, 5)) == "2.6667Gbps");
  CHECK(pack.parameters[0].rounded(1e9 / 3, 5) == parse_quantity("2.6667Gbps", Dimension::byte_rate));
  CHECK(parse_quantity(pack.parameters[0].node(1e9 / 3).text, Dimension::byte_rate) == 1e9 / 3);
  CHECK_FALSE(pack.parameters[1].logarithmic);
  CHECK(pack.fits[0].figures.size() == 2);

  // A candidate replaces the literal wherever the file is included; the file itself does not change.
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
             Contains("/platform/no: the fitted number at this place"));
}

TEST_CASE("an experiment's settings are told at their place in the pack") {
  const Packs packs;
  PackText text;
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
  PackText text;
  const auto with_value = [&](const std::string& ids) {
    PackText t;
    t.figures.insert(t.figures.size() - 1, fmt::format(R"J(, {{ "id": "{}", "value": "time_s(p4)" }})J", ids));
    return t;
  };
  // c is a copy of a copy of a.4, which is predicted.
  CHECK_THAT(packs.errors(with_value("c")),
             Contains("\"c\" is predicted, and \"a.4\", which prints the same measurement"));
  CHECK_THAT(packs.errors(with_value("b")),
             Contains("\"b\" is predicted, and \"a.4\", which prints the same measurement"));
  // The same if that one was fitted.
  text = with_value("c");
  text.fits = R"J([{ "parameters": ["beta"], "to": ["a.4"] }])J";
  CHECK_THAT(packs.errors(text),
             Contains("\"c\" is predicted, and \"a.4\", which prints the same measurement, is fitted"));
  // The same if that one is an input.
  text = with_value("c");
  text.inputs = R"J([{ "id": "x", "why": "w" }, { "id": "a.4", "why": "w" }])J";
  CHECK_THAT(packs.errors(text),
             Contains("\"c\" is predicted, and \"a.4\", which prints the same measurement, is input"));
  // The copy may count instead of the original.
  text.inputs = R"J([{ "id": "x", "why": "w" }])J";
  text.figures = R"J([{ "id": "a.{p}", "for": { "p": [1, 2] }, "value": "time_s(p{p})" },
      { "id": "c", "value": "time_s(p4)" }, { "id": "d", "value": "true or time_s(p1) > 0" }])J";
  text.excluded = R"J([{ "id": "z", "why": "w" }, { "id": "e", "why": "w" }])J";
  const auto pack = packs.load(text);
  CHECK(role_of(pack, "c") == "predicted");
  CHECK(figure_of(pack, "a.4").reason == "duplicate of c, which is scored instead");
  // A copy that is only shown does not replace it.
  text.excluded = R"J([{ "id": "{i}", "for": { "i": ["z", "e", "c"] }, "why": "w" }])J";
  CHECK_THAT(packs.errors(text), Contains("1 figure of Toy has no role: a.4"));
}

TEST_CASE("an excluded or input figure may show its value") {
  const Packs packs;
  PackText text;
  text.excluded = R"J([{ "id": "z", "why": "zero" }, { "id": "a.4", "why": "contradiction" }])J";
  const auto pack = packs.load(text);
  CHECK(role_of(pack, "a.4") == "excluded");
  CHECK(figure_of(pack, "a.4").value.has_value());
}

TEST_CASE("a literal is fitted once, by whatever name its file goes") {
  const Packs packs;
  std::filesystem::create_symlink("cluster.json", packs.directory.path("link.json"));
  PackText text;
  text.fitted = R"J([{ "name": "beta", "file": "cluster.json", "at": "/network/link/bandwidth",
      "bounds": ["1Gbps", "100Gbps"], "why": "w" },
    { "name": "gamma", "file": "link.json", "at": "/network/link/bandwidth", "bounds": ["1Gbps", "100Gbps"], "why": "w" }])J";
  text.fits = R"J([{ "parameters": ["beta", "gamma"], "to": ["a.1", "a.2"] }])J";
  CHECK_THAT(packs.errors(text), Contains("/fitted/1/at: another fitted number has the same place"));
}

TEST_CASE("figures that follow from others and figures that need more than the model has are shown apart") {
  const Packs packs;
  PackText text;
  text.more = R"J(, "dependent": [{ "id": "a.{p}", "for": { "p": [2] }, "why": "twice a.1" }],
    "failed": [{ "id": "a.4", "mechanism": "congestion" }])J";
  const auto pack = packs.load(text);
  CHECK(role_of(pack, "a.2") == "dependent");
  CHECK(figure_of(pack, "a.2").reason == "twice a.1");
  CHECK(role_of(pack, "a.4") == "failed");
  CHECK(figure_of(pack, "a.4").reason == "congestion");
}

TEST_CASE("numbers that went in are literals, or every time below a place") {
  const Packs packs;
  packs.directory.write("w.json", R"J({ "note": "2ms of it", "layers": [ { "forward": "1ms", "flops": 7,
    "tensors": [ { "bytes": "1MB" } ] }, { "forward": "2ms" } ], "per_byte": "2ns/B", "share": 0.5 })J");
  PackText text;
  text.more = R"J(, "given": [ { "name": "{w} layers", "for": { "w": ["w"] }, "file": "{w}.json",
      "at": ["/layers", "/per_byte"], "time": true, "why": "measured" },
    { "name": "share", "file": "w.json", "at": "/share", "why": "printed" } ])J";
  const auto pack = packs.load(text);
  REQUIRE(pack.input_numbers.size() == 2);
  CHECK(pack.input_numbers[0].name == "w layers");
  CHECK(pack.input_numbers[0].time);
  const auto more = replacements(pack.input_numbers[0], 2);
  REQUIRE(more.size() == 3);
  CHECK(more[0].pointer == "/layers/0/forward");
  CHECK(more[0].value.text == "0.002s");
  CHECK(more[1].pointer == "/layers/1/forward");
  CHECK(more[2].pointer == "/per_byte");
  CHECK_FALSE(pack.input_numbers[1].time);
  CHECK(replacements(pack.input_numbers[1], 1.01).front().value.number == 0.5 * 1.01);
}

TEST_CASE("a choice names the experiments that it is left out of: none: all") {
  const Packs packs;
  PackText text;
  text.more = R"J(, "choices": [ { "what": "a star", "alternatives": "racks", "tried_on": "a.1",
      "without": { "set": { "platform.nodes": "9" }, "experiments": ["p{p}"] }, "for": { "p": [4, 2] } },
    { "what": "a", "alternatives": "b", "tried_on": "c", "without": { "set": { "name": "x" } } },
    { "what": "a", "alternatives": "b", "tried_on": "c", "why": "nothing to set" } ])J";
  const auto pack = packs.load(text);
  REQUIRE(pack.choices.size() == 3);
  CHECK(pack.choices[0].experiments == std::vector<std::size_t>{1, 2});
  REQUIRE(pack.choices[0].without.size() == 1);
  CHECK(pack.choices[0].without[0].value.integer == 9);
  CHECK(pack.choices[1].experiments.size() == 3);
  CHECK(pack.choices[2].without.empty());
}
