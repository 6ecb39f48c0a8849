#include "models/units/benchmark_size.hpp"

#include <algorithm>
#include <cctype>

namespace gradflight {

std::string with_byte_unit(std::string_view text) {
  const std::string number(text.substr(0, std::min(text.find_first_not_of("0123456789."), text.size())));
  const std::string_view unit = text.substr(number.size());
  if (number.empty() || unit.size() > 1) return std::string(text);
  if (unit.empty()) return number.find('.') == std::string::npos ? number + "B" : number;
  const char letter = static_cast<char>(std::toupper(static_cast<unsigned char>(unit.front())));
  return letter == 'K' || letter == 'M' || letter == 'G' ? number + letter + "iB" : std::string(text);
}

} // namespace gradflight
