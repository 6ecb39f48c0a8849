// Reads a file's text in pieces of constant size; decompresses gzip.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

struct gzFile_s;

namespace gradflight {

/// The file cannot be read: it does not exist, or its compressed data ends early or is damaged.
class UnreadableFile : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

class GzipText {
public:
  /// Throws UnreadableFile, also later if more than `most` bytes pass between two calls of mark().
  GzipText(const std::string& path, std::size_t most);
  void mark() { marked_ = offset(); }
  [[nodiscard]] bool at_end() { return next_ == filled_ && !fill(); }
  [[nodiscard]] char peek() { return at_end() ? '\0' : buffer_[next_]; }
  void advance() {
    if (at_end()) return;
    if (buffer_[next_++] != '\n') return;
    ++line_;
    line_begin_ = offset();
  }
  /// Offset of the next character in the decompressed text.
  [[nodiscard]] std::uint64_t offset() const { return before_ + next_; }
  /// Position of the next character, counted from 1, in bytes. A column beyond the range of int becomes the largest
  /// int.
  [[nodiscard]] int line() const { return line_; }
  [[nodiscard]] int column() const;

private:
  struct Close {
    void operator()(gzFile_s* file) const;
  };
  bool fill(); ///< false at the end
  std::unique_ptr<gzFile_s, Close> file_;
  std::array<char, std::size_t{1} << 16U> buffer_{};
  std::size_t next_ = 0, filled_ = 0;
  std::uint64_t before_ = 0, marked_ = 0, line_begin_ = 0;
  std::size_t most_;
  int line_ = 1;
};

} // namespace gradflight
