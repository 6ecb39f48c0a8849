// What colours of parts mean, on every page alike: what a step's time goes to, and what bounds it.
#pragma once

#include "analysis/run/pages/palette.hpp"
#include "analysis/run/result/verdict.hpp"
#include "sim/result/timeline.hpp"

namespace gradflight {

/// Parts that are seldom seen together share a hue: an engine and a codec, a reduction and a merge, PCIe and a codec.
Ink part_ink(Part part);
Ink bounding_ink(Bounding what);
/// Of work on a rank; messages are of the hue of bytes on links, part_ink(Part::beta).
Ink activity_ink(Activity activity);
/// "passes", "update", "reduction", ...: those of one hue have one word.
const char* activity_word(Activity activity);

} // namespace gradflight
