#include "cli/codec/codec.hpp"

#include "analysis/run/files/codec_files.hpp"
#include "cli/codec/codec_settings.hpp"
#include "cli/terminal/exit_codes.hpp"

#include <fmt/format.h>
#include <optional>
#include <stdexcept>
#include <utility>

namespace gradflight::cli {
namespace {

std::string codecs_with_residual() {
  std::string names;
  for (const codec::CodecInfo& info : codec::catalogue())
    if (info.keeps_residual) names += fmt::format("{}{}", names.empty() ? "" : " or ", info.name);
  return names;
}

/// Adds the mistakes in the options of a residual.
void check_residual(const CodecOptions& options, const codec::Codec& codec, Mistakes& mistakes) {
  if (codec.keeps_residual()) return;
  for (const auto& [option, file] :
       {std::pair("--residual-in", options.residual_in), std::pair("--residual-out", options.residual_out)})
    if (!file.empty())
      mistakes.add({option, 0, 0, "",
                    fmt::format("codec {} keeps no residual: leave this option out, or choose {}", options.codec,
                                codecs_with_residual())});
}

} // namespace

std::optional<codec::Settings> codec_settings(const CodecOptions& options, Mistakes& mistakes) {
  const auto collect = [&](const auto& read) {
    try {
      read();
    } catch (const std::invalid_argument& error) {
      mistakes.add({"gradflight codec", 0, 0, "", error.what()});
    }
  };
  std::optional<codec::Settings> settings;
  collect([&] { settings = codec::default_settings(options.codec); });
  for (const std::string& text : options.sets)
    collect([&] {
      const std::size_t equals = text.find('=');
      if (equals == std::string::npos)
        throw std::invalid_argument(fmt::format("--set {}: expected KEY=VALUE, such as density=0.01", text));
      if (settings) codec::set(*settings, text.substr(0, equals), text.substr(equals + 1));
    });
  return settings;
}

int codec_encode(const CodecOptions& options) {
  Mistakes mistakes;
  const auto settings = codec_settings(options, mistakes);
  NpyTensor tensor, before;
  const bool has_tensor = mistakes.collect([&] { tensor = read_tensor(options.in); });
  const auto require_values = [&](bool holds, const std::filesystem::path& file, const std::string& why) {
    if (has_tensor && !holds) mistakes.add({file.string(), 0, 0, "", why});
  };
  const std::size_t elements = tensor.values.size();
  if (options.elements >= 0)
    require_values(static_cast<std::size_t>(options.elements) == elements, options.in,
                   fmt::format("the tensor has {} values, but --elements is {}", elements, options.elements));
  const auto codec = settings ? codec::make_codec(*settings) : nullptr;
  if (codec) check_residual(options, *codec, mistakes);
  if (!options.residual_in.empty() && mistakes.collect([&] { before = read_tensor(options.residual_in); }))
    require_values(before.values.size() == elements, options.residual_in,
                   fmt::format("the residual has {} values, but {} has {}; expected as many", before.values.size(),
                               options.in.string(), elements));
  std::optional<OutputFile> out, residual_out;
  mistakes.collect([&] {
    require_writable(options.out, options.in, CodecOutput::bytes);
    out.emplace(options.out);
  });
  if (!options.residual_out.empty())
    mistakes.collect([&] {
      require_writable(options.residual_out, options.in, CodecOutput::tensor);
      if (is_same_file(options.residual_out, options.out))
        throw OutputError(
            fmt::format("{} cannot be the file of both OUT and --residual-out; give two names", options.out.string()));
      residual_out.emplace(options.residual_out);
    });
  mistakes.raise();
  // The residual before this tensor: from its file, or zeros, which are added even to -0.
  std::vector<float> residual = std::move(before.values);
  if (codec->keeps_residual()) residual.resize(elements);
  std::vector<std::byte> bytes;
  codec->encode(tensor.values, residual, bytes);
  write_bytes(*out, bytes);
  if (residual_out) write_tensor(*residual_out, tensor.shape, residual);
  out->commit();
  if (residual_out) residual_out->commit();
  return done;
}

int codec_decode(const CodecOptions& options) {
  Mistakes mistakes;
  const auto settings = codec_settings(options, mistakes);
  std::vector<std::byte> bytes;
  mistakes.collect([&] { bytes = read_bytes(options.in); });
  mistakes.collect([&] { require_writable(options.out, options.in, CodecOutput::tensor); });
  const auto elements = static_cast<std::size_t>(options.elements);
  std::vector<float> values;
  try {
    values.resize(elements);
  } catch (const std::exception&) { // such as bad_alloc or length_error
    mistakes.add({"--elements", 0, 0, "",
                  fmt::format("{} values do not fit into memory; give the number of values of the tensor", elements)});
  }
  mistakes.raise();
  const auto codec = codec::make_codec(*settings);
  if (const codec::DecodeStatus status = codec->decode(bytes, values); !status)
    throw InputErrors({{options.in.string(), 0, 0, "",
                        fmt::format("cannot decode {} values with codec {}: byte {}: {}; give the --elements and the "
                                    "parameters of the encoding",
                                    elements, options.codec, status.byte, status.problem)}});
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
