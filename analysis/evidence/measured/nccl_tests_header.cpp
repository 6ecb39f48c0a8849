#include "analysis/evidence/measured/nccl_tests_log.hpp"
#include "base/letters.hpp"

namespace gradflight::measured {

namespace {

/// Converts a name without its "_perf". Of the benchmarks in nccl-tests, only hypercube is not a simulated operation.
NamedBenchmark benchmark_named(std::string_view name) {
  if (const auto op = operation_of(name)) return {op, {}};
  return {std::nullopt, name == "hypercube" ? std::string(name) : std::string()};
}

} // namespace

std::optional<NamedBenchmark> program_in(std::string_view line) {
  std::optional<NamedBenchmark> found;
  for (std::size_t at = line.find("_perf"); at != std::string_view::npos; at = line.find("_perf", at + 1)) {
    const auto begin = line.find_last_of(" /\t\"'=", at);
    const NamedBenchmark named = benchmark_named(line.substr(begin + 1, at - begin - 1));
    if (named.op && found && named.op != found->op) return std::nullopt;
    if (named.op || !named.unknown.empty()) found = named;
  }
  return found;
}

NcclTestsColumns::NcclTestsColumns(const std::vector<Word>& header) {
  for (const Word& word : header) {
    const std::string name = lower_case(word.text);
    if (name == "#" || name == "timestamp" || name == "date" || name.starts_with('(')) continue;
    if (name == "size" && size >= 0) {
      beside = true;
      break;
    }
    const auto at = static_cast<int>(names.size());
    const bool is_time = name == "time" || name == "cputime";
    Times& times = out.time >= 0 && (is_time || in.time >= 0) ? in : out;
    if (name == "size" || name == "bytes") size = at;
    if (name == "bytes") milliseconds = true; // releases of 2017
    if (name == "type") type = at;
    if (name == "redop" || name == "op") redop = at;
    if (name == "root") root = at;
    if (is_time) times.time = at;
    if (name == "cputime") cpu_time = true;
    if (name == "algbw") times.algbw = at;
    if (name == "busbw") times.busbw = at;
    if (name == "error" || name == "#wrong" || name == "wrong" || name == "res") {
      times.errors = at;
      times.counts_errors = name.ends_with("wrong");
    }
    names.push_back(name);
  }
}

} // namespace gradflight::measured
