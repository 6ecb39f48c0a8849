// The colours of a step's parts and of its bounds, the same on every page.
#pragma once

#include "analysis/run/pages/palette.hpp"
#include "analysis/run/result/verdict.hpp"
#include "sim/result/timeline.hpp"

namespace gradflight {

/// Parts that seldom occur together share a hue: an engine and a codec, a reduction and a merge, PCIe and a codec.
Ink part_ink(Part part);
Ink bounding_ink(Bounding what);
/// Returns the hue of work on a rank. Messages have the hue of bytes on links, part_ink(Part::beta).
Ink activity_ink(Activity activity);
/// Returns "passes", "update", "reduction", ...; activities with the same hue have the same word.
const char* activity_word(Activity activity);

} // namespace gradflight
