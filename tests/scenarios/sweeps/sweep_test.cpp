#include "scenarios/language/sweeps/sweep.hpp"

#include "scenarios/language/decode/canonical.hpp"
#include "scenarios/language/kinds/file_kinds.hpp"
#include "scenarios/language/sweeps/sweep_points.hpp"
#include "tests/scenarios/support.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <rapidcheck.h>
#include <set>
#include <source_dir.hpp>

using namespace gradflight;
using namespace gradflight::test;
using Catch::Contains;

namespace {

std::string sweep_text(const std::string& axes, const std::string& rest = "") {
  return "{ \"base\": " + minimal + ",\n\"axes\": {\n" + axes + " }" + rest + " }";
}

Sweep sweep_of(const std::string& axes, const std::string& rest = "") {
  return parse_sweep(sweep_text(axes, rest), "sweep.json");
}

std::string errors_of_sweep(const std::string& axes, const std::string& rest = "") {
  return errors_of([&] { sweep_of(axes, rest); });
}

/// Returns the values of a path as JSON, separated by blanks.
std::string values_of(const Sweep& sweep, std::size_t column = 0) {
  std::string text;
  for (const auto& value : sweep.columns().at(column)->values) text += (text.empty() ? "" : " ") + brief_text(value);
  return text;
}

std::string one_axis(const std::string& value) { return values_of(sweep_of("\"platform.nodes\": " + value)); }

} // namespace

TEST_CASE("axes: lists, ranges, series") {
  CHECK(one_axis("[4, 8, 16]") == "4 8 16");
  CHECK(one_axis(R"({ "range": { "from": 4, "to": 7 } })") == "4 5 6 7");
  CHECK(one_axis(R"({ "range": { "from": 4, "to": 9, "step": 2 } })") == "4 6 8");
  CHECK(one_axis(R"({ "range": { "from": 0.1, "to": 0.5, "step": 0.1 } })") == "0.1 0.2 0.3 0.4 0.5");
  CHECK(one_axis(R"({ "range": { "from": "1MB", "to": "2MB", "step": "500KB" } })") == "\"1MB\" \"1.5MB\" \"2MB\"");
  CHECK(one_axis(R"({ "geometric": { "from": 4, "to": 40, "factor": 2 } })") == "4 8 16 32");
  CHECK(one_axis(R"({ "geometric": { "from": 4, "to": 64, "points": 5 } })") == "4 8 16 32 64");
  // Rounded; equal values occur once.
  CHECK(one_axis(R"({ "geometric": { "from": 1, "to": 4, "points": 6 } })") == "1 2 3 4");
  CHECK(one_axis(R"({ "geometric": { "from": "1us", "to": "100us", "points": 3 } })") == "\"1us\" \"10us\" \"100us\"");
  CHECK(one_axis(R"({ "geometric": { "from": "1KB", "to": "1MB", "points": 3 } })") == "\"1KB\" \"31624B\" \"1MB\"");
}

TEST_CASE("every value of a range lies on it, and both ends do") {
  REQUIRE(rc::check("range", [] {
    const auto from = *rc::gen::inRange(1, 100), step = *rc::gen::inRange(1, 9), count = *rc::gen::inRange(1, 50);
    const auto to = from + step * (count - 1) + *rc::gen::inRange(0, step);
    const auto sweep = sweep_of(
        fmt::format(R"("platform.nodes": {{ "range": {{ "from": {}, "to": {}, "step": {} }} }})", from, to, step));
    const auto& values = sweep.columns().front()->values;
    RC_ASSERT(std::ssize(values) == count);
    for (std::size_t i = 0; i < values.size(); ++i) RC_ASSERT(values[i].integer == from + step * static_cast<int>(i));
  }));
}

TEST_CASE("axes from files know the file") {
  const TemporaryDirectory directory;
  directory.write("n.txt", "# nodes\n4\n\n 8\n");
  directory.write("h.csv", "nodes,name,\"link, latency\"\n4,a,5us\n16,\"b\",\"1us\"\n");
  const auto load = [&](const std::string& axes) { return load_sweep(directory.write("s.json", sweep_text(axes))); };
  CHECK(values_of(load(R"("platform.nodes": { "file": "n.txt" })")) == "4 8");
  CHECK(values_of(load(R"("platform.nodes": { "file": "h.csv" })")) == "4 16");
  CHECK(values_of(load(R"("platform.network.link.latency": { "file": "h.csv", "column": "link, latency" })")) ==
        "\"5us\" \"1us\"");
  const auto zipped = load(R"("both": { "zip": { "platform.nodes": { "file": "h.csv" },
                               "platform.network.link.latency": { "file": "h.csv", "column": "link, latency" } } })");
  CHECK(selected_combinations(zipped).size() == 2);

  const auto errors = [&](const std::string& axes) { return errors_of([&] { load(axes); }); };
  CHECK_THAT(errors(R"("platform.nodes": { "file": "m.txt" })"), Contains("s.json:9:29: ") && Contains("no such file"));
  CHECK_THAT(errors(R"("platform.gpus": { "file": "h.csv", "column": "nods" })"),
             Contains("h.csv:1:1: /axes/platform.gpus/file: the file has no column \"nods\"; did you mean \"nodes\"?"));
  CHECK_THAT(errors(R"("platform.gpus": { "file": "h.csv" })"), Contains("name a column with \"column\""));
  CHECK_THAT(errors(R"("platform.nodes": { "file": "n.txt", "colum": "x" })"), Contains("unknown key \"colum\""));
  directory.write("n.txt", "# none\n");
  CHECK_THAT(errors(R"("platform.nodes": { "file": "n.txt" })"), Contains("the file has no values"));
}

TEST_CASE("an invalid value from a file is told at its line") {
  const TemporaryDirectory directory;
  directory.write("n.txt", "# nodes\n4\n0\n");
  const auto sweep = load_sweep(directory.write("s.json", sweep_text(R"("platform.nodes": { "file": "n.txt" })")));
  CHECK(point_at(sweep, 0).scenario.has_value());
  const auto point = point_at(sweep, 1);
  REQUIRE(point.errors.size() == 1);
  CHECK_THAT(format(point.errors[0]), Contains("n.txt:3:1: /platform/nodes: expected an integer from 1"));
}

TEST_CASE("the last axis changes fastest, zipped paths together") {
  const auto sweep = sweep_of(R"("platform.nodes": [4, 8],
    "pair": { "zip": { "workload.tensors.0.bytes": ["1KB", "1MB"], "training.iterations": [1, 2] } })");
  REQUIRE(selected_combinations(sweep).size() == 4);
  std::string seen;
  for (const auto c : selected_combinations(sweep)) {
    const auto scenario = point_at(sweep, c).scenario.value();
    seen += fmt::format("{}:{}:{} ", scenario.platform.nodes, scenario.workload.elements(),
                        scenario.phases.back().training.iterations);
  }
  CHECK(seen == "4:250:1 4:250000:2 8:250:1 8:250000:2 ");
}

TEST_CASE("a point is the scenario that --set makes, with the same id") {
  REQUIRE(rc::check("id", [] {
    const auto nodes = *rc::gen::inRange(1, 64), kb = *rc::gen::inRange(1, 1000);
    const auto sweep =
        sweep_of(fmt::format(R"("platform.nodes": [2, {}], "workload.tensors.0.bytes": ["4B", "{}KB"])", nodes, kb));
    const auto last = point_at(sweep, 3);
    const auto same = with({fmt::format("platform.nodes={}", nodes), fmt::format("workload.tensors.0.bytes={}KB", kb)});
    RC_ASSERT(last.id == scenario_id(same));
  }));
}

TEST_CASE("expansion: every selected combination once, in order, and the self-contained sweep has the same points") {
  REQUIRE(rc::check("expansion", [] {
    const auto a = *rc::gen::inRange(1, 6), b = *rc::gen::inRange(1, 6), least = *rc::gen::inRange(1, 12);
    const auto sweep = sweep_of(fmt::format(R"("platform.nodes": {{ "range": {{ "from": 1, "to": {} }} }},
                       "training.iterations": {{ "range": {{ "from": 1, "to": {} }} }})",
                                            a, b),
                                fmt::format(R"(, "where": "nodes + iterations >= {} or nodes == 1")", least));
    const auto selected = selected_combinations(sweep);
    std::vector<std::int64_t> expected;
    for (int i = 1; i <= a; ++i)
      for (int k = 1; k <= b; ++k)
        if (i + k >= least || i == 1) expected.push_back((i - 1) * b + k - 1);
    RC_ASSERT(selected == expected);

    const auto text = self_contained_json(sweep);
    const auto again = parse_sweep(text, "elsewhere/sweep.json");
    RC_ASSERT(self_contained_json(again) == text);
    RC_ASSERT(selected_combinations(again) == selected);
    for (const auto c : selected) RC_ASSERT(point_at(again, c).id == point_at(sweep, c).id);
  }));
}

TEST_CASE("a warm-up phase inherits what an axis sets") {
  auto base = minimal;
  base.replace(base.find("\"iterations\": 1"), 15, "\"iterations\": 1, \"warmup\": [ { \"iterations\": 2 } ]");
  const auto sweep = parse_sweep("{ \"base\": " + base + R"(, "axes": { "training.exchange.algorithm":
      ["ring", "binomial_tree"] } })",
                                 "s.json");
  for (const auto c : {0, 1}) {
    const auto phases = point_at(sweep, c).scenario.value().phases;
    CHECK(phases.front().training.exchange.algorithm == phases.back().training.exchange.algorithm);
  }
}

TEST_CASE("values for the platform may be paths, seen from the sweep") {
  const TemporaryDirectory directory;
  directory.write("p/a.json", R"({ "nodes": 3, "network": { "topology": "star", "link": { "bandwidth": "1Gbps" } } })");
  const auto path = directory.write("s.json", sweep_text(R"("platform": ["p/a.json"])"));
  const auto sweep = load_sweep(path);
  CHECK(point_at(sweep, 0).scenario.value().platform.nodes == 3);
  // No file is needed any longer.
  CHECK(point_at(parse_sweep(self_contained_json(sweep), "s.json"), 0).id == point_at(sweep, 0).id);
}

TEST_CASE("the base may be a path, and lack what axes supply") {
  const TemporaryDirectory directory;
  directory.write("base.json", minimal);
  const auto sweep =
      load_sweep(directory.write("s.json", R"({ "base": "base.json", "axes": { "platform.nodes": [2] } })"));
  CHECK(point_at(sweep, 0).scenario.value().platform.nodes == 2);
  const auto partial = parse_sweep(
      R"({ "base": { "workload": { "tensors": [{ "name": "g", "bytes": "4KB" }] },
                     "training": { "exchange": { "algorithm": "ring" } } },
           "axes": { "platform": [{ "nodes": 2, "network": { "topology": "star", "link": { "bandwidth": "1Gbps" } } }] }
         })",
      "s.json");
  CHECK(point_at(partial, 0).scenario.has_value());
}

TEST_CASE("columns carry units") {
  const auto sweep = sweep_of(R"("platform.network.link.latency": ["5us", "1ms"], "platform.nodes": [4],
    "workload.tensors.0.bytes": ["1MB"], "training.exchange.algorithm": ["ring"], "engine": ["hybrid",
    { "kind": "simgrid" }])");
  const auto columns = axis_columns(sweep);
  REQUIRE(columns.size() == 5);
  CHECK(columns[0].name == "platform.network.link.latency_s");
  CHECK(columns[1].name == "platform.nodes");
  CHECK(columns[2].name == "workload.tensors.0.bytes");
  CHECK(columns[3].name == "training.exchange.algorithm");
  const auto places = places_at(sweep, 3);
  const auto last = [&](std::size_t i) { return axis_cell(columns[i], (*columns[i].values)[places[columns[i].axis]]); };
  CHECK(last(0) == Cell(1e-3));
  CHECK(last(1) == Cell(std::int64_t{4}));
  CHECK(last(2) == Cell(1e6));
  CHECK(last(4) == Cell(R"({"kind": "simgrid"})"));
}

TEST_CASE("labels stand for values, in columns and conditions") {
  const auto sweep = sweep_of(R"(
    "// machines": "two of them",
    "machine": { "zip": { "platform.nodes": [4, 8], "platform.network.link.latency": ["5us", "1us"] },
                 "labels": ["small", "large"] },
    "training.exchange": { "values": [{ "algorithm": "ring" }, { "algorithm": "binomial_tree" }],
                           "labels": ["ring", "tree"] })",
                              R"(, "where": "machine == 'small' or exchange == 'ring'")");
  const auto columns = axis_columns(sweep);
  REQUIRE(columns.size() == 4);
  CHECK(columns[0].name == "machine");
  CHECK(columns[1].behind_label);
  CHECK(columns[3].path == "training.exchange");
  CHECK(axis_cell(columns[3], (*columns[3].values)[1]) == Cell(std::string("tree")));
  CHECK(selected_combinations(sweep) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(point_at(sweep, 2).scenario.value().platform.nodes == 8);
  const auto text = self_contained_json(sweep);
  CHECK(self_contained_json(parse_sweep(text, "again.json")) == text);

  const auto wrong = [](const std::string& labels) {
    return errors_of_sweep(R"("platform.nodes": { "values": [4, 8], "labels": )" + labels + " }");
  };
  CHECK_THAT(wrong(R"(["a"])"), Contains("/axes/platform.nodes/labels: 1 labels for 2 values"));
  CHECK_THAT(wrong(R"(["a", "a"])"), Contains("the label \"a\" appears twice"));
  CHECK_THAT(wrong("[1, 2]"), Contains("expected a label of a value, got the number 1"));
  CHECK_THAT(errors_of_sweep(R"("platform.nodes": { "labels": ["a"] })"), Contains("\"values\" is missing"));
}

TEST_CASE("an axis over machines or models reads the entries of the catalogue, with the base's own keys") {
  const std::string rest = R"("training": { "exchange": { "algorithm": "ring" } })";
  const std::string own = R"("nodes": 2, "node": { "nic_eager_limit": "4KiB" })";
  const auto with = [&](const std::string& platform, const std::string& workload) {
    return fmt::format(R"({{ "platform": {{ {}{} }}, "workload": {{ {}"step": "1s", "batch": 8 }}, {} }})", own,
                       platform.empty() ? "" : fmt::format(R"(, "machine": "{}")", platform),
                       workload.empty() ? "" : fmt::format(R"("model": "{}", )", workload), rest);
  };
  const auto id = [&](const std::string& machine, const std::string& model) {
    return scenario_id(parse_scenario(with(machine, model), "s.json"));
  };
  for (const char* machine : {"", "dgx-h100"}) // the base may lack the key
    for (const char* model : {"", "bert-large"}) {
      const Sweep sweep =
          parse_sweep(fmt::format(R"({{ "base": {}, "axes": {{ "platform.machine": ["dgx-a100", "dgx-h100"],
                      "workload.model": ["bert-large", "vit-l-16"] }} }})",
                                  with(machine, model)),
                      "sweep.json");
      const std::vector<std::string> ids = {id("dgx-a100", "bert-large"), id("dgx-a100", "vit-l-16"),
                                            id("dgx-h100", "bert-large"), id("dgx-h100", "vit-l-16")};
      const Sweep again = parse_sweep(self_contained_json(sweep), "again.json");
      for (std::size_t i = 0; i < ids.size(); ++i) {
        CAPTURE(machine, model, i);
        CHECK(point_at(sweep, static_cast<std::int64_t>(i)).id == ids[i]);
        CHECK(point_at(again, static_cast<std::int64_t>(i)).id == ids[i]);
      }
    }
  const auto jobs = [&](const std::string& model) {
    return fmt::format(
        R"({{ "platform": {{ "machine": "dgx-a100", "nodes": 2 }}, "jobs": [{{ "name": "a", "ranks": [0, 1],
      "workload": {{ "model": "{}", "step": "1s", "batch": 8 }}, {} }}] }})",
        model, rest);
  };
  const Sweep of_job = parse_sweep(fmt::format(R"({{ "base": {}, "axes": {{ "jobs.0.workload.model":
      ["bert-large", "vit-l-16"] }} }})",
                                               jobs("bert-large")),
                                   "sweep.json");
  CHECK(point_at(of_job, 1).id == scenario_id(parse_scenario(jobs("vit-l-16"), "s.json")));
  const Sweep mistyped = parse_sweep(
      fmt::format(R"({{ "base": {}, "axes": {{ "platform.machine": ["dgx-h10"] }} }})", with("", "vit-l-16")),
      "sweep.json");
  CHECK_THAT(brief_message(point_at(mistyped, 0).errors), Contains("unknown machine \"dgx-h10\""));
}

TEST_CASE("an axis may have a name") {
  const auto sweep =
      sweep_of(R"("p": { "path": "platform.nodes", "values": { "geometric": { "from": 4, "to": 16, "factor": 2 } } },
    "alpha": { "path": "platform.network.link.latency", "values": ["5us", "1us"], "labels": ["slow", "quick"] })",
               R"(, "where": "p >= 8 and nodes < 16 and alpha == 'slow' and latency > 2us")");
  const auto columns = axis_columns(sweep);
  REQUIRE(columns.size() == 3);
  CHECK(columns[0].name == "p");
  CHECK(columns[0].path == "platform.nodes");
  CHECK(columns[1].name == "alpha");
  CHECK(columns[2].name == "platform.network.link.latency_s");
  CHECK(columns[2].behind_label);
  CHECK(selected_combinations(sweep) == std::vector<std::int64_t>{2});
  CHECK(point_at(sweep, 2).scenario.value().platform.nodes == 8);
  const auto text = self_contained_json(sweep);
  CHECK(self_contained_json(parse_sweep(text, "again.json")) == text);
  CHECK(
      axis_columns(sweep_of(R"("beta": { "path": "platform.network.link.bandwidth", "values": ["1Gbps"] })"))[0].name ==
      "beta_bytes_per_s");
  CHECK_THAT(errors_of_sweep(R"("p": { "path": "platform.nodes.x", "values": [4] })"), Contains("/axes/p/path: "));
  CHECK_THAT(errors_of_sweep(R"("p": { "path": 3, "values": [4] })"), Contains("/axes/p/path: expected"));
}

TEST_CASE("everything that is wrong with a sweep, at once and in its place") {
  CHECK(
      errors_of([] { parse_sweep(R"({ "bsae": {}, "axes": { "a.b": [] , "c": 3 }, "keep": "time_s" })", "s.json"); }) ==
      "s.json:1:1: \"base\" is missing: the path of a scenario file, or an object with name, description, platform, "
      "jobs, workload, training, engine, placement, traffic, changes, failures, recovery, limits, expect\n"
      "s.json:1:3: /bsae: unknown key \"bsae\"; did you mean \"base\"? Allowed: name, description, base, axes, where, "
      "keep, columns, limits\n"
      "s.json:1:32: /axes/a.b: expected a list of one or more, each item a value as --set takes it, got an empty list\n"
      "s.json:1:42: /axes/c: expected a list of values, or an object with range, geometric, file or zip, got the "
      "number "
      "3\n"
      "s.json:1:55: /keep: expected a list, each item a quantity of the result such as \"wire_bytes\", got the text "
      "\"time_s\"\n");
  const auto axis = [](const std::string& value) { return errors_of_sweep("\"platform.nodes\": " + value); };
  CHECK_THAT(axis(R"({ "range": { "from": 8, "to": 4 } })"), Contains("/range/to: 4 must be at least \"from\", 8"));
  CHECK_THAT(axis(R"({ "range": { "from": 8, "to": "4us" } })"),
             Contains("/range/to: expected a number, like \"from\""));
  CHECK_THAT(axis(R"({ "range": { "from": "8us", "to": "9us" } })"), Contains("\"step\" is missing: a quantity"));
  CHECK_THAT(axis(R"({ "range": { "from": "8us", "to": "9MB", "step": "1us" } })"), Contains("/range/to: "));
  CHECK_THAT(axis(R"({ "range": { "from": 1, "to": 9, "step": 0 } })"),
             Contains("/range/step: 0 is out of range; expected a step above 0"));
  CHECK_THAT(axis(R"({ "range": { "from": 1, "to": 1e9 } })"), Contains("too many values; at most 1000000"));
  CHECK_THAT(axis(R"({ "geometric": { "from": 1, "to": 9 } })"), Contains("exactly one of \"factor\" and \"points\""));
  CHECK_THAT(axis(R"({ "geometric": { "from": 0, "to": 9, "factor": 2 } })"), Contains("/from: 0 is out of range"));
  CHECK_THAT(axis(R"({ "geometric": { "from": 1, "to": 9, "factor": 1 } })"), Contains("a number above 1"));
  CHECK_THAT(axis(R"({ "rnage": {} })"), Contains("range, geometric, file or zip"));
  CHECK_THAT(
      errors_of_sweep(R"("z": { "zip": { "platform.nodes": [1, 2], "training.iterations": [1] } })"),
      Contains("/axes/z/zip/training.iterations: 1 values, but \"platform.nodes\", which is zipped with it, has 2"));
  CHECK_THAT(errors_of_sweep(R"("platform.nodes": [1], "platform": [{}])"),
             Contains("the axis \"platform\" overlaps \"platform.nodes\""));
  CHECK_THAT(errors_of_sweep(R"("z": { "zip": { "platform.nodes": [1] } }, "platform.nodes": [2])"),
             Contains("the axis \"platform.nodes\" appears twice"));
  CHECK_THAT(errors_of_sweep(R"("workload.tensors.3.bytes": ["1MB"])"), Contains("item 3 does not exist"));
  CHECK_THAT(errors_of_sweep(""), Contains("/axes: expected an object, each value") && Contains("got an empty object"));
  CHECK_THAT(errors_of_sweep(R"("// nodes": "all")"), Contains("/axes: expected") && Contains("got an empty object"));
  CHECK_THAT(errors_of_sweep(R"("//": ["all"], "platform.nodes": [1])"),
             Contains("/axes/~1~1: a comment must be a text"));
  CHECK_THAT(errors_of_sweep(R"("z": { "zip": { "//": "none" } })"),
             Contains("/axes/z/zip: expected an object, each") && Contains("got an empty object"));
  CHECK_THAT(errors_of_sweep(R"("platform..nodes": [1])"), Contains("the path has an empty part"));
  CHECK_THAT(errors_of_sweep(R"("platform.nodes": [1])", R"(, "where": "nodes > 1")"),
             Contains("/where: no combination of the axes meets this condition"));
  CHECK_THAT(errors_of_sweep(R"("platform.nodes": [1])", ",\n\"where\": \"nodes > 1MB\""),
             Contains("sweep.json:10:17: /where: a plain number and a size in bytes cannot be combined"));
  CHECK_THAT(errors_of_sweep(R"("platform.nodes": { "range": { "from": 1, "to": 10000 } },
    "training.iterations": { "range": { "from": 1, "to": 10000 } })"),
             Contains("100000000 combinations are too many; at most"));
}

TEST_CASE("a point that is no scenario says why, without places") {
  const auto sweep = sweep_of(R"("platform.nodes": [0, 4], "training.exchange.algorithm": ["ring"])");
  const auto bad = point_at(sweep, 0);
  CHECK_FALSE(bad.scenario.has_value());
  CHECK(bad.id.ends_with("-invalid"));
  CHECK(brief_message(bad.errors) == "/platform/nodes: expected an integer from 1 to 1000000, got the number 0");
  CHECK_THAT(format(bad.errors.at(0)), Contains("sweep.json:9:20: /platform/nodes"));
  CHECK(point_at(sweep, 1).scenario.has_value());
}

TEST_CASE("the shipped sweeps are sweeps") {
  for (const auto& entry : std::filesystem::directory_iterator(std::string(GF_SOURCE_DIR) + "/analysis/sweeps")) {
    CAPTURE(entry.path().string());
    CHECK(errors_of([&] {
            CHECK(validate_file(entry.path().string()) == FileKind::sweep);
            const auto sweep = load_sweep(entry.path().string());
            for (const auto c : selected_combinations(sweep)) CHECK(brief_message(point_at(sweep, c).errors).empty());
          }) == "");
  }
}
