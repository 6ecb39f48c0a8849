// Gradient codecs: float32 tensors to bytes and back. Formats, edge cases and guarantees: docs/codecs.md. The bytes do
// not contain the length of the tensor and the parameters; the caller passes them separately.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace gradflight::codec {

/// The result of a decoder. Texts are literals, so rejecting a stream allocates no memory.
struct [[nodiscard]] DecodeStatus {
  std::string_view problem; ///< empty: decoded
  std::size_t byte = 0;     ///< offset in the stream where the decoder found the problem

  explicit operator bool() const { return problem.empty(); }
};

/// Both give the same bytes. `scalar` is the readable reference; tests compare the SIMD version with it bit by bit.
enum class Implementation { simd, scalar };

class Codec {
public:
  virtual ~Codec() = default;

  /// Replaces `out` by the encoded tensor. With a residual (one element per value; else empty), the codec encodes
  /// residual + values. It then stores the part that the decoder does not receive in the residual. Only codecs with
  /// keeps_residual() accept one. `message` numbers the messages of a codec that draws random numbers: the same number
  /// gives the same draws.
  virtual void encode(std::span<const float> values, std::span<float> residual, std::vector<std::byte>& out,
                      std::uint64_t message = 0) const = 0;
  void encode(std::span<const float> values, std::vector<std::byte>& out) const { encode(values, {}, out); }

  /// Fills `values`, which has the size of the tensor. Never reads or writes outside the spans. If the stream is
  /// rejected, the content of `values` is unspecified.
  virtual DecodeStatus decode(std::span<const std::byte> bytes, std::span<float> values) const = 0;

  [[nodiscard]] virtual bool keeps_residual() const { return false; }
};

} // namespace gradflight::codec
