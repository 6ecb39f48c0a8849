#include "scenarios/language/import/gzip_text.hpp"

#include "base/input_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <new>
#include <zlib.h>

namespace gradflight {

void GzipText::Close::operator()(gzFile_s* file) const { gzclose(file); }

GzipText::GzipText(const std::string& path, std::size_t most) : most_(most) {
  const OpenedFile opened = open_to_read(path);
  if (opened.descriptor < 0) throw UnreadableFile(opened.error);
  file_.reset(gzdopen(opened.descriptor, "rb")); // returns data that is not gzip unchanged
  if (!file_) throw std::bad_alloc();
  gzbuffer(file_.get(), 1U << 17U);
}

int GzipText::column() const {
  return static_cast<int>(std::min<std::uint64_t>(offset() - line_begin_, std::numeric_limits<int>::max() - 1)) + 1;
}

bool GzipText::fill() {
  before_ += filled_;
  next_ = filled_ = 0;
  if (before_ - marked_ > most_) throw UnreadableFile(fmt::format("a value has more than {} bytes", most_));
  const int got = gzread(file_.get(), buffer_.data(), static_cast<unsigned>(buffer_.size()));
  int code = Z_OK;
  const char* why = gzerror(file_.get(), &code);
  // The end of a truncated stream looks like a regular end, but has the error Z_BUF_ERROR.
  if (got < 0 || (got == 0 && code == Z_BUF_ERROR)) {
    if (code == Z_BUF_ERROR)
      throw UnreadableFile(fmt::format("the gzip data ends early, after {} unpacked bytes", before_));
    if (code == Z_ERRNO) throw UnreadableFile(std::strerror(errno));
    throw UnreadableFile(fmt::format("the gzip data is damaged, after {} unpacked bytes: {}", before_, why));
  }
  filled_ = static_cast<std::size_t>(got);
  return got > 0;
}

} // namespace gradflight
