#include "analysis/files/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace gradflight {

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, std::string_view why) {
  throw OutputError(fmt::format("cannot write {}: {}", path.string(), why));
}

} // namespace

void require_replaceable(const fs::path& path, std::string_view opening, std::string_view kind) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored) || fs::is_empty(path, ignored)) return;
  std::ifstream existing(path, std::ios::binary);
  std::string begins(opening.size(), '\0');
  if (!existing.read(begins.data(), std::ssize(begins)) || begins != opening)
    throw OutputError(fmt::format("{} exists and is not {}; give another name", path.string(), kind));
}

OutputFile::OutputFile(fs::path path) : path_(std::move(path)) {
  std::error_code missing;
  const auto there = fs::status(path_, missing).type();
  if (there == fs::file_type::directory) refuse(path_, "it is a directory");
  const bool replaces = there == fs::file_type::regular || there == fs::file_type::not_found;
  if (there == fs::file_type::regular) path_ = fs::canonical(path_, missing);
  if (replaces) temporary_ = path_.string() + fmt::format(".tmp{}", getpid());
  file_ = replaces ? std::fopen(temporary_.c_str(), "wx") : std::fopen(path_.c_str(), "w");
  if (!file_) {
    temporary_.clear();
    refuse(path_, std::strerror(errno));
  }
  struct stat before {};
  if (there == fs::file_type::regular && stat(path_.c_str(), &before) == 0)
    fchmod(fileno(file_), before.st_mode & 07777);
}

OutputFile::~OutputFile() {
  if (file_) std::fclose(file_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void OutputFile::write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), file_); }

void OutputFile::commit() {
  const bool failed = std::ferror(file_) != 0;
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  const bool renames = !temporary_.empty();
  if (failed || !closed || (renames && std::rename(temporary_.c_str(), path_.c_str()) != 0))
    refuse(path_, std::strerror(errno));
  temporary_.clear();
}

} // namespace gradflight
