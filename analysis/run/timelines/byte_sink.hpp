// Where a timeline's bytes go: to a file as they are, or packed by gzip (RFC 1952).
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

struct z_stream_s;

namespace gradflight {

class ByteSink {
public:
  /// The same bytes in make the same bytes out: no name and no time are in the header. Throws std::bad_alloc.
  explicit ByteSink(std::FILE* out, bool gzip = false);
  ~ByteSink();
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  void write(std::string_view bytes);
  /// Call last. Errors of the file are left to its ferror().
  void finish();

private:
  void pack(std::string_view bytes, int flush);
  std::FILE* out_;
  std::unique_ptr<z_stream_s> packer_; ///< null: as they are
};

/// What the file unpacks to, if it is packed, up to `most` bytes of it.
std::string opening_of(const char* path, std::size_t most);

} // namespace gradflight
