// The index of captured gradients, DIR/index.json (docs/capture.md).
#pragma once

#include "workloads/gradients.hpp"

#include <string>

namespace gradflight {

/// `directory` holds index.json, or has it in gradients/. On failure `error` says why, and names the file.
struct GradientIndex {
  GradientFiles files;
  std::string error;
};
GradientIndex read_gradient_index(const std::string& directory);

} // namespace gradflight
