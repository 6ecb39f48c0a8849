// The types of the elements that collectives move, by the names that people and programs give them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

struct ElementType {
  std::string_view name; ///< nccl-tests': "float", "bfloat16", "fp8_e4m3"
  int bytes = 4;

  friend bool operator==(const ElementType&, const ElementType&) = default;
};

/// By its name in nccl-tests, PyTorch, NumPy or MPI, upper and lower case alike: "float", "fp32", "torch.float32",
/// "BFloat16", "c10::BFloat16", "fp8_e5m2", "Float8_e4m3fn", "MPI_CHAR".
std::optional<ElementType> element_type_named(std::string_view spelling);

/// The names in nccl-tests, and those that people type: what a mistyped name is held against.
const std::vector<std::string>& element_type_names();

} // namespace gradflight
