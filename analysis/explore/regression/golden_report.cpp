#include "analysis/explore/regression/golden_report.hpp"

#include "analysis/explore/regression/golden_text.hpp"
#include "base/human.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace gradflight {
namespace {

namespace fs = std::filesystem;
using State = GoldenFile::State;

constexpr std::array<std::pair<State, const char*>, 6> state_names = {{{State::ok, "ok"},
                                                                       {State::moved, "moved"},
                                                                       {State::accepted, "accepted"},
                                                                       {State::empty, "empty"},
                                                                       {State::failed, "failed"},
                                                                       {State::not_gated, "not gated"}}};

/// "scenarios/golden/ring.json" -> "scenarios.golden": viewers group by this.
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

} // namespace

const char* state_name(GoldenFile::State state) {
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
  case State::empty: return "has no expected values yet; --accept adds them";
  case State::failed: return golden.message;
  case State::not_gated: return "expects nothing";
  }
  return "";
}

std::vector<std::pair<std::string, std::size_t>> tally(const std::vector<GoldenFile>& files) {
  std::vector<std::pair<std::string, std::size_t>> counts;
  for (const auto& [state, name] : state_names)
    counts.emplace_back(name, std::ranges::count(files, state, &GoldenFile::state));
  return counts;
}

std::vector<JunitCase> junit_cases(const std::vector<GoldenFile>& files) {
  std::vector<JunitCase> cases;
  for (const GoldenFile& golden : files)
    if (golden.state != State::not_gated) cases.push_back(junit_case(golden));
  return cases;
}

} // namespace gradflight
