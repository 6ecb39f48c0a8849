// Which model made a result: resumed sweeps mix no two of them.
#pragma once

#include <string_view>

namespace gradflight {

/// Part of every id. Ends with a digest of what scenarios/golden expects; a test says what to write here when a number
/// there was accepted (docs/regression.md).
inline constexpr std::string_view model_version = "gradflight-model-ece983fc03e0d538";

} // namespace gradflight
