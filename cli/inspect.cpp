// `validate`, `explain`, `schema`, `plan`: commands without simulation.
#include "analysis/evidence/boards/board_packs.hpp"
#include "analysis/evidence/reproduction/pack_runs.hpp"
#include "analysis/explore/sweeps/sweep_quantities.hpp"
#include "analysis/explore/sweeps/sweep_run.hpp"
#include "analysis/run/prepare.hpp"
#include "analysis/run/result/fields/result_fields.hpp"
#include "analysis/run/text/machine_text.hpp"
#include "base/human.hpp"
#include "base/nearest_name.hpp"
#include "cli/commands.hpp"
#include "cli/named_file.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/standard_input.hpp"
#include "platforms/code/doubtful_values.hpp"
#include "scenarios/language/decode/load.hpp"
#include "scenarios/language/describe/describe.hpp"
#include "scenarios/language/kinds/file_kinds.hpp"
#include "sim/jobs.hpp"
#include "sim/training/plan_text.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>

namespace gradflight::cli {

namespace {

/// Includes the quantities that it keeps. Some points may be invalid, as a sweep may reach beyond what is possible:
/// returns "; 2 of 9 points are invalid, first number 4: ..." with their number among the first ones.
std::string validate_sweep(Document& document) {
  constexpr std::size_t looked_at = 10'000;
  const Sweep sweep = decode_sweep(document, quantity_names());
  auto combinations = selected_combinations(sweep);
  if (auto errors = errors_of_all(sweep, combinations); !errors.empty()) throw InputErrors(std::move(errors));
  combinations.resize(std::min(combinations.size(), looked_at));
  std::int64_t invalid = 0;
  std::string first;
  for (const std::int64_t combination : combinations) {
    const auto errors = errors_of_point(sweep, combination);
    if (!errors.empty() && invalid++ == 0) first = fmt::format("{}: {}", combination, brief_message(errors));
  }
  if (invalid == 0) return "";
  return fmt::format("; {} of {} {} invalid, first number {}", invalid, counted(std::ssize(combinations), "point"),
                     invalid == 1 ? "is" : "are", first);
}

/// Returns "; warning: ..." for each doubtful value of a valid file.
std::string warnings_about(const AnyFile& file) {
  std::string text;
  const auto add = [&](const PlatformSpec& platform) {
    for (const std::string& doubt : doubtful_values(platform)) text += fmt::format("; warning: {}", doubt);
  };
  if (file.kind == FileKind::platform) add(load_platform(file.path));
  if (file.kind == FileKind::scenario) add(load_scenario(file.path).platform);
  return text;
}

} // namespace

int validate(const std::vector<std::filesystem::path>& files) {
  bool all_good = true;
  for (const auto& file : files) {
    std::string more;
    try {
      refuse_standard_input("validate", file);
      auto read = read_any_file(file.string());
      if (read.kind == FileKind::pack)
        check_pack(std::move(read.document), file.string()); // with its scenarios and the values read from them
      else if (read.kind == FileKind::measured)
        check_board(std::move(read.document), file.string()); // including its logs
      else if (read.kind == FileKind::sweep)
        more = validate_sweep(read.document);
      else {
        validate_file(read, shape_errors);
        more = warnings_about(read);
      }
      print_result(fmt::format("{}: ok ({}{})\n", file.string(), file_kind_name(read.kind), more));
    } catch (const InputErrors& errors) {
      flush_result();
      print_message(errors.format());
      all_good = false;
    }
  }
  return all_good ? done : bad_input;
}

namespace {

/// Explains a word that is not the path of a key: lists what it may mean. `mistake` says why it is not a path.
int explain_unknown(const std::string& word, const std::string& mistake) {
  const TableInfo* results = &result_table().info;
  const bool is_path = word.find('.') != std::string::npos;
  const std::string named = named_keys_text(word, results);
  const std::string others = is_path ? "" : catalogue_search(word) + search_text(word, results);
  if (!named.empty()) {
    print_result(fmt::format("Keys that end in \"{}\" (gradflight explain PATH explains one):\n{}", word, named));
    if (!others.empty()) print_result(fmt::format("Other matches:\n{}", others));
    return done;
  }
  if (!others.empty()) {
    print_result(fmt::format("No key is named \"{0}\". Keys that match \"{0}\":\n{1}", word, others));
    return done;
  }
  if (is_path) {
    const std::string last = word.substr(word.rfind('.') + 1);
    const auto elsewhere = named_keys(last, results);
    print_message(fmt::format(
        "gradflight explain: {}{}\n", mistake,
        elsewhere.empty() ? "" : fmt::format("; keys that end in \"{}\": {}", last, fmt::join(elsewhere, ", "))));
    return bad_input;
  }
  std::vector<std::string> names = searched_names(results);
  for (const std::string& name : catalogued_names()) names.push_back(name);
  const std::string nearest = nearest_name(word, names);
  print_message(fmt::format("gradflight explain: no key, value, model or machine is named \"{}\"; {}\n", word,
                            nearest.empty() ? "docs/scenario-reference.md and docs/result-reference.md list all keys"
                                            : fmt::format("did you mean \"{}\"?", nearest)));
  return bad_input;
}

/// Loads a file or a machine of the catalogue. `nodes`: 0 for the platform's own number.
PlatformSpec machine_called(const std::string& name, int nodes) {
  constexpr const char* command = "gradflight explain";
  if (nodes > 0 || name == "-") return load_changed_platform(name, std::max(nodes, 1), {}, command);
  return load_named(name, command, load_platform);
}

} // namespace

int explain(const std::string& path, const std::string& machine, int nodes) {
  if (!machine.empty() && path != "platform") {
    print_message(fmt::format("gradflight explain: only \"platform\" takes a machine: gradflight explain platform {}\n",
                              machine));
    return bad_input;
  }
  if (!machine.empty()) {
    print_result(machine_text(machine_called(machine, nodes)));
    return done;
  }
  if (const std::string entry = catalogue_entry(path); !entry.empty()) {
    print_result(entry);
    return done;
  }
  try {
    print_result(explain_text(path, &result_table().info));
    print_result(catalogue_list(path));
  } catch (const UnknownPath& unknown) {
    return explain_unknown(path, unknown.what());
  }
  return done;
}

int schema(bool of_results) {
  print_result(of_results ? schema_text(result_table().info, failed_run_table().info) : schema_text());
  return done;
}

int plan(const PlanCommand& options) {
  refuse_standard_input("plan", options.scenario);
  const Prepared prepared = prepare_to_look_at(options.scenario, options.sets);
  std::ostringstream text;
  try {
    for (const Scenario& job : job_scenarios(prepared.scenario())) {
      text << "job " << job.name << '\n';
      print_plan(job, prepared.platform(), {options.rank, options.limit}, text);
    }
    if (prepared.scenario().queue) {
      print_message("gradflight plan: a list of jobs has a plan for each size of job: leave \"jobs\" out, and set the "
                    "platform's nodes\n");
      return bad_input;
    }
    if (prepared.scenario().jobs.empty())
      print_plan(prepared.scenario(), prepared.platform(), {options.rank, options.limit}, text);
  } catch (const std::out_of_range& no_such_rank) {
    print_message(fmt::format("gradflight plan: --rank {}: {}\n", options.rank, no_such_rank.what()));
    return bad_input;
  }
  print_result(text.str());
  return done;
}

} // namespace gradflight::cli
