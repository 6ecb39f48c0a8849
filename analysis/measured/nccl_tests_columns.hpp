// The header of nccl-tests' table, of any release.
#pragma once

#include "analysis/measured/log_reader.hpp"

#include <string>
#include <vector>

namespace gradflight::measured {

/// Where the columns stand that are read; -1: there is none.
struct NcclTestsColumns {
  std::vector<std::string> names;
  int size = -1, redop = -1, root = -1;
  struct Times {
    int time = -1, algbw = -1, busbw = -1, errors = -1;
    bool counts_errors = false; ///< "#wrong": elements; else the largest deviation
  } out, in;

  explicit NcclTestsColumns(const std::vector<Word>& header) {
    for (const Word& word : header) {
      const auto at = static_cast<int>(names.size());
      const std::string name = lowered(word.text);
      Times& times = out.time >= 0 && (name == "time" || in.time >= 0) ? in : out;
      if (name == "size" || name == "bytes") size = at;
      if (name == "redop" || name == "op") redop = at;
      if (name == "root") root = at;
      if (name == "time") times.time = at;
      if (name == "algbw") times.algbw = at;
      if (name == "busbw") times.busbw = at;
      if (name == "error" || name == "#wrong" || name == "res") {
        times.errors = at;
        times.counts_errors = name == "#wrong";
      }
      names.push_back(name);
    }
  }
  [[nodiscard]] bool good() const { return size >= 0 && out.time >= 0 && out.algbw >= 0 && out.busbw >= 0; }
};

} // namespace gradflight::measured
