// The version of the model that produced a result: a resumed sweep must not mix versions.
#pragma once

#include <string_view>

namespace gradflight {

/// Part of every id. Ends with a digest of the expectations in scenarios/golden. After an accepted change of a number
/// there, a test prints the new value (docs/regression.md).
inline constexpr std::string_view model_version = "gradflight-model-97fa97b364a6c5c0";

} // namespace gradflight
