// Gradient codecs: float32 tensors to bytes and back. Formats, edge cases and guarantees: docs/codecs.md. The length of
// the tensor and the parameters travel beside the bytes, not in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace gradflight::codec {

/// What a decoder found. Texts are literals: refusing a stream allocates nothing.
struct [[nodiscard]] DecodeStatus {
  std::string_view problem; ///< empty: decoded
  std::size_t byte = 0;     ///< offset in the stream at which the problem was seen

  explicit operator bool() const { return problem.empty(); }
};

/// Same bytes from both; `scalar` is the readable reference that the SIMD one is tested against, bit for bit.
enum class Implementation { simd, scalar };

class Codec {
public:
  virtual ~Codec() = default;

  /// Replaces `out` by the encoded tensor. With a residual (empty, or one element a value) the codec encodes
  /// residual + values and leaves there what the decoder will not see; only where keeps_residual().
  /// `message` numbers the messages of a codec that draws random numbers: the same number draws the same ones.
  virtual void encode(std::span<const float> values, std::span<float> residual, std::vector<std::byte>& out,
                      std::uint64_t message = 0) const = 0;
  void encode(std::span<const float> values, std::vector<std::byte>& out) const { encode(values, {}, out); }

  /// Fills `values`, whose size is the tensor's. Never reads or writes outside the spans; `values` holds anything when
  /// the stream is refused.
  virtual DecodeStatus decode(std::span<const std::byte> bytes, std::span<float> values) const = 0;

  [[nodiscard]] virtual bool keeps_residual() const { return false; }
};

} // namespace gradflight::codec
