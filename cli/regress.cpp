// `regress`: compares golden scenarios with their expectations, explains changes, and accepts them on request.
#include "analysis/explore/regression/golden_report.hpp"
#include "analysis/explore/regression/golden_text.hpp"
#include "analysis/run/files/output_file.hpp"
#include "base/human.hpp"
#include "cli/commands.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "cli/terminal/standard_input.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace gradflight::cli {
namespace {

namespace fs = std::filesystem;
using State = GoldenFile::State;

void print(const GoldenFile& golden, std::size_t width) {
  print_result(fmt::format("{:<9}  {}  {}\n", state_name(golden.state), golden.file.string(), remark(golden)));
  if (golden.check.moved() > 0) print_result(change_text(golden.check, golden.outcome, width));
  flush_result(); // users watch long runs
}

std::unique_ptr<OutputFile> open_junit(const fs::path& path) {
  if (path.empty()) return nullptr;
  require_replaceable(path, junit_opening, "a JUnit file of gradflight");
  return std::make_unique<OutputFile>(path);
}

int exit_code(const std::vector<GoldenFile>& files) {
  const auto any = [&](State state) {
    return std::any_of(files.begin(), files.end(), [&](const GoldenFile& g) { return g.state == state; });
  };
  if (any(State::failed)) return simulation_failed;
  return any(State::moved) || any(State::empty) ? check_failed : done;
}

} // namespace

int regress(const RegressOptions& options) {
  for (const auto& path : options.paths) refuse_standard_input("regress", path);
  std::vector<GoldenFile> files = load_golden(options.paths);
  const auto junit = open_junit(options.junit);
  const auto width = static_cast<std::size_t>(result_width());
  const GoldenFile* next = files.data(); // the first file that is not reported yet
  const auto report_until = [&](const GoldenFile* end) {
    for (; next != end; ++next) print(*next, width);
  };
  simulate_gated(files, options.jobs, [&](const GoldenFile& golden) {
    if (!options.accept) report_until(&golden + 1);
  });
  if (options.accept) accept(files);
  report_until(files.data() + files.size());
  print_message(tallied(counted(std::ssize(files), "scenario"), tally(files)) + '\n');
  if (junit) {
    junit->write(junit_xml("gradflight regress", junit_cases(files)));
    junit->commit();
  }
  return exit_code(files);
}

} // namespace gradflight::cli
