// A check of an option's number; for the *_options.cpp, which see CLI11.
#pragma once

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace gradflight::cli {

/// CLI11's own range checks print all 309 digits of the largest double.
inline CLI::Validator at_least(int least) {
  return {[least](std::string& text) {
            double value = 0;
            const bool good = CLI::detail::lexical_cast(text, value) && value >= least;
            return good ? "" : fmt::format("must be a number of at least {}", least);
          },
          ""};
}

} // namespace gradflight::cli
