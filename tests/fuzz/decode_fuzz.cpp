// libFuzzer: for all bytes, a decoder rejects them or fills its values, within its spans (checked by AddressSanitizer),
// with the same result as its scalar reference. One executable per codec: GF_CODEC. Input: a byte that selects the
// settings, two bytes for the number of values, then the stream.
#include "models/codecs/catalogue.hpp"
#include "tests/fuzz/require.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

namespace {

using namespace gradflight::codec;
using gradflight::fuzz::require;

Settings settings_from(unsigned choice) {
  Settings settings = default_settings(GF_CODEC);
  const std::string name = GF_CODEC;
  if (name == "inceptionn") {
    set(settings, "error_bound_log2", std::to_string(-1 - static_cast<int>(choice % 14)));
    set(settings, "variant", choice / 14 % 3 == 0 ? "window" : choice / 14 % 3 == 1 ? "literal" : "promote");
  }
  if (name == "truncate") set(settings, "lsb_bits", std::to_string(choice % 32));
  return settings;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const Settings settings = settings_from(data[0]);
  const std::size_t count = data[1] + 256u * (data[2] % 64u);
  // Exact sizes, so that accesses beyond the end are detected.
  const std::size_t length = size - 3;
  const std::unique_ptr<std::byte[]> bytes(new std::byte[length]);
  if (length > 0) std::memcpy(bytes.get(), data + 3, length);
  const std::unique_ptr<float[]> first(new float[count]), second(new float[count]);
  const std::span<const std::byte> stream(bytes.get(), length);

  const DecodeStatus fast = make_codec(settings)->decode(stream, {first.get(), count});
  const DecodeStatus reference = make_codec(settings, Implementation::scalar)->decode(stream, {second.get(), count});
  require(fast.problem == reference.problem && fast.byte == reference.byte, "the two decoders disagree on the stream");
  require(fast.byte <= length, "a problem beyond the stream");
  if (fast && count > 0)
    require(std::memcmp(first.get(), second.get(), count * sizeof(float)) == 0, "the two decoders' values differ");
  return 0;
}
