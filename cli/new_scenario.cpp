// One of the few files that include CLI11.
#include "cli/new_scenario.hpp"

#include "analysis/run/files/output_file.hpp"
#include "analysis/run/prepare.hpp"
#include "base/paths.hpp"
#include "base/utf.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/mistakes.hpp"
#include "scenarios/language/decode/machines.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <optional>
#include <unistd.h>

namespace gradflight::cli {
namespace {

namespace fs = std::filesystem;

/// Throws InputErrors if the answers do not make a valid scenario; answers that are missing have their defaults.
void check_scenario(const FirstScenario& said, const std::string& name) {
  prepare_changed(ScenarioSource{name, first_scenario_json(with_usual(said))}, {});
}

/// JSON contains only UTF-8. Returns an empty text for an answer in UTF-8.
std::string encoding_mistake(const std::string& answer) {
  const std::size_t bad = not_utf8(answer);
  if (bad == std::string::npos) return {};
  return fmt::format("byte 0x{:02X} is invalid UTF-8; a scenario contains only UTF-8",
                     static_cast<unsigned char>(answer[bad]));
}

/// Whether the mistake is in the value of `question`. A machine's file has a key of its own.
bool is_of(const Diagnostic& mistake, const FirstQuestion& question) {
  return mistake.pointer == question.key || mistake.pointer.starts_with(std::string(question.key) + '/') ||
         (question.answer == &FirstScenario::machine && mistake.pointer == "/platform/extends");
}

constexpr const char* step_is_missing = "the number of parameters does not determine the compute time";

/// Returns why an answer is wrong; empty if it is right, or wrong only together with a later answer.
std::string mistake_in(const FirstQuestion& question, const FirstScenario& said) {
  if (question.answer == &FirstScenario::step && !said.parameters.empty() && said.step.empty())
    return fmt::format("{}: expected a time such as 450ms", step_is_missing);
  if ((said.*question.answer).empty()) return {};
  if (std::string mistake = encoding_mistake(said.*question.answer); !mistake.empty()) return mistake;
  try {
    check_scenario(said, "new scenario");
  } catch (const InputErrors& errors) {
    const auto& all = errors.diagnostics();
    const auto own = std::ranges::find_if(all, [&](const Diagnostic& mistake) { return is_of(mistake, question); });
    return own == all.end() ? std::string() : own->message;
  }
  return {};
}

/// Asks the questions that no option has answered, and asks again after a wrong answer. If standard input ends, the
/// remaining answers are the defaults.
void ask(FirstScenario& said) {
  const bool is_terminal = isatty(STDIN_FILENO) != 0;
  print_message("An empty answer means the value in brackets.\n");
  for (const FirstQuestion& question : first_questions()) {
    std::string& answer = said.*question.answer;
    if (!answer.empty() || settled(question, said)) continue;
    for (bool is_answered = false; !is_answered;) {
      print_message(*question.usual == 0 ? fmt::format("{}? ", question.asks)
                                         : fmt::format("{}? [{}] ", question.asks, question.usual));
      std::string line;
      if (!std::getline(std::cin, line)) {
        if (!is_terminal) print_message("\n");
        return;
      }
      answer = line.empty() ? question.usual : line;
      const std::string mistake = mistake_in(question, said);
      if (!mistake.empty()) print_message(fmt::format("{}{}\n", is_terminal ? "" : "\n", mistake));
      is_answered = mistake.empty();
    }
  }
  if (!is_terminal) print_message("\n");
}

/// Throws InputErrors if an option has no effect or invalid text, or if the number of parameters comes without a time.
void check_options(const FirstScenario& said) {
  std::vector<Diagnostic> found;
  const auto report = [&](const char* option, const std::string& answer, std::string message) {
    found.push_back({fmt::format("{} {}", option, answer), 0, 0, "", std::move(message)});
  };
  for (const FirstQuestion& question : first_questions())
    for (std::string why : {without_effect(question, said), encoding_mistake(said.*question.answer)})
      if (!why.empty()) report(question.option, said.*question.answer, std::move(why));
  if (found.empty() && !said.parameters.empty() && said.step.empty())
    report("--parameters", said.parameters, fmt::format("{}: add --step TIME, such as --step 450ms", step_is_missing));
  if (!found.empty()) throw InputErrors(std::move(found));
}

/// Returns the answers without the mistakes that check_options has found, so that the others can be checked.
FirstScenario without_mistakes(FirstScenario said) {
  for (const FirstQuestion& question : first_questions())
    if (std::string& answer = said.*question.answer; !encoding_mistake(answer).empty()) answer.clear();
  if (!said.parameters.empty() && said.step.empty()) said.step = "1s";
  return said;
}

/// Assigns mistakes in the generated text to the options that caused them, because the text is not written.
InputErrors at_options(const InputErrors& errors, const FirstScenario& said) {
  std::vector<Diagnostic> placed = errors.diagnostics();
  for (Diagnostic& mistake : placed)
    for (const FirstQuestion& question : first_questions())
      if (is_of(mistake, question))
        mistake = {fmt::format("{} {}", question.option, said.*question.answer), 0, 0, "", mistake.message};
  return InputErrors(placed);
}

std::string file_text(const fs::path& file) { return file.empty() ? "SCENARIO" : file.string(); }

} // namespace

int new_scenario(NewOptions options) {
  if (options.file == "-") options.file.clear();
  if (std::error_code ignored; !options.file.empty() && fs::exists(options.file, ignored))
    throw OutputError(fmt::format("{} exists, and new replaces no file; give another name", options.file.string()));
  if (options.ask) ask(options.said);
  Mistakes mistakes;
  mistakes.collect([&] { check_options(options.said); });
  FirstScenario said = with_usual(mistakes.any() ? without_mistakes(options.said) : options.said);
  if (names_file(said.machine) && !options.file.empty()) // paths in a file start at its directory
    said.machine =
        real_path(said.machine).lexically_proximate(real_path(absolute_path(options.file).parent_path())).string();
  std::optional<OutputFile> file;
  mistakes.collect([&] {
    if (!options.file.empty()) file.emplace(options.file);
  });
  mistakes.collect([&] {
    try {
      check_scenario(said, options.file.empty() ? "new scenario" : options.file.string());
    } catch (const InputErrors& errors) {
      throw at_options(errors, said);
    }
  });
  mistakes.raise();
  if (file) {
    file->write(first_scenario_json(said));
    file->commit();
  } else {
    print_result(first_scenario_json(said));
  }
  flush_result();
  print_message(fmt::format("Next: gradflight run {0}\n      gradflight advise {0}\n      gradflight scale {0} --over "
                            "platform.nodes=1,2,4,8\n",
                            file_text(options.file)));
  return done;
}

void add_new(CLI::App& app, NewOptions& options, std::function<int()>& action) {
  CLI::App* command =
      app.add_subcommand("new", "Write a first scenario with comments; options or answers give its values");
  command->add_option("file", options.file, "File to write (default: standard output)")->type_name("FILE");
  for (const FirstQuestion& question : first_questions()) {
    const bool usual = *question.usual != 0;
    command
        ->add_option(question.option, options.said.*question.answer,
                     usual ? fmt::format("{} (default: {})", question.asks, question.usual) : question.asks)
        ->type_name(question.type);
  }
  command->add_flag(
      "--ask", options.ask,
      "Ask for each value that no option gives; on a terminal, this is the default if no option is given");
  command->callback([&options, &action] {
    const bool none = std::ranges::all_of(
        first_questions(), [&](const FirstQuestion& question) { return (options.said.*question.answer).empty(); });
    options.ask = options.ask || (none && isatty(STDIN_FILENO) != 0 && isatty(STDERR_FILENO) != 0);
    action = [&options] { return new_scenario(options); };
  });
}

} // namespace gradflight::cli
