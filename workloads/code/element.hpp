// The types of a gradient's elements while ranks exchange them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace gradflight {

enum class Element : std::uint8_t { fp32, bf16, fp16, fp8 };

/// In the order of their names in messages: the default first.
inline constexpr std::array<std::pair<std::string_view, Element>, 4> elements_by_name = {
    {{"fp32", Element::fp32}, {"bf16", Element::bf16}, {"fp16", Element::fp16}, {"fp8", Element::fp8}}};

/// Bytes of an element.
constexpr int width_of(Element element) {
  switch (element) {
  case Element::fp32: return 4;
  case Element::bf16:
  case Element::fp16: return 2;
  case Element::fp8: return 1;
  }
  return 4;
}

constexpr std::string_view name_of(Element element) {
  return elements_by_name[static_cast<std::size_t>(element)].first; // NOLINT: an enumerator
}

/// Returns the element type with a name that programs use: "BFloat16", "c10::Half", "Float8_e4m3fn"; nothing for other
/// types.
std::optional<Element> element_named(std::string_view spelling);

} // namespace gradflight
