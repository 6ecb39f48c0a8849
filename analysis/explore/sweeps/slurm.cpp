#include "analysis/explore/sweeps/slurm.hpp"

#include "analysis/run/files/output_file.hpp"
#include "base/parse_number.hpp"
#include "base/paths.hpp"
#include "base/visible.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace gradflight {
namespace {

std::optional<int> number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  return text != nullptr ? parse_number<int>(text) : std::nullopt;
}

} // namespace

Shard shard_of(const std::string& text) {
  if (text.empty()) {
    const auto task = number_in_environment("SLURM_ARRAY_TASK_ID"),
               count = number_in_environment("SLURM_ARRAY_TASK_COUNT");
    if (!task || !count) return {};
    // A gap in the array ("--array=0-3,7") would leave points that no task runs.
    const int first = number_in_environment("SLURM_ARRAY_TASK_MIN").value_or(0);
    const int last = number_in_environment("SLURM_ARRAY_TASK_MAX").value_or(first + *count - 1);
    if (last - first + 1 != *count)
      throw std::invalid_argument(
          fmt::format("Slurm's array tasks {} to {} are only {} tasks, so numbers are missing; give --shard I/N", first,
                      last, *count));
    return {*task - first, *count};
  }
  const auto slash = text.find('/');
  const auto index = parse_number<int>(std::string_view(text).substr(0, slash));
  const auto count =
      slash == std::string::npos ? std::nullopt : parse_number<int>(std::string_view(text).substr(slash + 1));
  if (!index || !count || *index < 0 || *count < 1 || *index >= *count)
    throw std::invalid_argument(fmt::format("--shard {}: expected I/N with I from 0 to N - 1, such as 0/4", text));
  return {*index, *count};
}

std::string slurm_script(const SlurmArray& array) {
  const auto out = absolute_path(array.out).lexically_normal().string();
  if (!out.starts_with('/'))
    throw OutputError(fmt::format("cannot write {}: the working directory does not exist", out));
  std::vector<std::string> words = {array.program, "sweep", absolute_path(array.sweep).lexically_normal(), "--out",
                                    out};
  words.insert(words.end(), {"--jobs", fmt::format("{}", array.jobs)});
  if (!array.wall.empty()) words.insert(words.end(), {"--wall", array.wall});
  if (!array.memory.empty()) words.insert(words.end(), {"--memory", array.memory});
  if (array.retry) words.emplace_back("--retry");
  const auto log = shell_line({"--output=" + out + "/slurm-%A_%a.log"});
  return fmt::format(
      "#!/bin/sh\n"
      "# Submits the sweep as a job array of {0} tasks, then a merge. Submit again, with any number of tasks, to run\n"
      "# what is missing. Arguments go to sbatch (--partition=..., --time=...).\n"
      "set -eu\n"
      "mkdir -p {1}\n"
      "array=$(sbatch --parsable --job-name=gradflight --array=0-{2} --cpus-per-task={3} {4} \"$@\" <<'END'\n"
      "#!/bin/sh\n"
      "exec {5}\n"
      "END\n"
      ")\n"
      "sbatch --job-name=gradflight-merge --dependency=afterany:\"${{array%%;*}}\" {6} \"$@\" <<'END'\n"
      "#!/bin/sh\n"
      "exec {7}\n"
      "END\n",
      array.tasks, shell_line({out}), array.tasks - 1, array.jobs, log, shell_line(words),
      shell_line({"--output=" + out + "/slurm-merge-%j.log"}), shell_line({array.program, "merge", out}));
}

} // namespace gradflight
