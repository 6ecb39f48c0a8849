#include "scenarios/language/types/training.hpp"

#include <algorithm>
#include <fnmatch.h>

namespace gradflight {

bool names_tensor(const std::string& pattern, const Tensor& tensor) {
  return fnmatch(pattern.c_str(), tensor.name.c_str(), 0) == 0;
}

bool CompressionSpec::leaves_out(const Tensor& tensor) const {
  if (except_below && tensor.bytes() < except_below->value()) return true;
  return std::ranges::any_of(except, [&](const std::string& pattern) { return names_tensor(pattern, tensor); });
}

} // namespace gradflight
