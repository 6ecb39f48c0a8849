// `codec stats`: encodes and decodes one tensor, or a directory of them.
#include "analysis/run/files/codec_files.hpp"
#include "analysis/run/files/json_text.hpp"
#include "analysis/run/text/codec_table.hpp"
#include "base/human.hpp"
#include "cli/codec/codec.hpp"
#include "cli/codec/codec_settings.hpp"
#include "cli/terminal/console.hpp"
#include "cli/terminal/exit_codes.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace gradflight::cli {
namespace {

namespace fs = std::filesystem;

/// Warns about values that the errors leave out, and about errors beyond the codec's bound.
void print_warnings(const codec::Statistics& total) {
  if (total.compared < total.values)
    print_message(fmt::format("gradflight: {} not finite before or after the codec; the errors leave them out\n",
                              counted(static_cast<std::int64_t>(total.values - total.compared), "value")));
  if (total.above_bound > 0)
    print_message(fmt::format("gradflight: {} with an error beyond the codec's bound\n",
                              counted(static_cast<std::int64_t>(total.above_bound), "value")));
}

} // namespace

int codec_stats(const CodecOptions& options) {
  Mistakes mistakes;
  const auto settings = codec_settings(options, mistakes);
  std::vector<fs::path> files;
  mistakes.collect([&] { files = tensor_files(options.in); });
  std::vector<MeasuredTensor> all;
  for (const fs::path& file : files) {
    try {
      const NpyTensor tensor = read_npy(file);
      const bool one = files.size() == 1 && file == options.in;
      all.push_back({one ? file.filename().string() : file.lexically_relative(options.in).string(), {}});
      if (!mistakes.any()) codec::add(all.back().statistics, *settings, tensor.values);
    } catch (const NpyError& error) {
      mistakes.add({file.string(), 0, 0, "", error.what()});
    }
  }
  mistakes.raise();
  if (options.json) {
    print_result(json_text(codec_statistics_json(options.codec, all)));
  } else {
    print_result(codec_statistics_table(all));
    print_warnings(total_of(all));
  }
  return done;
}

} // namespace gradflight::cli
