
#include "base/paths.hpp"
#include "models/codecs/catalogue.hpp"
#include "models/nic/nic_spec.hpp"
#include "scenarios/language/tables/training/gradient_index.hpp"
#include "scenarios/language/tables/training/training_tables.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {
namespace {

enum class Leg { push, pull };
constexpr double least_ratio = 1e-3, most_ratio = 1e6;

/// A folder of captured gradients, read by its index.
Value<GradientFiles> gradient_files() {
  auto path = text("path");
  path.shape.folder = true;
  return {path.shape,
          [path](const Node& node, Decoder& decoder) -> std::optional<GradientFiles> {
            const auto directory = path.read(node, decoder);
            if (!directory) return std::nullopt;
            auto index = read_gradient_index(*directory);
            if (index.error.empty()) {
              index.files.directory =
                  absolute_path(index.files.directory).string(); // the scenario may be kept elsewhere
              return index.files;
            }
            decoder.fail(node.position, index.error);
            return std::nullopt;
          },
          [path](const GradientFiles& files) { return path.show(files.directory); }};
}

Position position_of(const Node& written, const char* key) {
  const auto member = std::ranges::find(written.members, key, &Member::key);
  return member == written.members.end() ? written.position : member->value.position;
}

/// Checks the placement of a codec, and the legs that it compresses.
void check_codec(const CompressionSpec& c, const Node& written, Decoder& decoder) {
  const auto fail = [&](const char* key, const std::string& message) {
    const auto step = decoder.into(key);
    decoder.fail(position_of(written, key), message);
  };
  if (!c.push && !c.pull && !c.in_nic())
    fail("legs", "an empty list needs placement \"nic\": all messages then travel as ordinary packets");
  const bool real = !c.tensors.directory.empty();
  if (c.in_software() && real && !c.codec) fail("placement", "a placement needs a codec: \"codec\" is missing");
  if (!c.in_nic()) return;
  if (c.codec && c.codec->name != "inceptionn")
    fail("placement",
         fmt::format(
             "the compressor of a NIC supports only codec \"inceptionn\", not {}: use placement \"gpu\" or \"cpu\"",
             c.codec->name));
  // Eight values become only a tag word, or a tag word and all their bytes (docs/codecs.md, inceptionn).
  constexpr double highest = 1.0 * group_values * element_bytes / group_tag_bytes;
  constexpr double lowest = 1.0 * group_values * element_bytes / group_max_bytes;
  if (!real && (c.push || c.pull) && !(c.ratio >= lowest && c.ratio <= highest))
    fail("ratio",
         fmt::format("placement \"nic\" needs a ratio from {:.4g} to {:.4g} (32 bytes become 2 to 34), not {:.6g}",
                     lowest, highest, c.ratio));
}

const Table<CompressionSpec>& compression_table() {
  static const auto table = [] {
    Table<CompressionSpec> t("compression", "How the gradient is compressed before it is sent.");
    const auto real = [](const CompressionSpec& c) { return !c.tensors.directory.empty(); };
    t.custom<GradientFiles>(
        "tensors", gradient_files(), [](CompressionSpec& c, GradientFiles files) { c.tensors = std::move(files); },
        [real](const CompressionSpec& c) { return real(c) ? std::optional(c.tensors) : std::nullopt; },
        "A directory of recorded gradients, or the workload directory that contains it (docs/capture.md). Every rank "
        "starts with its own gradient, all operations act on the data, and the encoded blocks determine the size of "
        "messages.");
    t.custom<double>(
         "ratio", number(least_ratio, most_ratio), [](CompressionSpec& c, double ratio) { c.ratio = ratio; },
         [real](const CompressionSpec& c) { return real(c) ? std::nullopt : std::optional(c.ratio); },
         "Dense bytes over wire bytes, if no real tensors are given.")
        .only([real](const CompressionSpec& c) { return !real(c); },
              "a workload without tensors, because tensors determine the wire size");
    t.custom<std::optional<codec::Settings>>(
        "codec", codec_name(), [](CompressionSpec& c, std::optional<codec::Settings> s) { c.codec = std::move(s); },
        [](const CompressionSpec& c) {
          return c.codec ? std::optional<std::optional<codec::Settings>>(c.codec) : std::nullopt;
        },
        "The codec that encodes the tensors at every hop. Without real tensors it means an assumed ratio: the given "
        "one, else the nominal ratio of the codec (docs/codecs.md) for the element type. Absent: values are sent "
        "unchanged.");
    codec_parameters(t);
    t.custom<std::vector<Leg>>(
        "legs", list(choice<Leg>("a leg", {{"push", Leg::push}, {"pull", Leg::pull}})),
        [](CompressionSpec& c, const std::vector<Leg>& legs) {
          c.push = std::ranges::find(legs, Leg::push) != legs.end();
          c.pull = std::ranges::find(legs, Leg::pull) != legs.end();
        },
        [](const CompressionSpec& c) {
          std::vector<Leg> legs;
          if (c.push) legs.push_back(Leg::push);
          if (c.pull) legs.push_back(Leg::pull);
          return std::optional(legs);
        },
        "push: gradients to the servers. pull: the model back. Only a parameter server can compress one without the "
        "other. [], with placement nic: nothing is compressed, and all messages are ordinary packets.");
    t.info.fields.back().default_text = R"(["push", "pull"])";
    t.maybe(
        "placement", &CompressionSpec::placement,
        choice<CodecPlacement>(
            "a placement", {{"nic", CodecPlacement::nic}, {"gpu", CodecPlacement::gpu}, {"cpu", CodecPlacement::cpu}}),
        "Where the codec runs. nic: in the engines of platform.nic, while packets pass through (docs/nic.md). gpu, "
        "cpu: a rank encodes a whole block before it sends it, and decodes it before it uses it; servers use their "
        "CPU. Absent: the codec takes no time, and messages have no headers.");
    t.maybe("encode_bandwidth", &CompressionSpec::encode_bandwidth, positive<ByteRate>(),
            "Dense bytes encoded per second. Absent: encoding takes no time.")
        .only([](const CompressionSpec& c) { return c.in_software(); }, "placement gpu or cpu");
    t.maybe("decode_bandwidth", &CompressionSpec::decode_bandwidth, positive<ByteRate>(),
            "Dense bytes produced by decoding per second. Absent: decoding takes no time.")
        .only([](const CompressionSpec& c) { return c.in_software(); }, "placement gpu or cpu");
    const auto shrinks = [real](const CompressionSpec& c) { return !real(c) || c.codec.has_value(); };
    const std::string needs = "ratio or codec, because nothing else is compressed";
    t.custom<std::vector<std::string>>(
         "except", list(text(), 1),
         [](CompressionSpec& c, std::vector<std::string> patterns) { c.except = std::move(patterns); },
         [](const CompressionSpec& c) { return c.except.empty() ? std::nullopt : std::optional(c.except); },
         "Names of tensors that are sent uncompressed (batch norm, biases): * matches any text, ? one character, [ab] "
         "one of these. Absent: none.")
        .only(shrinks, needs);
    t.maybe("except_below", &CompressionSpec::except_below, positive<Bytes>(),
            "Tensors of fewer bytes than this are sent uncompressed. Absent: none.")
        .only(shrinks, needs);
    t.maybe("tensor_overhead", &CompressionSpec::tensor_overhead, positive<Bytes>(),
            "Extra bytes of a message for each compressed tensor that it contains a part of, such as scales and "
            "headers. Absent: none.")
        .only(shrinks, needs);
    t.finally([real](const CompressionSpec& c, const Node& written, Decoder& decoder) {
      if (!real(c) && !c.codec && written.find("ratio") == nullptr)
        decoder.fail(written.position, "\"codec\", \"ratio\" or \"tensors\" is missing");
      check_codec(c, written, decoder);
    });
    return t;
  }();
  return table;
}

/// The codec determines the ratio if neither the file nor tensors do.
void fill_in_ratio(CompressionSpec& c, const Node& written) {
  c.ratio_of_codec = c.codec && c.tensors.directory.empty() && written.find("ratio") == nullptr;
  if (c.ratio_of_codec) c.ratio = std::clamp(codec::nominal_ratio(*c.codec), least_ratio, most_ratio);
}

} // namespace

Value<CompressionSpec> compression_value() {
  auto whole = object(compression_table());
  whole.read = [read = whole.read](const Node& node, Decoder& decoder) {
    auto c = read(node, decoder);
    if (c) fill_in_ratio(*c, node);
    return c;
  };
  auto named = mapped<std::optional<codec::Settings>, CompressionSpec>(
      codec_name(),
      [](std::optional<codec::Settings> settings) {
        CompressionSpec c;
        c.codec = std::move(settings);
        fill_in_ratio(c, Node::object());
        return c;
      },
      [](const CompressionSpec& c) { return c.codec; });
  return either<CompressionSpec>(std::move(named), std::move(whole), is_text,
                                 [](const CompressionSpec&) { return false; });
}

} // namespace gradflight
