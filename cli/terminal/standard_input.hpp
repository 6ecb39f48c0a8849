// Commands that read files by name only.
#pragma once

#include "scenarios/language/json/diagnostics.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <string_view>

namespace gradflight::cli {

/// Throws InputErrors if `file` is "-" in a command that does not read standard input.
inline void refuse_standard_input(std::string_view command, const std::filesystem::path& file) {
  if (file != "-") return;
  throw InputErrors(
      {{"-", 0, 0, "",
        fmt::format("`gradflight {}` does not read standard input: save it in a file, and give its name", command)}});
}

} // namespace gradflight::cli
