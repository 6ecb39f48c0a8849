// Values of a platform that are possible but probably a mistake, such as gigabytes in place of gigabits.
#pragma once

#include <string>
#include <vector>

namespace gradflight {

struct PlatformSpec;

/// Returns a text for each, without a full stop. The platform can be simulated all the same.
std::vector<std::string> doubtful_values(const PlatformSpec& platform);

} // namespace gradflight
