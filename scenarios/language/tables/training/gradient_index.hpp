// The index of captured gradients, DIR/index.json (docs/capture.md).
#pragma once

#include "workloads/code/gradients.hpp"

#include <string>

namespace gradflight {

/// `directory` contains index.json, directly or in gradients/. On failure `error` gives the reason and the file.
struct GradientIndex {
  GradientFiles files;
  std::string error;
};
GradientIndex read_gradient_index(const std::string& directory);

/// Returns 16 hexadecimal digits: the xxHash64 of the names of points and of all gradient files' bytes, independent of
/// the folder's path. Reads files again only if a size or a time of writing has changed. A file that cannot be read
/// counts as empty, because the run will report it.
std::string gradient_content(const GradientFiles& files);

} // namespace gradflight
