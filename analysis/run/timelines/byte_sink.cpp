#include "analysis/run/timelines/byte_sink.hpp"

#include <new>
#include <string>
#define ZLIB_CONST // NOLINT(*-macro-usage): zlib's own switch: its input is const
#include <zlib.h>

namespace gradflight {

ByteSink::ByteSink(std::FILE* out, bool gzip) : out_(out) {
  if (!gzip) return;
  packer_ = std::make_unique<z_stream_s>();
  packed_.resize(std::size_t{1} << 16U);
  constexpr int window_and_gzip = 15 + 16, memory = 8;
  if (deflateInit2(packer_.get(), Z_DEFAULT_COMPRESSION, Z_DEFLATED, window_and_gzip, memory, Z_DEFAULT_STRATEGY) !=
      Z_OK)
    throw std::bad_alloc();
}

ByteSink::~ByteSink() {
  if (packer_) deflateEnd(packer_.get());
}

void ByteSink::write(std::string_view bytes) {
  if (packer_)
    pack(bytes, Z_NO_FLUSH);
  else
    std::fwrite(bytes.data(), 1, bytes.size(), out_);
}

void ByteSink::finish() {
  if (packer_) pack({}, Z_FINISH);
}

void ByteSink::pack(std::string_view bytes, int flush) {
  packer_->next_in = reinterpret_cast<const unsigned char*>(bytes.data());
  packer_->avail_in = static_cast<unsigned>(bytes.size());
  do {
    packer_->next_out = packed_.data();
    packer_->avail_out = static_cast<unsigned>(packed_.size());
    deflate(packer_.get(), flush);
    std::fwrite(packed_.data(), 1, packed_.size() - packer_->avail_out, out_);
  } while (packer_->avail_out == 0);
}

std::string opening_of(const char* path, std::size_t most) {
  std::string bytes(most, '\0');
  gzFile_s* const file = gzopen(path, "rb");
  if (file == nullptr) return {};
  const int read = gzread(file, bytes.data(), static_cast<unsigned>(most));
  gzclose(file);
  bytes.resize(read > 0 ? static_cast<std::size_t>(read) : 0);
  return bytes;
}

} // namespace gradflight
