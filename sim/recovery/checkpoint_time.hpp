// Time that a checkpoint takes through an otherwise idle network.
#pragma once

#include <span>

namespace gradflight {

class Platform;
struct PlatformSpec;

struct CheckpointTimes {
  double write = 0, read = 0; ///< seconds until the last byte has arrived
};

/// `bytes` in total; each of `ranks` (places) has an equal part, and rank i's storage is the place `storage[i mod their
/// count]`. All ranks write, or read, at once and share links like any messages. Storage is as fast as its links.
CheckpointTimes checkpoint_times(const PlatformSpec& spec, const Platform& platform, std::span<const int> ranks,
                                 std::span<const int> storage, double bytes);

} // namespace gradflight
