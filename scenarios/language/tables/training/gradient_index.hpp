// The index of captured gradients, DIR/index.json (docs/capture.md).
#pragma once

#include "workloads/code/gradients.hpp"

#include <string>

namespace gradflight {

/// `directory` holds index.json, or has it in gradients/. On failure `error` says why, and names the file.
struct GradientIndex {
  GradientFiles files;
  std::string error;
};
GradientIndex read_gradient_index(const std::string& directory);

/// 16 hexadecimal digits: xxHash64 of the names of points and of all gradient files' bytes, wherever the folder lies.
/// Read again only where a file's size or time of writing has changed. A file that cannot be read counts as empty: the
/// run will complain.
std::string gradient_content(const GradientFiles& files);

} // namespace gradflight
