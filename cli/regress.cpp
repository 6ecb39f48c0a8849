// `regress`: golden scenarios held against what they expect, what moved explained, and accepted where asked for.
#include "analysis/regression/golden_file.hpp"
#include "analysis/regression/golden_text.hpp"
#include "analysis/regression/junit.hpp"
#include "analysis/text/human.hpp"
#include "analysis/text/output_file.hpp"
#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/exit_codes.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <memory>

namespace gradflight::cli {
namespace {

namespace fs = std::filesystem;
using State = GoldenFile::State;

constexpr std::array<std::pair<State, const char*>, 6> state_names = {{{State::ok, "ok"},
                                                                       {State::moved, "moved"},
                                                                       {State::accepted, "accepted"},
                                                                       {State::empty, "empty"},
                                                                       {State::failed, "failed"},
                                                                       {State::not_gated, "not gated"}}};

const char* name_of(State state) {
  return std::find_if(state_names.begin(), state_names.end(), [&](const auto& s) { return s.first == state; })->second;
}

std::string remark(const GoldenFile& golden) {
  const std::string all = counted(std::ssize(golden.check.quantities), "number");
  switch (golden.state) {
  case State::ok: return all + " as expected";
  case State::moved: return fmt::format("{} of {} moved", golden.check.moved(), all);
  case State::accepted:
    return golden.check.moved() == 0 ? fmt::format("now expects {}, nothing before", all)
                                     : fmt::format("{} of {} moved, now expected", golden.check.moved(), all);
  case State::empty: return "expects nothing yet; --accept fills it in";
  case State::failed: return golden.message;
  case State::not_gated: return "expects nothing";
  }
  return "";
}

void print(const GoldenFile& golden, std::size_t width) {
  print_result(fmt::format("{:<9}  {}  {}\n", name_of(golden.state), golden.file.string(), remark(golden)));
  if (golden.check.moved() > 0) print_result(change_text(golden.check, golden.outcome, width));
  flush_result(); // long runs are watched
}

void print_summary(const std::vector<GoldenFile>& files) {
  std::string text = counted(std::ssize(files), "scenario");
  const char* separator = ": ";
  for (const auto& named : state_names) {
    const auto count =
        std::count_if(files.begin(), files.end(), [&](const GoldenFile& g) { return g.state == named.first; });
    if (count == 0) continue;
    text += fmt::format("{}{} {}", separator, count, named.second);
    separator = ", ";
  }
  print_message(text + '\n');
}

/// "scenarios/golden/ring.json" -> "scenarios.golden": viewers group by it.
std::string class_of(const fs::path& file) {
  std::string name;
  for (const fs::path& part : file.lexically_normal().parent_path().relative_path())
    if (part != "." && part != "..") name += (name.empty() ? "" : ".") + part.string();
  return name.empty() ? "gradflight" : name;
}

JunitCase junit_case(const GoldenFile& golden) {
  constexpr std::size_t width = 100;
  JunitCase c{class_of(golden.file), golden.file.filename().string(), golden.outcome.result.time, {}, {}, {}};
  if (golden.state == State::failed) {
    c.kind = JunitCase::Kind::error;
    c.message = c.text = golden.message;
  } else if (golden.state == State::moved) {
    c.kind = JunitCase::Kind::failure;
    c.message = change_line(golden.check);
    c.text = golden.file.string() + '\n' + change_text(golden.check, golden.outcome, width);
  } else if (golden.state == State::empty) {
    c.kind = JunitCase::Kind::failure;
    c.message = c.text = remark(golden);
  }
  return c;
}

std::unique_ptr<OutputFile> open_junit(const fs::path& path) {
  if (path.empty()) return nullptr;
  require_replaceable(path, junit_opening, "a JUnit file of gradflight");
  return std::make_unique<OutputFile>(path);
}

void write_junit(OutputFile& out, const std::vector<GoldenFile>& files) {
  std::vector<JunitCase> cases;
  for (const GoldenFile& golden : files)
    if (golden.state != State::not_gated) cases.push_back(junit_case(golden));
  out.write(junit_xml("gradflight regress", cases));
  out.commit();
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
  std::vector<GoldenFile> files = load_golden(options.paths);
  const auto junit = open_junit(options.junit);
  const auto width = static_cast<std::size_t>(result_width());
  const GoldenFile* next = files.data(); // the first that has not been told of
  const auto tell_until = [&](const GoldenFile* end) {
    for (; next != end; ++next) print(*next, width);
  };
  simulate_gated(files, options.jobs, [&](const GoldenFile& golden) {
    if (!options.accept) tell_until(&golden + 1);
  });
  if (options.accept) accept(files);
  tell_until(files.data() + files.size());
  print_summary(files);
  if (junit) write_junit(*junit, files);
  return exit_code(files);
}

} // namespace gradflight::cli
