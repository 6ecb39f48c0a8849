#include "cli/codec/codec.hpp"

#include "analysis/run/files/codec_files.hpp"
#include "cli/codec/codec_settings.hpp"
#include "cli/terminal/exit_codes.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <fmt/format.h>
#include <optional>

namespace gradflight::cli {
namespace {

[[noreturn]] void refuse(const std::string& subject, const std::string& why) {
  throw InputErrors({{subject, 0, 0, "", why}});
}

std::string codecs_with_residual() {
  std::string names;
  for (const codec::CodecInfo& info : codec::catalogue())
    if (info.keeps_residual) names += fmt::format("{}{}", names.empty() ? "" : " or ", info.name);
  return names;
}

/// Returns the residual before this tensor, from its file or as zeros (even -0 is added to them). Empty if the codec
/// keeps none.
std::vector<float> residual_for(const CodecOptions& options, const codec::Codec& codec, std::size_t elements) {
  const bool wanted = !options.residual_in.empty() || !options.residual_out.empty();
  if (wanted && !codec.keeps_residual())
    refuse(options.residual_in.empty() ? "--residual-out" : "--residual-in",
           fmt::format("codec {} keeps no residual: leave this option out, or choose {}", options.codec,
                       codecs_with_residual()));
  if (!codec.keeps_residual()) return {};
  if (options.residual_in.empty()) return std::vector<float>(elements);
  NpyTensor residual = read_tensor(options.residual_in);
  if (residual.values.size() != elements)
    refuse(options.residual_in.string(), fmt::format("the residual has {} values, but {} has {}; expected as many",
                                                     residual.values.size(), options.in.string(), elements));
  return std::move(residual.values);
}

} // namespace

codec::Settings codec_settings(const CodecOptions& options) {
  try {
    codec::Settings settings = codec::default_settings(options.codec);
    for (const std::string& text : options.sets) {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos)
        throw std::invalid_argument(fmt::format("--set {}: expected KEY=VALUE, such as density=0.01", text));
      codec::set(settings, text.substr(0, equals), text.substr(equals + 1));
    }
    return settings;
  } catch (const std::invalid_argument& error) {
    refuse("gradflight codec", error.what());
  }
}

int codec_encode(const CodecOptions& options) {
  const auto codec = codec::make_codec(codec_settings(options));
  const NpyTensor tensor = read_tensor(options.in);
  std::vector<float> residual = residual_for(options, *codec, tensor.values.size());
  if (options.elements >= 0 && static_cast<std::size_t>(options.elements) != tensor.values.size())
    refuse(options.in.string(),
           fmt::format("the tensor has {} values, but --elements is {}", tensor.values.size(), options.elements));
  require_writable(options.out, options.in, CodecOutput::bytes);
  OutputFile out(options.out);
  std::optional<OutputFile> residual_out;
  if (!options.residual_out.empty()) {
    require_writable(options.residual_out, options.in, CodecOutput::tensor);
    if (is_same_file(options.residual_out, options.out))
      throw OutputError(
          fmt::format("{} cannot be the file of both OUT and --residual-out; give two names", options.out.string()));
    residual_out.emplace(options.residual_out);
  }
  std::vector<std::byte> bytes;
  codec->encode(tensor.values, residual, bytes);
  write_bytes(out, bytes);
  if (residual_out) write_tensor(*residual_out, tensor.shape, residual);
  out.commit();
  if (residual_out) residual_out->commit();
  return done;
}

int codec_decode(const CodecOptions& options) {
  const auto codec = codec::make_codec(codec_settings(options));
  const std::vector<std::byte> bytes = read_bytes(options.in);
  require_writable(options.out, options.in, CodecOutput::tensor);
  const auto elements = static_cast<std::size_t>(options.elements);
  std::vector<float> values;
  try {
    values.resize(elements);
  } catch (const std::exception&) { // such as bad_alloc or length_error
    refuse("--elements",
           fmt::format("{} values do not fit into memory; give the number of values of the tensor", elements));
  }
  if (const codec::DecodeStatus status = codec->decode(bytes, values); !status)
    refuse(options.in.string(),
           fmt::format("cannot decode {} values with codec {}: byte {}: {}; give the --elements and the "
                       "parameters of the encoding",
                       elements, options.codec, status.byte, status.problem));
  OutputFile out(options.out);
  write_tensor(out, std::vector<std::size_t>{elements}, values);
  out.commit();
  return done;
}

std::string codec_table() {
  std::string text = "Codecs and their parameters (--set KEY=VALUE):\n";
  for (const codec::CodecInfo& info : codec::catalogue()) {
    text += fmt::format("  {:<14}  {}{}\n", info.name, info.meaning, info.keeps_residual ? " (keeps a residual)" : "");
    for (const codec::Parameter& p : info.parameters)
      text += fmt::format("    {:<20}  {}; {} (default {})\n", p.name, p.meaning, range_text(p), p.initial);
  }
  return text + "OUT is written whole or not at all. An existing OUT is replaced, except that encoded bytes never\n"
                "replace a .npy tensor, and a tensor never replaces anything else.\n";
}

} // namespace gradflight::cli
