#include "cli/help.hpp"

#include "base/nearest_name.hpp"
#include "scenarios/language/fields/shape.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>
#include <utility>
#include <vector>

namespace gradflight::cli {
namespace {

struct Example {
  std::string_view command, line, meaning;
};

// The first example of each command is also in the main help. The examples of encode, decode and stats belong to codec.
constexpr std::array examples = {
    Example{"new", "gradflight new scenario.json", "write a first scenario from a few questions"},
    Example{"new", "gradflight new bert.json --nodes 16 --bandwidth 25Gbps --oversubscription 4 --step 450ms",
            "the same from options"},
    Example{"run", "gradflight run scenario.json", "show how long a training step takes, and why"},
    Example{"run", "gradflight run scenario.json --set platform.nodes=16", "the same with one value changed"},
    Example{"run", "gradflight run scenario.json --json", "the result as JSON"},
    Example{"run", "gradflight run scenario.json --report run.html", "write a page to open in a browser"},
    Example{"run", "gradflight run scenario.json --out runs/1", "keep the scenario, result, links and command"},
    Example{"run", "gradflight run scenario.json --timeline t.json",
            "write a timeline to open in https://ui.perfetto.dev"},
    Example{"compare", "gradflight compare a.json b.json", "compare two scenarios, and show why they differ"},
    Example{"compare", "gradflight compare a.json --variant fp16:training.compression=fp16",
            "compare a scenario with a change of it"},
    Example{"scale", "gradflight scale scenario.json --over platform.nodes=1,2,4,8",
            "show up to where more nodes pay off"},
    Example{"advise", "gradflight advise scenario.json", "show what bounds the step, and what would help most"},
    Example{"check", "gradflight check scenarios/", "compare every simulated time with its closed form"},
    Example{"check", "gradflight check a.json b.json --tolerance 1e-6 --json",
            "allow a larger error, and print JSON for a script"},
    Example{"regress", "gradflight regress golden/", "show which simulated times changed, and why"},
    Example{"regress", "gradflight regress golden/ --accept", "accept the new values"},
    Example{"regress", "gradflight regress golden/ --jobs 4 --junit regress.xml", "for a CI system"},
    Example{"validate", "gradflight validate scenario.json", "list all mistakes in a file"},
    Example{"explain", "gradflight explain training.overlap", "show the meaning, unit and default of a key"},
    Example{"explain", "gradflight explain nvlink", "find keys by a word"},
    Example{"schema", "gradflight schema > scenario.schema.json", "write the JSON Schema for an editor"},
    Example{"plan", "gradflight plan scenario.json --rank 0", "list the operations of a rank in order"},
    Example{"codec", "gradflight codec stats --codec inceptionn gradients/", "show what a codec does to tensors"},
    Example{"encode", "gradflight codec encode --codec threelc g.npy g.3lc", "encode a tensor"},
    Example{"encode", "gradflight codec encode --codec inceptionn --set error_bound_log2=-8 g.npy g.bin",
            "with a parameter"},
    Example{"decode", "gradflight codec decode --codec threelc --elements 1000 g.3lc g.npy", "decode it again"},
    Example{"stats", "gradflight codec stats --codec inceptionn g.npy", "show sizes, errors and class shares"},
    Example{"import", "gradflight import kineto trace.json.gz --model workloads/networks/resnet50.json --out w.json",
            "import a workload from a PyTorch profiler trace"},
    Example{"import", "gradflight import kineto trace.json.gz --step 5 > w.json",
            "make one layer for each recorded all-reduce of ProfilerStep#5"},
    Example{"calibrate", "gradflight calibrate measured.csv --out platform.json",
            "fit a platform to measured times, and show how well it predicts the others"},
    Example{"calibrate", "gradflight calibrate measured.csv --set platform.protocol.burst=3200B",
            "the same with a known value of the network"},
    Example{"calibrate", "gradflight calibrate scenarios/gtop-k/reproduce.json",
            "fit the parameters of a pack to its declared figures"},
    Example{"calibrate", "gradflight calibrate scenarios/gtop-k/reproduce.json --write --transfer --cross-validate 20",
            "also test fits to other figures, and write all results"},
    Example{"calibrate", "gradflight calibrate two-nodes.log --platform dgx-a100 --predict eight-nodes.log",
            "fit latency and rate to a log of nccl-tests or OSU, and predict another log"},
    Example{"collective", "gradflight collective all_reduce --platform dgx-a100 --nodes 4",
            "print the table of nccl-tests for four machines, and what NCCL would choose"},
    Example{"collective", "gradflight collective alltoall --platform rack.json --algorithm bruck --json",
            "simulate one plain schedule on your own platform"},
    Example{"sweep", "gradflight sweep sweep.json --out sweeps/1", "simulate every point; run it again to resume"},
    Example{"sweep", "gradflight sweep sweep.json --out sweeps/1 --shard 0/4",
            "simulate a quarter of the sweep on this machine"},
    Example{"sweep", "gradflight sweep sweep.json --out sweeps/1 --slurm 16 | sh", "run 16 array tasks, then merge"},
    Example{"merge", "gradflight merge sweeps/1", "write results.sqlite and results.csv"},
    Example{"analyze", "gradflight analyze sweeps/1",
            "show times, and where the closed form breaks, in tables and a page of charts"},
    Example{"analyze", "gradflight analyze sweeps/1 --pareto time_s,wire_bytes",
            "show the Pareto front of two quantities"},
    Example{"analyze", "gradflight analyze sweeps/1 --baseline algorithm=ring", "show the speedup over a ring"},
    Example{"analyze", "gradflight analyze sweeps/1 --column 'mine=2*(nodes-1)*bytes/nodes/link.bandwidth'",
            "compare your own timing model with the simulation"},
    Example{"reproduce", "gradflight reproduce",
            "compare the figures of papers with simulated ones (packs in ./scenarios)"},
    Example{"reproduce", "gradflight reproduce gtop-k --report gtop-k.html", "write a page with plots for one paper"},
    Example{"reproduce", "gradflight reproduce --measured --report measured.html",
            "compare measured tables of collectives with simulated ones"},
};

/// Returns the commands that the help lists.
std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App* c) { return !c->get_group().empty(); }))
    names.push_back(command->get_name());
  return names;
}

} // namespace

std::string examples_of(const CLI::App& app) {
  const bool main = app.get_parent() == nullptr;
  std::string text = "Examples:\n", last;
  for (const Example& e : examples) {
    if (main ? e.command == last || !is_command(app, e.command) : e.command != app.get_name()) continue;
    last = e.command;
    text += fmt::format("  {}\n      {}\n", e.line, e.meaning);
  }
  return text + '\n';
}

namespace {

class ExamplesFirst : public CLI::Formatter {
public:
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    const std::string rest = CLI::Formatter::make_help(app, name, mode);
    return mode == CLI::AppFormatMode::Normal ? examples_of(*app) + rest : rest;
  }
  // Defaults and conditions stand in the description, as sentences do, not between the option and its description.
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return {};
    std::string text = option->get_type_name().empty() ? "" : " " + option->get_type_name();
    if (option->get_expected_max() == CLI::detail::expected_max_vector_size) text += " ...";
    return option->get_required() ? text + " REQUIRED" : text;
  }
  std::string make_option_desc(const CLI::Option* option) const override { return option_meaning(*option); }
};

} // namespace

void use_examples(CLI::App& app) {
  auto formatter = std::make_shared<ExamplesFirst>();
  formatter->column_width(34);
  app.formatter(formatter);
}

std::string any_command(const CLI::App& app) {
  std::vector<std::string> names = command_names(app);
  const std::string last = names.back();
  names.pop_back();
  return joined(names) + " or " + last;
}

bool is_command(const CLI::App& app, std::string_view word) {
  // Includes commands that the help does not list.
  const auto all = app.get_subcommands([](const CLI::App*) { return true; });
  return std::ranges::any_of(all, [&](const CLI::App* command) { return command->get_name() == word; });
}

std::string suggestion(const CLI::App& app, const std::string& word) {
  std::error_code ignored;
  if (word.ends_with(".json") || std::filesystem::exists(word, ignored)) return "run " + word;
  return nearest_name(word, command_names(app));
}

std::string option_meaning(const CLI::Option& option) {
  std::string text = option.get_description();
  if (const std::string value = option.get_default_str(); !value.empty()) text += fmt::format(" (default: {})", value);
  for (const CLI::Option* other : option.get_needs()) text += "; only with " + other->get_name();
  for (const CLI::Option* other : option.get_excludes()) text += "; not with " + other->get_name();
  return text;
}

} // namespace gradflight::cli
