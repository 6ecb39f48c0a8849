// Mistakes in the parts of a command's input that do not depend on each other, which are reported together.
#pragma once

#include "analysis/run/files/output_file.hpp"
#include "base/usage_error.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <array>
#include <set>
#include <string>
#include <vector>

namespace gradflight::cli {

class Mistakes {
public:
  /// Calls `read`, and keeps the mistakes that it throws. Returns whether it threw none.
  template <class Read> bool collect(const Read& read) {
    try {
      read();
      return true;
    } catch (const InputErrors& errors) {
      for (const Diagnostic& error : errors.diagnostics()) add(error);
    } catch (const UsageError& error) {
      add({"gradflight", 0, 0, "", error.what()});
    } catch (const OutputError& error) {
      add({"gradflight", 0, 0, "", error.what()});
    }
    return false;
  }
  /// Does nothing if a mistake with the same text was added for the same place.
  void add(const Diagnostic& mistake) {
    if (told_.insert({mistake.file, mistake.pointer, mistake.message}).second) found_.push_back(mistake);
  }
  [[nodiscard]] bool any() const { return !found_.empty(); }
  /// Throws all mistakes as InputErrors, if there are any.
  void raise() const {
    if (any()) throw InputErrors(found_);
  }

private:
  std::vector<Diagnostic> found_;
  std::set<std::array<std::string, 3>> told_;
};

} // namespace gradflight::cli
