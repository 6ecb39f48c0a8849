// Reads the values of a sweep's axis from a separate file.
#pragma once

#include "scenarios/language/json/sources.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

struct AxisFileForm {
  std::string path;   ///< path of the axis
  bool csv = false;   ///< false: one value per line; blank lines and lines that begin with # are ignored
  std::string column; ///< csv: name of the column; empty: the path, its last part, or the only column
};

/// A value is a JSON literal, else a text; it has its position in `file`. Every mistake of the file becomes a problem,
/// reported at `pointer`.
std::vector<Node> axis_values(std::string_view content, const AxisFileForm& form, int file, const std::string& pointer,
                              std::vector<Problem>& problems);

} // namespace gradflight
