// Logs for the tests, and the error messages of rejected logs.
#pragma once

#include "analysis/evidence/measured/read_measured.hpp"
#include "base/input_file.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "source_dir.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <sstream>
#include <string>

namespace gradflight::test {

inline const std::string sample_logs = GF_SOURCE_DIR "/tests/analysis/evidence/measured/data/";

inline std::string log_text(const std::string& name) {
  return read_file(sample_logs + name, std::numeric_limits<std::size_t>::max()).text;
}

/// Returns the error messages of a rejected log.
inline std::string refused_log(const std::string& text, const AboutLog& about = {}, const std::string& path = "x") {
  try {
    parse_measured(text, path, about);
  } catch (const InputErrors& errors) {
    return errors.format();
  }
  return "read";
}

inline std::string with_change(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

inline std::string with_prefix(const std::string& text, const std::string& prefix) {
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) all += prefix + line + "\n";
  return all;
}

} // namespace gradflight::test
