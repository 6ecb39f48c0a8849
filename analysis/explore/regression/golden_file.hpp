// A golden scenario in `regress`: loaded, simulated, judged, accepted.
#pragma once

#include "analysis/explore/regression/golden.hpp"
#include "analysis/run/prepare.hpp"
#include "analysis/run/runner.hpp"
#include "scenarios/language/decode/edit_expectations.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace gradflight {

struct GoldenFile {
  enum class State {
    not_gated, ///< has no expectations, and opts out
    empty,     ///< "expect": []
    ok,
    moved,
    failed,   ///< no result: `message`
    accepted, ///< moved or empty before, now rewritten
  };
  std::filesystem::path file;
  Prepared prepared;
  OwnExpect own = OwnExpect::none; ///< none: its expectations, if any, are inherited
  State state = State::not_gated;
  std::string message;
  Outcome outcome;
  GoldenCheck check;
};

/// Loads all scenario files of `paths`, or throws all errors of all files (InputErrors). Files without any gated
/// scenario are an error.
std::vector<GoldenFile> load_golden(const std::vector<std::filesystem::path>& paths);

/// Stores the answer and determines the state.
void judge(GoldenFile& golden, Answer<RunResult> answer);

/// Simulates and judges the gated files, `jobs` at a time, and calls `report` for each in order.
void simulate_gated(std::vector<GoldenFile>& files, int jobs, const std::function<void(const GoldenFile&)>& report);

/// Rewrites the files that moved or are empty, each completely or not at all; their state is then `accepted`. Inherited
/// expectations are accepted in their own file if it is among `files`; otherwise the file gets its own `expect`.
void accept(std::vector<GoldenFile>& files);

} // namespace gradflight
