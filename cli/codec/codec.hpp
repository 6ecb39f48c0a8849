// `codec`: encodes and decodes tensors, for scripts and people.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gradflight::cli {

struct CodecOptions {
  std::string codec;
  std::vector<std::string> sets; ///< "KEY=VALUE"
  std::int64_t elements = -1;    ///< number of elements in the tensor to decode; -1: not given
  std::filesystem::path residual_in, residual_out, in, out;
  bool json = false;
};

int codec_encode(const CodecOptions& options);
int codec_decode(const CodecOptions& options);
int codec_stats(const CodecOptions& options);

/// Returns the codecs and their parameters, for the help.
std::string codec_table();

/// Adds the command; sets `action` to the chosen one of its three actions.
void add_codec(CLI::App& app, CodecOptions& options, std::function<int()>& action);

} // namespace gradflight::cli
