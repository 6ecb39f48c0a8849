// Options that take a file or the name of an entry of a catalogue.
#pragma once

#include "scenarios/language/json/diagnostics.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace gradflight::cli {

/// Returns what `load` returns for `name`. If no such file exists, mistakes in the name itself are placed at `option`.
template <class Load> auto load_named(const std::string& name, const std::string& option, Load load) {
  try {
    return load(name);
  } catch (const InputErrors& errors) {
    if (std::error_code ignored; std::filesystem::exists(name, ignored)) throw;
    std::vector<Diagnostic> found = errors.diagnostics();
    for (Diagnostic& error : found)
      if (error.file == name && error.line > 0) error = {option, 0, 0, "", error.message};
    throw InputErrors(std::move(found));
  }
}

} // namespace gradflight::cli
