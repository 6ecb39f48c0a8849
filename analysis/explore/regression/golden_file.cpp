#include "analysis/explore/regression/golden_file.hpp"

#include "analysis/run/evaluate.hpp"
#include "analysis/run/files/output_file.hpp"
#include "base/human.hpp"
#include "scenarios/language/decode/load.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

namespace fs = std::filesystem;
using State = GoldenFile::State;

std::string text_of(const fs::path& file) {
  FileText content = read_file(file.string());
  if (!content.error.empty()) throw OutputError(fmt::format("{}: {}", file.string(), content.error));
  return std::move(content.text);
}

void rewrite(const fs::path& file, const std::vector<Expectation>& expectations) {
  std::string text;
  try {
    text = with_expectations(text_of(file), expectations);
  } catch (const ChangedMeanwhile& changed) {
    throw ResultLost(fmt::format("{} changed while it was simulated: {}; none of its values was accepted; run again",
                                 file.string(), changed.what()));
  }
  OutputFile out(file);
  out.write(text);
  out.commit();
}

/// Returns the file's new expectations: replaces the values that moved, and keeps the others (within their tolerance).
std::vector<Expectation> accepted(const GoldenCheck& check) {
  std::vector<Expectation> expectations;
  for (const ExpectationCheck& q : check.quantities) {
    expectations.push_back(q.expected);
    if (!q.holds() && q.got) expectations.back().value = *q.got;
  }
  return expectations;
}

/// Whether all numbers exist and are finite: others cannot be accepted.
bool acceptable(const GoldenCheck& check) {
  return std::all_of(check.quantities.begin(), check.quantities.end(),
                     [](const ExpectationCheck& q) { return q.got && std::isfinite(*q.got); });
}

} // namespace

std::vector<GoldenFile> load_golden(const std::vector<fs::path>& paths) {
  std::vector<GoldenFile> files;
  std::vector<Diagnostic> errors;
  bool any = false;
  for (auto& file : scenario_files(paths)) {
    try {
      const auto path = file.path;
      const auto own = own_expect(file.document);
      GoldenFile golden{path, prepare(std::move(file)), own, State::not_gated, {}, {}, {}};
      if (golden.own == OwnExpect::empty) golden.state = State::empty;
      if (!golden.prepared.scenario().expect.empty()) golden.state = State::moved; // until it is judged
      any = any || golden.state != State::not_gated;
      files.push_back(std::move(golden));
    } catch (const InputErrors& found) {
      errors.insert(errors.end(), found.diagnostics().begin(), found.diagnostics().end());
    }
  }
  if (errors.empty() && !any)
    errors.push_back({paths.front().string(), 0, 0, "",
                      fmt::format("no golden scenario found: none of {} has \"expect\"; add "
                                  "\"expect\": [] to one and run with --accept",
                                  counted(std::ssize(files), "scenario file"))});
  if (!errors.empty()) throw InputErrors(std::move(errors));
  return files;
}

void judge(GoldenFile& golden, Answer<RunResult> answer) {
  if (!answer.finished()) {
    golden.state = State::failed;
    golden.message = answer.end.message();
    return;
  }
  golden.outcome = outcome_of(golden.prepared, std::move(answer.value));
  list_links(golden.outcome, LinkListing::all);
  if (golden.state == State::empty) return;
  golden.check = check_expectations(golden.prepared.scenario().expect, golden.outcome, golden.prepared.platform());
  golden.state = golden.check.moved() == 0 ? State::ok : State::moved;
}

void simulate_gated(std::vector<GoldenFile>& files, int jobs, const std::function<void(const GoldenFile&)>& report) {
  std::vector<GoldenFile*> gated;
  for (GoldenFile& golden : files)
    if (golden.state != State::not_gated) gated.push_back(&golden);
  run_cases(
      gated.size(), {.jobs = jobs},
      [&](std::size_t i, Process process) { return simulate(gated[i]->prepared, {.process = process}); },
      [&](std::size_t i, Answer<RunResult> answer) {
        judge(*gated[i], std::move(answer));
        report(*gated[i]);
      });
}

void accept(std::vector<GoldenFile>& files) {
  for (GoldenFile& golden : files) {
    if (golden.state == State::empty) {
      const auto expectations = standard_expectations(golden.outcome, golden.prepared.platform());
      rewrite(golden.file, expectations);
      golden.check = check_expectations(expectations, golden.outcome, golden.prepared.platform());
      golden.state = State::accepted;
    } else if (golden.state == State::moved && golden.own == OwnExpect::filled && acceptable(golden.check)) {
      rewrite(golden.file, accepted(golden.check));
      golden.state = State::accepted;
    }
  }
  for (GoldenFile& golden : files) {
    if (golden.state != State::moved || golden.own != OwnExpect::none) continue;
    const auto expect = load_scenario(golden.file.string()).expect; // the file that contains it may have been accepted
    const auto check = check_expectations(expect, golden.outcome, golden.prepared.platform());
    if (!acceptable(check)) continue;
    if (check.moved() > 0) rewrite(golden.file, accepted(check));
    golden.state = State::accepted;
  }
}

} // namespace gradflight
