#include "analysis/run/files/output_file.hpp"

#include "analysis/run/files/process.hpp"
#include "base/parse_number.hpp"
#include "base/paths.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace gradflight {

namespace {

namespace fs = std::filesystem;

template <class Error> [[noreturn]] void refuse(const fs::path& path, std::string_view why) {
  throw Error(fmt::format("cannot write {}: {}", path.string(), why));
}

/// Returns the file that `path` names, or the target of its links if that does not exist yet. Devices and pipes keep
/// their names.
fs::path behind_links(fs::path path) {
  constexpr int most = 40; // the limit in the Linux kernel
  std::error_code error;
  const auto there = fs::status(path, error).type();
  if (there == fs::file_type::regular) return fs::canonical(path, error);
  if (there != fs::file_type::not_found) return path;
  for (int i = 0; i < most && fs::is_symlink(path, error); ++i)
    path = path.parent_path() / fs::read_symlink(path, error);
  return path;
}

fs::path opened(int file) { return fmt::format("/proc/self/fd/{}", file); }

constexpr std::string_view temporary_mark = ".tmp.";

bool gone(std::string_view process) {
  const auto id = parse_number<pid_t>(process);
  return id && kill(*id, 0) != 0 && errno == ESRCH;
}

/// Returns up to `bytes` bytes of a regular file that holds any; nothing for others.
std::optional<std::string> begin_of(const fs::path& path, std::size_t bytes) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored) || fs::is_empty(path, ignored)) return std::nullopt;
  std::ifstream existing(path, std::ios::binary);
  std::string begin(bytes, '\0');
  existing.read(begin.data(), std::ssize(begin));
  begin.resize(static_cast<std::size_t>(existing.gcount()));
  return begin;
}

[[noreturn]] void refuse_over(const fs::path& path, std::string_view kind,
                              std::string_view way_out = "give another name") {
  throw OutputError(fmt::format("{} exists and is not {}; {}", path.string(), kind, way_out));
}

} // namespace

void require_replaceable(const fs::path& path, std::string_view opening, std::string_view kind,
                         std::string_view way_out) {
  if (const auto begin = begin_of(path, opening.size()); begin && *begin != opening) refuse_over(path, kind, way_out);
}

void require_replaceable(const fs::path& path, bool (*is_own)(std::string_view begin), std::string_view kind) {
  constexpr std::size_t bytes = 4096;
  if (const auto begin = begin_of(path, bytes); begin && !is_own(*begin)) refuse_over(path, kind);
}

bool is_same_file(const fs::path& one, const fs::path& other) {
  std::error_code ignored;
  if (fs::exists(one, ignored) && !fs::is_regular_file(one, ignored)) return false;
  return !one.empty() && !other.empty() && real_path(one) == real_path(other);
}

fs::path temporary_path(const fs::path& path) {
  const std::string before = fmt::format("{}{}{}.", path.filename().string(), temporary_mark, host_name());
  std::error_code ignored;
  for (const fs::path& entry : entries_of(path.has_parent_path() ? path.parent_path() : ".", ignored)) {
    const std::string name = entry.filename().string();
    if (name.starts_with(before) && gone(std::string_view(name).substr(before.size()))) fs::remove(entry, ignored);
  }
  return path.parent_path() / fmt::format("{}{}", before, getpid());
}

std::string replaced_by_temporary(const std::string& name) {
  const auto at = name.find(temporary_mark);
  return at == std::string::npos ? "" : name.substr(0, at);
}

OutputFile::OutputFile(fs::path path) : path_(behind_links(std::move(path))) {
  std::error_code missing;
  const auto there = fs::status(path_, missing).type();
  if (there == fs::file_type::directory) refuse<OutputError>(path_, "it is a directory");
  if (there != fs::file_type::regular && there != fs::file_type::not_found) {
    open_as_it_is();
    return;
  }
  if (!open_nameless()) {
    temporary_ = temporary_path(path_);
    file_ = std::fopen(temporary_.c_str(), "wxe");
    if (!file_) {
      temporary_.clear();
      refuse<OutputError>(path_, std::strerror(errno));
    }
  }
  struct stat before {};
  if (there == fs::file_type::regular && stat(path_.c_str(), &before) == 0)
    fchmod(fileno(file_), before.st_mode & 07777);
}

/// Some file systems do not support files without a name. Such a file can get its name only through /proc.
bool OutputFile::open_nameless() {
  const fs::path directory = path_.has_parent_path() ? path_.parent_path() : ".";
  const int file = open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (file < 0) return false;
  nameless_ = access(opened(file).c_str(), F_OK) == 0;
  if (nameless_)
    file_ = fdopen(file, "w");
  else
    close(file);
  return nameless_;
}

/// Opens a device or a pipe. Rejects a pipe without a reader, because writing to it would never end.
void OutputFile::open_as_it_is() {
  const int file = open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (file < 0) refuse<OutputError>(path_, errno == ENXIO ? "it is a pipe without a reader" : std::strerror(errno));
  fcntl(file, F_SETFL, fcntl(file, F_GETFL) & ~O_NONBLOCK);
  file_ = fdopen(file, "w");
}

OutputFile::~OutputFile() {
  if (file_) std::fclose(file_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void OutputFile::write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), file_); }

void OutputFile::flush() {
  if (std::fflush(file_) != 0 || std::ferror(file_) != 0) refuse<ResultLost>(path_, std::strerror(errno));
}

void OutputFile::complete() {
  if (!file_) return;
  flush();
  if (nameless_) {
    const fs::path named = temporary_path(path_);
    std::remove(named.c_str());
    if (linkat(AT_FDCWD, opened(fileno(file_)).c_str(), AT_FDCWD, named.c_str(), AT_SYMLINK_FOLLOW) != 0)
      refuse<ResultLost>(path_, std::strerror(errno));
    temporary_ = named;
  }
  if (std::fclose(std::exchange(file_, nullptr)) != 0) refuse<ResultLost>(path_, std::strerror(errno));
}

void OutputFile::commit() {
  complete();
  if (!temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0)
    refuse<ResultLost>(path_, std::strerror(errno));
  temporary_.clear();
}

void write_all(const std::vector<std::pair<std::string, std::string>>& files) {
  std::deque<OutputFile> complete;
  for (const auto& [path, text] : files) {
    auto& file = complete.emplace_back(path);
    file.write(text);
    file.complete();
  }
  for (auto& file : complete) file.commit();
}

} // namespace gradflight
