// The element types of collectives, with the names that people and programs use.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

struct ElementType {
  std::string_view name; ///< the name in nccl-tests: "float", "bfloat16", "fp8_e4m3"
  int bytes = 4;

  friend bool operator==(const ElementType&, const ElementType&) = default;
};

/// Returns the type with this name in nccl-tests, PyTorch, NumPy or MPI; ignores case. Examples: "float", "fp32",
/// "torch.float32", "BFloat16", "c10::BFloat16", "fp8_e5m2", "Float8_e4m3fn", "MPI_CHAR".
std::optional<ElementType> element_type_named(std::string_view spelling);

/// Whether two names may mean the same type; "fp8" may mean each type of that width. Names of unknown types differ
/// unless they are equal.
bool same_element_type(std::string_view a, std::string_view b);

/// Names in nccl-tests and common other spellings: candidates for the correction of a mistyped name.
const std::vector<std::string>& element_type_names();

} // namespace gradflight
