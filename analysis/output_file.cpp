#include "analysis/output_file.hpp"

#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <unistd.h>
#include <utility>

namespace gradflight {

OutputFile::OutputFile(std::filesystem::path path)
    : path_(std::move(path)), temporary_(path_.string() + fmt::format(".tmp{}", getpid())) {
  if (std::filesystem::is_directory(path_))
    throw OutputError(fmt::format("cannot write {}: it is a directory", path_.string()));
  file_ = std::fopen(temporary_.c_str(), "wx");
  if (!file_) throw OutputError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
}

OutputFile::~OutputFile() {
  if (file_) std::fclose(file_);
  if (!temporary_.empty()) std::remove(temporary_.c_str());
}

void OutputFile::write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), file_); }

void OutputFile::commit() {
  const bool failed = std::ferror(file_) != 0;
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  if (failed || !closed || std::rename(temporary_.c_str(), path_.c_str()) != 0)
    throw OutputError(fmt::format("cannot write {}: {}", path_.string(), std::strerror(errno)));
  temporary_.clear();
}

} // namespace gradflight
