// `codec`: tensors through the codecs, as scripts and people see them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace gradflight::cli {

struct CodecOptions {
  std::string codec;
  std::vector<std::string> sets; ///< "KEY=VALUE"
  std::int64_t elements = -1;    ///< of the tensor to decode; -1: not given
  std::filesystem::path residual_in, residual_out, in, out;
  bool json = false;
};

int codec_encode(const CodecOptions& options);
int codec_decode(const CodecOptions& options);
int codec_stats(const CodecOptions& options);

/// The codecs and their parameters, for the help.
std::string codec_table();

} // namespace gradflight::cli
