// A file that is either written whole or not at all: without a name until it is complete, so that nothing of it is left
// where the process is killed. A link stays one, and a file keeps its mode; a device, a pipe or /dev/stdout is written
// as it comes.
#pragma once

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gradflight {

/// The user asked for a file that cannot be written, or that would overwrite something: told before anything is done
/// (exit code 2).
class OutputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A result was worked out and could not be written: the disk is full, say (exit code 3).
class ResultLost : public OutputError {
  using OutputError::OutputError;
};

/// What is already there may be replaced if it begins as such a file does, or is empty: `--timeline scenario.json` is a
/// slip. Throws OutputError; `kind` is what should be there: "a timeline of gradflight".
void require_replaceable(const std::filesystem::path& path, std::string_view opening, std::string_view kind);

/// Whether what is written to one replaces the other. Devices and pipes take both.
bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other);

/// A name beside `path` for what will take its place, for those that cannot do without; what processes of this machine
/// that are no more have left of the kind is removed.
std::filesystem::path temporary_beside(const std::filesystem::path& path);

/// The name of the file in whose place such a temporary was to come; empty: it is none.
std::string replaced_by_temporary(const std::string& name);

class OutputFile {
public:
  /// Throws OutputError with the reason where the directory does not take it.
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile(); ///< without commit: the path is untouched
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] std::FILE* stream() const { return file_; }
  void write(std::string_view text);
  /// All of it is on its way to the disk. Throws ResultLost when any write has failed.
  void flush();
  /// Flushes, and closes it under a name beside its place: a full disk may refuse that as well. Throws ResultLost.
  void complete();
  /// Completes it, and puts it in its place. Throws ResultLost.
  void commit();

private:
  std::filesystem::path path_, temporary_; ///< the latter: where it is now; empty: at `path_`, or nameless
  std::FILE* file_ = nullptr;
  bool nameless_ = false;

  bool open_nameless();
  void open_as_it_is();
};

/// Files with their texts: all are complete before the first takes its place, the last one last. Throws OutputError or
/// ResultLost.
void write_all(const std::vector<std::pair<std::string, std::string>>& files);

} // namespace gradflight
