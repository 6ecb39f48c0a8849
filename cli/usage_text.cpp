#include "cli/usage_text.hpp"

#include "base/nearest_name.hpp"
#include "cli/help.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <string_view>
#include <utility>

namespace gradflight::cli {
namespace {

const CLI::App& chosen_command(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

/// Returns "gradflight codec stats".
std::string command_words(const CLI::App& command) {
  return command.get_parent() == nullptr ? command.get_name()
                                         : command_words(*command.get_parent()) + " " + command.get_name();
}

/// Returns "SCENARIO" or "--out DIR".
std::string option_with_value(const CLI::Option& option) {
  if (option.get_positional()) return option.get_type_name();
  return option.get_type_size() == 0 ? option.get_name() : option.get_name() + " " + option.get_type_name();
}

std::string option_with_value(const CLI::App& command, const std::string& name) {
  const CLI::Option* option = command.get_option_no_throw(name);
  return option == nullptr ? name : option_with_value(*option);
}

/// The words that the command does not take.
struct UnknownWords {
  std::vector<std::string> texts;
  std::vector<std::string> meant; ///< the options that they probably are, "report"
};

UnknownWords unknown_words(const CLI::App& command) {
  UnknownWords unknown;
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    names.insert(names.end(), option->get_lnames().begin(), option->get_lnames().end());
  const auto words = command.remaining();
  for (const std::string& word : words) {
    if (!word.starts_with('-')) continue;
    const std::string written = word.substr(0, word.find('='));
    const std::string meant =
        nearest_name(written.substr(std::min(written.find_first_not_of('-'), written.size())), names);
    unknown.texts.push_back(
        fmt::format("unknown option {}{}", written, meant.empty() ? "" : fmt::format("; did you mean --{}?", meant)));
    if (!meant.empty()) unknown.meant.push_back(meant);
  }
  if (unknown.texts.empty() && !words.empty()) // else it may be the value of an unknown option
    unknown.texts.push_back(
        fmt::format("unexpected argument \"{}\": leave it out, or put a value with blanks in quotes", words.front()));
  return unknown;
}

/// Returns "SWEEP and --out DIR are missing: gradflight sweep SWEEP --out DIR". Empty if nothing is missing, apart from
/// the options that a mistyped word stands for.
std::string missing_options(const CLI::App& command, const std::vector<std::string>& meant) {
  std::vector<std::string> missing;
  std::string line = command_words(command);
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_required()) continue;
    line += " " + option_with_value(*option);
    const auto is_meant = [&](const std::string& name) { return std::ranges::find(meant, name) != meant.end(); };
    if (option->count() == 0 && std::ranges::none_of(option->get_lnames(), is_meant))
      missing.push_back(option_with_value(*option));
  }
  if (missing.empty()) return {};
  return fmt::format("{} {} missing: {}", fmt::join(missing, " and "), missing.size() == 1 ? "is" : "are", line);
}

/// Returns the texts before and after `middle`; the second one is empty if the text lacks it.
std::pair<std::string, std::string> split_at(const std::string& text, std::string_view middle) {
  const auto at = text.find(middle);
  if (at == std::string::npos) return {text, {}};
  return {text.substr(0, at), text.substr(at + middle.size())};
}

/// Returns the mistake that `error` describes.
std::string text_of(const CLI::App& command, const CLI::ParseError& error) {
  std::string text = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    if (const auto [option, count] = split_at(text, ": At Most 1 required but received "); !count.empty())
      return fmt::format("{} is given {} times; give it once", option, count);
    const std::string option = text.substr(0, text.find(':'));
    if (text.ends_with(" missing"))
      return fmt::format("{} needs a value: {}", option, option_with_value(command, option));
  }
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr)
    if (const auto [none, assignment] = split_at(text, "Could not convert: "); !assignment.empty()) {
      const auto [option, value] = split_at(assignment, " = ");
      return fmt::format("{}: \"{}\" is not a value of this option", option, value);
    }
  return text;
}

/// Adds `--jobs: expected an integer of at least 1, got "0"` for each option with such a value.
void add_wrong_values(const CLI::App& command, std::vector<std::string>& texts) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->count() == 0) continue;
    try {                                        // checks the values, if CLI11 has not reached them
      if (option->get_items_expected_max() == 0) // a flag
        option->as<bool>();
      else
        option->reduced_results();
    } catch (const CLI::ParseError& error) {
      texts.push_back(text_of(command, error));
    }
  }
}

/// Adds the options that need others, or exclude each other.
void add_contradictions(const CLI::App& command, std::vector<std::string>& texts) {
  const auto options = command.get_options();
  const auto has = [](const std::set<CLI::Option*>& some, const CLI::Option* option) {
    return std::ranges::find(some, option) != some.end();
  };
  for (auto option = options.begin(); option != options.end(); ++option) {
    if ((*option)->count() == 0) continue;
    for (const CLI::Option* needed : options)
      if (has((*option)->get_needs(), needed) && needed->count() == 0)
        texts.push_back(fmt::format("{0} has an effect only with {1}: add {1}, or leave {0} out", (*option)->get_name(),
                                    option_with_value(*needed)));
    for (auto other = option + 1; other != options.end(); ++other)
      if (has((*option)->get_excludes(), *other) && (*other)->count() > 0)
        texts.push_back(fmt::format("{} and {} exclude each other: leave one of them out", (*option)->get_name(),
                                    (*other)->get_name()));
  }
}

} // namespace

std::vector<std::string> usage_texts(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = chosen_command(app);
  auto [texts, meant] = unknown_words(command);
  if (command.get_require_subcommand_min() > 0 && texts.empty()) return {"expected a command: " + any_command(command)};
  add_wrong_values(command, texts);
  add_contradictions(command, texts);
  const bool all_words_read = dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr;
  if (const std::string missing = missing_options(command, meant); all_words_read && !missing.empty())
    texts.push_back(missing);
  const std::string text = text_of(command, error);
  if ((texts.empty() || !all_words_read) && std::ranges::find(texts, text) == texts.end())
    texts.insert(texts.begin(), text);
  return texts;
}

} // namespace gradflight::cli
