// What is wrong with an input, where it was written, and what to write instead. Always all of it at once.
#pragma once

#include <exception>
#include <string>
#include <vector>

namespace gradflight {

/// `line` and `column` count from 1, columns in characters (not bytes); 0: the file as a whole.
struct Diagnostic {
  std::string file;
  int line = 0, column = 0;
  std::string pointer; ///< JSON pointer into the resolved document; empty: the whole document
  std::string message;

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// "cluster.json:7:15: /platform/nodes: ..." without a newline or any other control character, on a line of bearable
/// length whatever the input.
std::string format(const Diagnostic& diagnostic);

/// Thrown by every loader; never empty, sorted by file (as first read), line and column. The command line exits with 2.
class InputErrors : public std::exception {
public:
  explicit InputErrors(std::vector<Diagnostic> found);
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  /// One line for each diagnostic, each ending in a newline.
  [[nodiscard]] std::string format() const { return text_; }
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
  std::vector<Diagnostic> diagnostics_;
  std::string text_;
};

} // namespace gradflight
