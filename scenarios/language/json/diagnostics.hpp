// Mistakes in an input: what is wrong, where, and what to write instead. All mistakes are reported together.
#pragma once

#include <exception>
#include <string>
#include <vector>

namespace gradflight {

/// `line` and `column` count from 1; columns count characters, not bytes. 0 means the whole file.
struct Diagnostic {
  std::string file;
  int line = 0, column = 0;
  std::string pointer; ///< JSON pointer into the resolved document; empty: the whole document
  std::string message;
  std::string argument{}; ///< the PATH=VALUE of a --set that contains the mistake; empty: the mistake is in a file

  /// Returns the message after the pointer, "/platform/nodes: ...", for messages that name another place.
  [[nodiscard]] std::string message_at_pointer() const { return pointer.empty() ? message : pointer + ": " + message; }

  friend bool operator==(const Diagnostic&, const Diagnostic&) = default;
};

/// Returns "cluster.json:7:15: /platform/nodes: ..." or "--set platform.nodes=0: /platform/nodes: ..." without a
/// newline or any other control character. Limits the length of the line for every input.
std::string format(const Diagnostic& diagnostic);

/// All loaders throw it; never empty, sorted by file (in reading order), line and column. The command line exits with
/// 2.
class InputErrors : public std::exception {
public:
  explicit InputErrors(std::vector<Diagnostic> found);
  [[nodiscard]] const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  /// Returns one line for each diagnostic; each ends with a newline.
  [[nodiscard]] std::string format() const { return text_; }
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

private:
  std::vector<Diagnostic> diagnostics_;
  std::string text_;
};

} // namespace gradflight
