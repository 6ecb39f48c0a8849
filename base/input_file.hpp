// Files that the user names, opened for reading: the one place that knows of directories, pipes and devices.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace gradflight {

/// The first bytes of a file, all of them if there are no more than asked for; or why there are none.
struct FileText {
  std::string text, error; ///< of `error`: empty where it was read
};

struct OpenedFile {
  int descriptor = -1; ///< the caller's to close; -1: see `error`
  std::string error;
};

/// A directory is refused, and so is a pipe that nobody writes to: reading it would wait for ever. A pipe with a
/// writer, `<(command)` too, is there to be read to its end, once; read_file() can do that several times.
OpenedFile open_to_read(const std::filesystem::path& path);

struct FilesBelow {
  std::vector<std::filesystem::path> files;
  std::filesystem::path unread; ///< of `error`
  std::string error;
};

/// The files in a directory and its subdirectories, sorted. One that cannot be read is no empty one: that is an error.
FilesBelow files_below(const std::filesystem::path& directory);

/// No more than `most` bytes: the size of pipes and devices is not known beforehand. What a path holds that is no
/// regular file can be taken out only once; the process keeps it, so that every further call sees the same bytes.
FileText read_file(const std::filesystem::path& path, std::size_t most);

/// The directory from which relative paths in `file` are seen: its own; of `/dev/stdin`, `/dev/fd/63` and the like, by
/// which shells name pipes, the current one (an empty path).
std::filesystem::path directory_of(const std::filesystem::path& file);

/// What a file's content is called that has no name of its own: the file's name without its extension; "pipe" where
/// that would be the number of one.
std::string name_of(const std::filesystem::path& file);

} // namespace gradflight
