// One of the few files that include CLI11.
#include "cli/new_scenario.hpp"

#include "analysis/run/files/output_file.hpp"
#include "analysis/run/prepare.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <unistd.h>

namespace gradflight::cli {
namespace {

namespace fs = std::filesystem;

/// Asks the questions that no option has answered. If standard input ends, the remaining answers are the defaults.
void ask(FirstScenario& said) {
  print_message("An empty answer means the value in brackets.\n");
  for (const FirstQuestion& question : first_questions()) {
    std::string& answer = said.*question.answer;
    if (!answer.empty() || settled(question, said)) continue;
    print_message(*question.usual == 0 ? fmt::format("{}? ", question.asks)
                                       : fmt::format("{}? [{}] ", question.asks, question.usual));
    if (!std::getline(std::cin, answer)) break;
    if (answer.empty()) answer = question.usual;
  }
  if (isatty(STDIN_FILENO) == 0) print_message("\n");
}

/// Throws InputErrors if an option has no effect, or if the number of parameters comes without a time.
void check_options(const FirstScenario& said) {
  std::vector<Diagnostic> found;
  const auto report = [&](const char* option, const std::string& answer, std::string message) {
    found.push_back({fmt::format("{} {}", option, answer), 0, 0, "", std::move(message)});
  };
  for (const FirstQuestion& question : first_questions())
    if (std::string why = without_effect(question, said); !why.empty())
      report(question.option, said.*question.answer, std::move(why));
  if (found.empty() && !said.parameters.empty() && said.step.empty())
    report("--parameters", said.parameters,
           "the number of parameters does not determine the compute time: add --step TIME, such as --step 450ms");
  if (!found.empty()) throw InputErrors(std::move(found));
}

/// Assigns mistakes in the generated text to the options that caused them, because the text is not written.
InputErrors at_options(const InputErrors& errors, const FirstScenario& said) {
  std::vector<Diagnostic> placed = errors.diagnostics();
  for (Diagnostic& mistake : placed)
    for (const FirstQuestion& question : first_questions())
      if (mistake.pointer == question.key)
        mistake = {fmt::format("{} {}", question.option, said.*question.answer), 0, 0, "", mistake.message};
  return InputErrors(placed);
}

std::string shown(const fs::path& file) { return file.empty() ? "SCENARIO" : file.string(); }

} // namespace

int new_scenario(NewOptions options) {
  if (options.file == "-") options.file.clear();
  if (std::error_code ignored; !options.file.empty() && fs::exists(options.file, ignored))
    throw OutputError(fmt::format("{} exists; give another name", options.file.string()));
  if (options.ask) ask(options.said);
  check_options(options.said);
  const FirstScenario said = with_usual(options.said);
  const std::string text = first_scenario_json(said);
  const std::string name = options.file.empty() ? "new scenario" : options.file.string();
  try {
    prepare_changed(ScenarioSource{name, text}, {});
  } catch (const InputErrors& errors) {
    throw at_options(errors, said);
  }
  if (options.file.empty()) {
    print_result(text);
  } else {
    OutputFile file(options.file);
    file.write(text);
    file.commit();
  }
  flush_result();
  const std::string file = shown(options.file);
  print_message(fmt::format("Next: gradflight run {0}\n      gradflight advise {0}\n      gradflight scale {0} --over "
                            "platform.nodes=1,2,4,8\n",
                            file));
  return done;
}

void add_new(CLI::App& app, NewOptions& options, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand("new", "Write a first scenario with comments, from options or questions");
  command->add_option("file", options.file, "The file to write (default: standard output)")->type_name("FILE");
  for (const FirstQuestion& question : first_questions()) {
    const bool usual = *question.usual != 0;
    command
        ->add_option(question.option, options.said.*question.answer,
                     usual ? fmt::format("{} (default: {})", question.asks, question.usual) : question.asks)
        ->type_name(question.type);
  }
  command->add_flag("--ask", options.ask,
                    "Ask for values that no option gives (default: on a terminal without options)");
  command->callback([&options, &action] {
    const bool none = std::ranges::all_of(
        first_questions(), [&](const FirstQuestion& question) { return (options.said.*question.answer).empty(); });
    options.ask = options.ask || (none && isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0);
    action = [&options] { return new_scenario(options); };
  });
}

} // namespace gradflight::cli
