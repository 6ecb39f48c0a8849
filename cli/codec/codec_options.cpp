// The options of `codec`.
#include "cli/codec/codec.hpp"
#include "cli/terminal/validators.hpp"

namespace gradflight::cli {
namespace {

CLI::App* add_codec_action(CLI::App& codec, const std::string& name, const std::string& meaning,
                           CodecOptions& options) {
  CLI::App* command = codec.add_subcommand(name, meaning);
  command->footer(codec_table());
  command->add_option("--codec", options.codec, "Name of a codec; the list below has all")
      ->required()
      ->type_name("NAME");
  command->add_option("--set", options.sets, "Set a parameter of the codec; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  return command;
}

} // namespace

void add_codec(CLI::App& app, CodecOptions& options, std::function<int()>& action) {
  CLI::App* codec = app.add_subcommand("codec", "Encode, decode and measure gradient tensors (.npy, float32)");
  codec->require_subcommand(1);
  codec->footer(codec_table());
  const auto add_files = [&](CLI::App* command, const char* in, const char* out) {
    command->add_option("in", options.in, in)->required()->type_name("IN");
    if (out) command->add_option("out", options.out, out)->required()->type_name("OUT");
  };
  CLI::App* encode = add_codec_action(*codec, "encode", "Encode a tensor to a file", options);
  add_files(encode, "Tensor to encode (.npy, float32)", "File for the encoded bytes");
  CLI::App* decode = add_codec_action(*codec, "decode", "Decode a file to a tensor of one dimension", options);
  add_files(decode, "File with the encoded bytes", "Tensor to write (.npy, float32)");
  const auto add_elements = [&](CLI::App* command, const char* meaning) {
    return command->add_option("--elements", options.elements, meaning)
        ->type_name("N")
        ->check(whole_number(0, std::numeric_limits<std::int64_t>::max()));
  };
  add_elements(encode, "Number of values that the tensor must have; another number is an error");
  add_elements(decode, "Number of values of the tensor, which the encoded bytes do not contain")->required();
  encode
      ->add_option("--residual-in", options.residual_in,
                   "Residual of the step before, for codecs that keep one (.npy; default: zeros)")
      ->type_name("FILE");
  encode->add_option("--residual-out", options.residual_out, "Write the residual for the next step to FILE (.npy)")
      ->type_name("FILE");
  CLI::App* stats = add_codec_action(
      *codec, "stats", "Print sizes, errors, and the share of values in each class of the codec", options);
  add_files(stats, "Tensor to encode (.npy), or a directory of tensors", nullptr);
  stats->add_flag("--json", options.json, "Print the statistics as JSON");
  encode->callback([&] { action = [&] { return codec_encode(options); }; });
  decode->callback([&] { action = [&] { return codec_decode(options); }; });
  stats->callback([&] { action = [&] { return codec_stats(options); }; });
}

} // namespace gradflight::cli
