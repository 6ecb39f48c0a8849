// A validator for the number of an option; for the files that include CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace gradflight::cli {

/// Replaces CLI11's range checks, which print all 309 digits of the largest double.
inline CLI::Validator at_least(int least) {
  return {[least](std::string& text) {
            double value = 0;
            const bool good = CLI::detail::lexical_cast(text, value) && value >= least;
            return good ? "" : fmt::format("must be a number of at least {}", least);
          },
          ""};
}

} // namespace gradflight::cli
