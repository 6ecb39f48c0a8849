#include "analysis/evidence/measured/launch_command.hpp"

#include "analysis/evidence/measured/log_reader.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <utility>
#include <vector>

namespace gradflight::measured {

namespace {

constexpr std::string_view osu_program = "osu_";
constexpr std::size_t longest_command = std::size_t{64} * 1024;

/// Returns the last part of a path, without the characters that shells and Markdown put before it.
std::string_view program_name(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of("`'\"$(+>"), word.size()));
  const std::size_t slash = word.rfind('/');
  return slash == std::string_view::npos ? word : word.substr(slash + 1);
}

/// The options of a family of launchers.
struct Launcher {
  std::vector<std::string_view> programs, ranks, nodes, ranks_of_node;
};
const std::array<Launcher, 4>& launchers() {
  static const std::array<Launcher, 4> all = {
      {{{"mpirun", "mpiexec", "mpiexec.hydra", "mpirun_rsh", "orterun", "prterun"},
        {"-np", "--np", "-n", "--n"},
        {},
        {"-ppn", "--ppn", "-perhost", "-npernode", "--npernode", "-N"}},
       {{"srun", "yhrun"}, {"-n", "--ntasks"}, {"-N", "--nodes"}, {"--ntasks-per-node"}},
       {{"flux"}, {"-n", "--ntasks"}, {"-N", "--nodes"}, {"--tasks-per-node"}},
       {{"aprun"}, {"-n"}, {}, {"-N"}}}};
  return all;
}

/// Returns a whole number of at least one; 0 for other text.
int count_of(std::string_view text) {
  const auto value = number_of(text);
  constexpr double most = 1 << 24;
  return value && *value >= 1 && *value <= most && std::floor(*value) == *value ? static_cast<int>(*value) : 0;
}

/// Reads numbers from the options of a command line. Each option may occur once; -1 means different values.
class Options {
public:
  explicit Options(std::span<const Word> words) : words_(words) {}

  int number(const std::vector<std::string_view>& names, std::string* as_written = nullptr) const {
    int found = 0;
    for (std::size_t i = 0; i < words_.size(); ++i)
      for (const std::string_view name : names) {
        const std::string_view word = words_[i].text;
        std::string_view value;
        if (word == name && i + 1 < words_.size())
          value = words_[i + 1].text;
        else if (word.starts_with(name) && word.substr(name.size()).starts_with("="))
          value = word.substr(name.size() + 1);
        else if (name.size() == 2 && word.starts_with(name)) // such as srun -n16
          value = word.substr(2);
        const int count = count_of(value);
        if (count == 0) continue;
        if (found != 0 && found != count) return -1;
        found = count;
        if (as_written != nullptr) *as_written = fmt::format("{} {}", name, count);
      }
    return found;
  }
  /// Reads Open MPI's "--map-by ppr:8:node".
  [[nodiscard]] int mapped_by_node() const {
    for (const Word& word : words_) {
      const std::string_view text = word.text;
      if (text.starts_with("ppr:") && text.find(":node") != std::string_view::npos)
        return count_of(text.substr(4, text.find(':', 4) - 4));
    }
    return 0;
  }

private:
  std::span<const Word> words_;
};

} // namespace

std::optional<LaunchedRun> launched_run(std::string_view command) {
  const std::vector<Word> words = words_of(command);
  const auto starts_benchmark = [](const Word& word) { return program_name(word.text).starts_with(osu_program); };
  const auto end = std::ranges::find_if(words, starts_benchmark);
  if (end == words.end()) return std::nullopt;
  for (const Launcher& launcher : launchers()) {
    const auto program = std::find_if(words.begin(), end, [&](const Word& word) {
      return std::ranges::find(launcher.programs, program_name(word.text)) != launcher.programs.end();
    });
    if (program == end) continue;
    // Several programs in one command ("-np 2 a : -np 2 b") are not supported, because all of their numbers count.
    if (std::ranges::find(program, words.end(), std::string_view(":"), &Word::text) != words.end()) return std::nullopt;
    const Options options(std::span(program + 1, end));
    LaunchedRun run;
    std::string option;
    run.ranks = options.number(launcher.ranks, &option);
    run.nodes = options.number(launcher.nodes);
    int each = options.number(launcher.ranks_of_node);
    if (each == 0) each = options.mapped_by_node();
    if (run.ranks < 0 || run.nodes < 0 || each < 0) return std::nullopt;
    if (run.ranks == 0 && run.nodes > 0 && each > 0) {
      run.ranks = run.nodes * each;
      option = fmt::format("with {} ranks on each of {} nodes", each, run.nodes);
    }
    if (run.ranks == 0) return std::nullopt;
    if (run.nodes == 0 && each > 0 && run.ranks % each == 0) run.nodes = run.ranks / each;
    run.text = fmt::format("{} {}", program_name(program->text), option);
    return run;
  }
  return std::nullopt;
}

void LaunchCommands::line(std::string_view line) {
  while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
  const bool goes_on = line.ends_with('\\');
  if (goes_on) line.remove_suffix(1);
  if (joined_.empty() && !goes_on) { // the most frequent case
    if (line.find(osu_program) != std::string_view::npos)
      if (auto run = launched_run(line)) last_ = std::move(run);
    return;
  }
  if (joined_.size() + line.size() > longest_command) {
    joined_.clear();
    return;
  }
  joined_ += line;
  joined_ += ' ';
  if (goes_on) return;
  if (auto run = launched_run(joined_)) last_ = std::move(run);
  joined_.clear();
}

std::optional<LaunchedRun> LaunchCommands::take() { return std::exchange(last_, std::nullopt); }

} // namespace gradflight::measured
