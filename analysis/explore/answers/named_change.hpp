// NAME:PATH=VALUE[,PATH=VALUE]...: a named change of a scenario.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

struct NamedChange {
  std::string name;
  std::vector<std::string> sets; ///< "PATH=VALUE", at least one
};

/// A wrong word on the command line. The text says which word, and what is expected.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
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
