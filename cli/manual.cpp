#include "cli/manual.hpp"

#include "analysis/run/files/output_file.hpp"
#include "cli/command_table.hpp"
#include "cli/completion.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/validators.hpp"
#include "cli/terminal/version.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight::cli {
namespace {

constexpr std::string_view exit_status = R"(.SH EXIT STATUS
.TP
0
Done.
.TP
1
A check failed, or a golden value changed.
.TP
2
Invalid usage or input; nothing was simulated or written.
.TP
3
The simulation failed, or its result could not be written.
.TP
4
A sweep is incomplete.
.TP
70
A bug.
)";

/// Escapes text for roff, so that no part of it is a request or an escape sequence.
std::string roff(std::string_view text) {
  std::string out;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
    begins = c == '\n';
  }
  return out;
}

std::string page_name(const TabledCommand& command) {
  std::string name = command.words.empty() ? "gradflight" : "gradflight-" + command.words;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string option_entry(const TabledOption& option) {
  std::string term;
  for (const std::string& name : option.names) term += (term.empty() ? "\\fB" : ", \\fB") + roff(name) + "\\fR";
  if (!option.value.empty()) term += (term.empty() ? "\\fI" : " \\fI") + roff(option.value) + "\\fR";
  return fmt::format(".TP\n{}\n{}\n", term, roff(option.meaning));
}

std::string synopsis(const TabledCommand& command) {
  std::string line = "\\fBgradflight" + (command.words.empty() ? "" : " " + roff(command.words)) + "\\fR";
  if (!command.subcommands.empty()) line += " \\fICOMMAND\\fR";
  line += " [\\fIOPTIONS\\fR]";
  for (const TabledOption& option : command.options)
    if (option.names.empty()) line += fmt::format(" \\fI{}\\fR{}", roff(option.value), option.several ? "..." : "");
  return line;
}

std::string manual_page(const TabledCommand& command, const std::vector<TabledCommand>& table) {
  const std::string name = page_name(command);
  std::string upper = name;
  std::ranges::transform(upper, upper.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  std::string page =
      fmt::format(".TH {} 1 \"\" \"gradflight {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n",
                  roff(upper), version, roff(name), roff(command.meaning), synopsis(command));
  if (!command.subcommands.empty()) {
    page += ".SH COMMANDS\n";
    for (const std::string& last : command.subcommands) {
      const std::string words = command.words.empty() ? last : command.words + ' ' + last;
      const auto row = std::ranges::find(table, words, &TabledCommand::words);
      page += fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", roff(page_name(*row)), roff(row->meaning));
    }
  }
  page += ".SH OPTIONS\n";
  for (const TabledOption& option : command.options) page += option_entry(option);
  std::string shown = command.examples.substr(command.examples.find('\n') + 1);
  page += fmt::format(".SH EXAMPLES\n.nf\n{}.fi\n{}", roff(shown), exit_status);
  return page + ".SH SEE ALSO\n" +
         (command.words.empty() ? "/usr/share/doc/gradflight, or share/doc/gradflight beside the program's folder\n"
                                : "\\fBgradflight\\fR(1)\n");
}

int write_manual(const CLI::App& app, const std::filesystem::path& directory) {
  const auto table = command_table(app);
  for (const TabledCommand& command : table) {
    OutputFile file(directory / (page_name(command) + ".1"));
    file.write(manual_page(command, table));
    file.commit();
  }
  return done;
}

} // namespace

void add_manual(CLI::App& app, ManualOptions& options, std::function<int()>& action) {
  CLI::App* command = app.add_subcommand("completion", "Print the completion script for a shell")->group("");
  command->add_option("shell", options.shell, "bash, zsh or fish")
      ->required()
      ->type_name("SHELL")
      ->check(one_of({"bash", "zsh", "fish"}));
  command->callback([&] {
    action = [&] {
      print_result_as_is(completion(command_table(app), options.shell));
      return done;
    };
  });
  command = app.add_subcommand("manual", "Write the manual pages into a directory")->group("");
  command->add_option("dir", options.directory, "The directory")->required()->type_name("DIR");
  command->callback([&] { action = [&] { return write_manual(app, options.directory); }; });
}

} // namespace gradflight::cli
