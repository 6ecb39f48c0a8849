// Opens input files of the user for reading. Only this module handles directories, pipes and devices.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace gradflight {

/// The first bytes of a file, up to the requested number, or the reason why it cannot be read.
struct FileText {
  std::string text, error; ///< `error` is empty if the file was read
};

struct OpenedFile {
  int descriptor = -1; ///< the caller must close it; -1: see `error`
  std::string error;
};

/// Rejects a directory, and a pipe without a writer, because reading it would never end. A pipe with a writer, such as
/// `<(command)`, can be read once to its end; read_file() can read it several times.
OpenedFile open_to_read(const std::filesystem::path& path);

struct FilesBelow {
  std::vector<std::filesystem::path> files;
  std::filesystem::path unread; ///< the file or directory of `error`
  std::string error;
};

/// Returns the files in a directory and its subdirectories, sorted. A directory that cannot be read is an error.
FilesBelow files_below(const std::filesystem::path& directory);

/// Reads at most `most` bytes, since the size of pipes and devices is unknown beforehand. Pipes and devices can be read
/// only once. The process keeps their bytes, so that every further call returns the same.
FileText read_file(const std::filesystem::path& path, std::size_t most);

/// Returns the directory to which relative paths in `file` refer: the directory of `file`. For `/dev/stdin`,
/// `/dev/fd/63` and similar names of pipes, it is the current directory (an empty path).
std::filesystem::path directory_of(const std::filesystem::path& file);

/// Returns a name for content without a name of its own: the file's name without its extension. Returns "pipe" if that
/// would be the number of a descriptor.
std::string name_of(const std::filesystem::path& file);

} // namespace gradflight
