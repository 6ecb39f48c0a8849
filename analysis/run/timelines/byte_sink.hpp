// Writes the bytes of a timeline to a file, either unchanged or compressed by gzip (RFC 1952).
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct z_stream_s;

namespace gradflight {

class ByteSink {
public:
  /// The same input gives the same output, because the header contains no name and no time. Throws std::bad_alloc.
  explicit ByteSink(std::FILE* out, bool gzip = false);
  ~ByteSink();
  ByteSink(const ByteSink&) = delete;
  ByteSink& operator=(const ByteSink&) = delete;

  void write(std::string_view bytes);
  /// Call it last. Errors of the file are in its ferror().
  void finish();

private:
  void pack(std::string_view bytes, int flush);
  std::FILE* out_;
  std::unique_ptr<z_stream_s> packer_; ///< null: no compression
  std::vector<unsigned char> packed_;  ///< what the packer gives in one call; empty without it
};

/// Returns the first bytes of the file, at most `most`; decompresses a compressed file.
std::string opening_of(const char* path, std::size_t most);

} // namespace gradflight
