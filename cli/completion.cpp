#include "cli/completion.hpp"

#include "cli/command_table.hpp"

#include <fmt/format.h>

namespace gradflight::cli {
namespace {

/// Quotes text with single quotes, which works in all three shells.
std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + '\'';
}

std::string option_words(const TabledCommand& command) {
  std::string words;
  for (const TabledOption& option : command.options)
    for (const std::string& name : option.names) words += (words.empty() ? "" : " ") + name;
  return words;
}

/// Returns the options with a value that is not a file, because the shell cannot complete that value.
std::string bare_values(const TabledCommand& command) {
  std::string names;
  for (const TabledOption& option : command.options)
    if (!option.value.empty() && !option.takes_file())
      for (const std::string& name : option.names) names += (names.empty() ? "" : "|") + name;
  return names;
}

std::string joined_words(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

/// zsh runs the same function through its emulation of bash completion.
std::string bash_completion(const std::vector<TabledCommand>& table) {
  std::string cases;
  for (const TabledCommand& command : table) {
    const std::string bare = bare_values(command);
    cases += fmt::format("    {})\n", quoted(command.words));
    if (!bare.empty()) cases += fmt::format("      case \"$before\" in {}) return ;; esac\n", bare);
    cases += fmt::format("      options={} commands={} ;;\n", quoted(option_words(command)),
                         quoted(joined_words(command.subcommands)));
  }
  std::string known;
  for (const TabledCommand& command : table)
    if (!command.words.empty()) known += (known.empty() ? "" : "|") + quoted(command.words);
  return fmt::format(R"(_gradflight() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words="" next i options="" commands=""
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    next="${{words:+$words }}${{COMP_WORDS[i]}}"
    case "$next" in {}) words="$next" ;; *) break ;; esac
  done
  case "$words" in
{}  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *)
      if [ -n "$commands" ]; then COMPREPLY=($(compgen -W "$commands" -- "$current"))
      else COMPREPLY=($(compgen -f -- "$current")); fi ;;
  esac
}}
)",
                     known, cases);
}

std::string fish_condition(const TabledCommand& command) {
  if (command.words.empty()) return "__fish_use_subcommand";
  const auto space = command.words.find(' ');
  if (space == std::string::npos) return "__fish_seen_subcommand_from " + command.words;
  return fmt::format("__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}",
                     command.words.substr(0, space), command.words.substr(space + 1));
}

std::string fish_completion(const std::vector<TabledCommand>& table) {
  std::string out;
  for (const TabledCommand& command : table) {
    const std::string when = quoted(fish_condition(command));
    for (const TabledCommand& other : table) {
      const bool below = command.words.empty() ? !other.words.empty() && other.words.find(' ') == std::string::npos
                                               : other.words.starts_with(command.words + ' ');
      if (below)
        out += fmt::format("complete -c gradflight -n {} -f -a {} -d {}\n", when,
                           quoted(other.words.substr(other.words.rfind(' ') + 1)), quoted(other.meaning));
    }
    for (const TabledOption& option : command.options) {
      std::string names;
      for (const std::string& name : option.names)
        names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (names.empty()) continue;
      out += fmt::format("complete -c gradflight -n {}{}{} -d {}\n", when, names,
                         option.value.empty()  ? ""
                         : option.takes_file() ? " -r -F"
                                               : " -x",
                         quoted(option.meaning));
    }
  }
  return out;
}

} // namespace

std::string completion(const std::vector<TabledCommand>& table, const std::string& shell) {
  if (shell == "fish") return fish_completion(table);
  const std::string function = bash_completion(table);
  if (shell == "zsh")
    return "#compdef gradflight\nautoload -U +X bashcompinit && bashcompinit\n" + function +
           "complete -o filenames -F _gradflight gradflight\n";
  return function + "complete -o filenames -F _gradflight gradflight\n";
}

} // namespace gradflight::cli
