// A golden scenario on its way through `regress`: loaded, simulated, judged, accepted.
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
    not_gated, ///< expects nothing and does not want to
    empty,     ///< "expect": []
    ok,
    moved,
    failed,   ///< no result: `message`
    accepted, ///< moved or empty before, rewritten now
  };
  std::filesystem::path file;
  Prepared prepared;
  OwnExpect own = OwnExpect::none; ///< none: what it expects, if anything, is inherited
  State state = State::not_gated;
  std::string message;
  Outcome outcome;
  GoldenCheck check;
};

/// All scenario files of `paths`, or every error of every one (InputErrors). A gate that would gate nothing is an
/// error.
std::vector<GoldenFile> load_golden(const std::vector<std::filesystem::path>& paths);

/// Takes over the answer and decides the state.
void judge(GoldenFile& golden, Answer<RunResult> answer);

/// Simulates and judges those that are gated, `jobs` at a time, and calls `report` for each of them in their order.
void simulate_gated(std::vector<GoldenFile>& files, int jobs, const std::function<void(const GoldenFile&)>& report);

/// Rewrites the files that moved or are empty, each whole or not at all; then their state is `accepted`. What a file
/// inherits is accepted where it is written, if that file is among `files`; else it gets an `expect` of its own.
void accept(std::vector<GoldenFile>& files);

} // namespace gradflight
