#include "base/input_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <sys/stat.h>
#include <unistd.h>

namespace gradflight {
namespace {

namespace fs = std::filesystem;

/// Reads until `text` has `most` bytes, or to the end. Returns an empty string; on failure returns the reason and
/// clears `text`.
std::string read_more(int file, std::size_t most, std::string& text) {
  std::array<char, 1U << 16U> part{};
  while (text.size() < most) {
    const auto got = read(file, part.data(), std::min(part.size(), most - text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      text.clear();
      return fmt::format("cannot be read: {}", std::strerror(errno));
    }
    if (got == 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  return {};
}

/// Keeps the bytes read from pipes and devices. Their descriptors stay open, because later calls may ask for more.
class KeptFiles {
public:
  FileText read(std::pair<dev_t, ino_t> identity, const fs::path& path, std::size_t most) {
    const std::lock_guard lock(mutex_);
    auto found = files_.find(identity);
    if (found == files_.end()) {
      OpenedFile opened = open_to_read(path);
      if (opened.descriptor < 0) return {{}, std::move(opened.error)};
      found = files_.emplace(identity, CachedFile{opened.descriptor, {}}).first;
    }
    CachedFile& kept = found->second;
    if (std::string error = read_more(kept.descriptor, most, kept.text); !error.empty()) {
      close(kept.descriptor);
      files_.erase(found);
      return {{}, std::move(error)};
    }
    return {kept.text.substr(0, most), {}};
  }

private:
  struct CachedFile {
    int descriptor;
    std::string text;
  };
  std::mutex mutex_;
  std::map<std::pair<dev_t, ino_t>, CachedFile> files_;
};

KeptFiles& kept_files() {
  static KeptFiles files;
  return files;
}

/// Checks a pipe without consuming bytes. A pipe that never had a writer looks the same as one at its end.
bool has_no_writer(int pipe) {
  std::array<int, 2> copy{};
  if (pipe2(copy.data(), O_CLOEXEC | O_NONBLOCK) != 0) return false;
  const auto seen = tee(pipe, copy[1], 1, SPLICE_F_NONBLOCK);
  close(copy[0]);
  close(copy[1]);
  return seen == 0;
}

} // namespace

OpenedFile open_to_read(const fs::path& path) {
  // O_NONBLOCK: opening a pipe must not wait for its writer.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0)
    return {-1, errno == ENOENT || errno == ENOTDIR ? "no such file"
                                                    : fmt::format("cannot be opened: {}", std::strerror(errno))};
  struct stat about {};
  std::string error;
  if (fstat(file, &about) == 0 && S_ISDIR(about.st_mode))
    error = "it is a directory, not a file";
  else if (S_ISFIFO(about.st_mode) && has_no_writer(file))
    error = "it is a pipe that nobody writes to";
  if (!error.empty()) {
    close(file);
    return {-1, error};
  }
  fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
  return {file, {}};
}

FilesBelow files_below(const fs::path& directory) {
  FilesBelow found;
  found.unread = directory;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(directory, error); !error && entry != end(entry);
       entry.increment(error)) {
    found.unread = entry->path();
    if (std::error_code dangling; entry->is_regular_file(dangling)) found.files.push_back(entry->path());
  }
  if (error) found.error = "cannot be read: " + error.message();
  std::sort(found.files.begin(), found.files.end());
  return found;
}

FileText read_file(const fs::path& path, std::size_t most) {
  struct stat about {};
  const bool known = stat(path.c_str(), &about) == 0;
  if (known && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
    return kept_files().read({about.st_dev, about.st_ino}, path, most);
  const auto [file, error] = open_to_read(path);
  if (file < 0) return {{}, error};
  FileText content;
  if (known && S_ISREG(about.st_mode)) content.text.reserve(std::min(most, static_cast<std::size_t>(about.st_size)));
  content.error = read_more(file, most, content.text);
  close(file);
  return content;
}

namespace {
/// Whether the path names a descriptor, such as /dev/fd/63; shells pass pipes this way.
bool names_descriptor(const fs::path& file) {
  const std::string directory = file.parent_path().string();
  return directory == "/dev/fd" || (directory.starts_with("/proc/") && directory.ends_with("/fd"));
}
} // namespace

fs::path directory_of(const fs::path& file) {
  fs::path directory = file.parent_path();
  return names_descriptor(file) || directory == "/dev" ? fs::path() : directory;
}

std::string name_of(const fs::path& file) { return names_descriptor(file) ? "pipe" : file.stem().string(); }

} // namespace gradflight
