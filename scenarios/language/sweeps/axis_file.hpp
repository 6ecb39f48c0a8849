// The values of a sweep's axis from a file of their own.
#pragma once

#include "scenarios/language/json/node.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

struct AxisFileForm {
  std::string path;   ///< of the axis
  bool csv = false;   ///< else a value a line; blank lines and those that begin with # do not count
  std::string column; ///< csv: which; empty: that of the path, of its last part, or the only one
};

/// A value is a JSON literal, else a text, and knows its place in `file`. `error` says why there are none.
std::vector<Node> axis_values(std::string_view content, const AxisFileForm& form, int file, std::string& error);

} // namespace gradflight
