// The results of golden scenarios as a word, a line, a tally, and cases of a JUnit file.
#pragma once

#include "analysis/explore/regression/golden_file.hpp"
#include "analysis/explore/regression/junit.hpp"

#include <string>
#include <utility>
#include <vector>

namespace gradflight {

/// "ok", "moved", "accepted", "empty", "failed", "not gated".
const char* state_name(GoldenFile::State state);
/// A line about one file: how many numbers are as expected, or why it has no result.
std::string remark(const GoldenFile& golden);

/// Counts each state, with its name.
std::vector<std::pair<std::string, std::size_t>> tally(const std::vector<GoldenFile>& files);

/// A case for each gated file.
std::vector<JunitCase> junit_cases(const std::vector<GoldenFile>& files);

} // namespace gradflight
