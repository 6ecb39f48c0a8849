// NAME:PATH=VALUE[,PATH=VALUE]...: a named change of a scenario.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

struct NamedChange {
  std::string name;
  std::vector<std::string> sets; ///< "PATH=VALUE", at least one
};

/// A comma within brackets or quotes is part of a value. Throws UsageError.
NamedChange parse_named_change(std::string_view text);

/// "PATH=V1,V2,...": the path and its values, at least one. A comma within brackets or quotes is part of a value.
/// Throws UsageError.
struct ValueList {
  std::string path;
  std::vector<std::string> values;
};
ValueList parse_value_list(std::string_view text);

} // namespace gradflight
