// What is wrong with a text that is not JSON, in the words of this program.
#pragma once

#include <string>

namespace gradflight {

/// Returns what the parser expected and what it got, such as `expected "," or "]", got the end of the file`. `what` is
/// the message of nlohmann/json's exception. `after_comma`: the wrong token follows a comma, so removing the comma may
/// be the way out.
std::string json_mistake(const std::string& what, bool after_comma = false);

} // namespace gradflight
