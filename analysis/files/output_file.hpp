// A file that is either written whole or not at all: under a temporary name beside it, renamed when complete.
// A link stays one, and a file keeps its mode; a device, a pipe or /dev/stdout is written as it comes.
#pragma once

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string_view>

namespace gradflight {

/// The user asked for a file that cannot be written, or that would overwrite something (exit code 2).
class OutputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What is already there may be replaced if it begins as such a file does, or is empty: `--timeline scenario.json` is a
/// slip. Throws OutputError; `kind` is what should be there: "a timeline of gradflight".
void require_replaceable(const std::filesystem::path& path, std::string_view opening, std::string_view kind);

class OutputFile {
public:
  /// Opens the temporary; throws OutputError with the reason where the directory does not take it.
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile(); ///< without commit: the temporary is removed, the path untouched
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] std::FILE* stream() const { return file_; }
  void write(std::string_view text);
  /// Flushes and renames. Throws OutputError when any write has failed (disk full).
  void commit();

private:
  std::filesystem::path path_, temporary_; ///< the latter empty: `path_` is open itself
  std::FILE* file_ = nullptr;
};

} // namespace gradflight
