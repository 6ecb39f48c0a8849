// docs/result-reference.md: the result's tables as a page.
#pragma once

#include <string>

namespace gradflight {

std::string result_reference();

} // namespace gradflight
