// Validators for the values of options; for the files that include CLI11. They replace CLI11's own, which print ranges
// such as "INT in [1 - 64]" into the help, and texts such as "Value 0 not in range".
#pragma once

#include "base/nearest_name.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace gradflight::cli {

/// Accepts integers from `least` to `most`.
inline CLI::Validator whole_number(std::int64_t least, std::int64_t most = std::numeric_limits<int>::max()) {
  const bool open = most >= std::numeric_limits<int>::max();
  return {[=](std::string& text) {
            std::int64_t value = 0;
            if (CLI::detail::lexical_cast(text, value) && value >= least && value <= most) return std::string();
            return fmt::format("expected an integer {}, got \"{}\"",
                               open ? fmt::format("of at least {}", least) : fmt::format("from {} to {}", least, most),
                               text);
          },
          ""};
}

/// Accepts numbers of at least `least`.
inline CLI::Validator number_from(double least) {
  return {[=](std::string& text) {
            double value = 0;
            if (CLI::detail::lexical_cast(text, value) && value >= least) return std::string();
            return fmt::format("expected a number of at least {:g}, got \"{}\"", least, text);
          },
          ""};
}

/// Accepts numbers above 0 and up to 1.
inline CLI::Validator positive_fraction() {
  return {[](std::string& text) {
            double value = 0;
            if (CLI::detail::lexical_cast(text, value) && value > 0 && value <= 1) return std::string();
            return fmt::format("expected a number above 0 and at most 1, got \"{}\"", text);
          },
          ""};
}

/// Accepts these words only.
inline CLI::Validator one_of(std::vector<std::string> words) {
  return {[words = std::move(words)](const std::string& text) {
            for (const std::string& word : words)
              if (word == text) return std::string();
            return fmt::format("unknown value \"{}\"{}", text, did_you_mean(text, words));
          },
          ""};
}

} // namespace gradflight::cli
