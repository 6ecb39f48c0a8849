#include "models/collectives/element_type.hpp"

#include "base/letters.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gradflight {

namespace {

constexpr std::array element_types = {
    ElementType{"float", 4},    ElementType{"half", 2},   ElementType{"bfloat16", 2}, ElementType{"fp8_e4m3", 1},
    ElementType{"fp8_e5m2", 1}, ElementType{"double", 8}, ElementType{"int8", 1},     ElementType{"uint8", 1},
    ElementType{"int32", 4},    ElementType{"uint32", 4}, ElementType{"int64", 8},    ElementType{"uint64", 8}};

/// Spellings without "_" and in lower case, each with its index in `element_types`.
constexpr std::array<std::pair<std::string_view, std::size_t>, 43> type_spellings = {
    {{"float", 0},      {"fp32", 0},           {"float32", 0},      {"f32", 0},
     {"single", 0},     {"half", 1},           {"fp16", 1},         {"float16", 1},
     {"f16", 1},        {"bfloat16", 2},       {"bf16", 2},         {"fp8e4m3", 3},
     {"f8e4m3", 3},     {"float8e4m3", 3},     {"float8e4m3fn", 3}, {"fp8", 3},
     {"float8", 3},     {"float8e4m3fnuz", 3}, {"fp8e5m2", 4},      {"f8e5m2", 4},
     {"float8e5m2", 4}, {"float8e5m2fnuz", 4}, {"bf8", 4},          {"double", 5},
     {"fp64", 5},       {"float64", 5},        {"f64", 5},          {"int8", 6},
     {"char", 6},       {"uint8", 7},          {"byte", 7},         {"int32", 8},
     {"int", 8},        {"uint32", 9},         {"int64", 10},       {"long", 10},
     {"uint64", 11},    {"ncclfloat", 0},      {"ncclbfloat16", 2}, {"ncclhalf", 1},
     {"e4m3", 3},       {"e5m2", 4},           {"unsignedchar", 7}}};

} // namespace

std::optional<ElementType> element_type_named(std::string_view spelling) {
  for (const std::string_view prefix : {"torch.", "c10::", "MPI_", "mpi_", "jnp.", "np."})
    if (spelling.starts_with(prefix)) spelling.remove_prefix(prefix.size());
  const std::string letters = common_spelling(spelling);
  const auto* const found =
      std::ranges::find(type_spellings, std::string_view(letters), [](const auto& s) { return s.first; });
  if (found == type_spellings.end()) return std::nullopt;
  return element_types[found->second];
}

bool same_element_type(std::string_view a, std::string_view b) {
  const auto one = element_type_named(a), other = element_type_named(b);
  if (!one || !other) return a == b;
  const auto any_fp8 = [](std::string_view name) {
    const std::string letters = common_spelling(name);
    return letters.ends_with("fp8") || letters.ends_with("float8");
  };
  const bool both_fp8 = one->name.starts_with("fp8") && other->name.starts_with("fp8");
  return *one == *other || (both_fp8 && (any_fp8(a) || any_fp8(b)));
}

const std::vector<std::string>& element_type_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const ElementType& type : element_types) all.emplace_back(type.name);
    for (const char* name : {"fp8", "fp16", "bf16", "fp32", "fp64", "float16", "float32"}) all.emplace_back(name);
    return all;
  }();
  return names;
}

} // namespace gradflight
