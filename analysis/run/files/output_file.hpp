// A file that is written completely or not at all. It has no name until it is complete, so a killed process leaves no
// part of it. Links stay links, and existing files keep their mode. Devices, pipes and /dev/stdout are written
// directly.
#pragma once

#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gradflight {

/// The user requested a file that cannot be written, or that would overwrite another one. Reported before the
/// simulation (exit code 2).
class OutputError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A computed result could not be written, for example to a full disk (exit code 3).
class ResultLost : public OutputError {
  using OutputError::OutputError;
};

/// An existing file may be replaced if it is empty or has the same kind: `--timeline scenario.json` is a mistake.
/// `opening` is the beginning of valid files, and `kind` their description: "a timeline of gradflight". `way_out` says
/// what the user can do. Throws OutputError.
void require_replaceable(const std::filesystem::path& path, std::string_view opening, std::string_view kind,
                         std::string_view way_out = "give another name");
/// The same for files without one opening: `is_own` gets the first 4 KiB of an existing file.
void require_replaceable(const std::filesystem::path& path, bool (*is_own)(std::string_view begin),
                         std::string_view kind);

/// Whether writing one path replaces the other. Devices and pipes accept both. An empty path is no file.
bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other);

/// Returns a temporary name beside `path` for its replacement. Removes temporary files of ended processes on this
/// machine.
std::filesystem::path temporary_path(const std::filesystem::path& path);

/// Returns the name of the file that a temporary file would replace; empty if `name` is not a temporary name.
std::string replaced_by_temporary(const std::string& name);

class OutputFile {
public:
  /// Throws OutputError with the reason if the file cannot be created in the directory.
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile(); ///< without commit, the path does not change
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  [[nodiscard]] std::FILE* stream() const { return file_; }
  void write(std::string_view text);
  /// Flushes all data to the file system. Throws ResultLost if any write failed.
  void flush();
  /// Flushes, and closes the file under a temporary name beside its path, which may also fail on a full disk. Throws
  /// ResultLost.
  void complete();
  /// Completes the file, and moves it to its path. Throws ResultLost.
  void commit();

private:
  std::filesystem::path path_, temporary_; ///< `temporary_`: the current name; empty: at `path_`, or nameless
  std::FILE* file_ = nullptr;
  bool nameless_ = false;

  bool open_nameless();
  void open_as_it_is();
};

/// Writes files with their texts. All are complete before the first one is moved to its path; they are moved in order.
/// Throws OutputError or ResultLost.
void write_all(const std::vector<std::pair<std::string, std::string>>& files);

} // namespace gradflight
