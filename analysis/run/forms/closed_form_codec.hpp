// The cost that a codec with a placement adds to the messages of a closed form.
//
// In the NIC, a message consists of fill, flow and tail (models/nic/stream_cost.hpp). Simultaneous messages must share
// links and engines evenly, or the form does not hold. In software, the codec works before and after the message; the
// forms count this time themselves.
#pragma once

#include "analysis/run/forms/closed_form_exchange.hpp"

#include <functional>

namespace gradflight {

/// Messages of a step that use the engines of one NIC: the largest number that leaves a NIC, and that arrives at one.
struct EngineLoad {
  int sends = 0, receives = 0;
  std::string uneven; ///< a message that shares its engines with fewer messages, or uses none; empty: all are equal
};
EngineLoad engine_load(const Platform& platform, const Messages& step);

/// Equal messages at the same time.
struct Together {
  double alpha = 0;
  double beta = 0;             ///< seconds per byte of a message alone on its route
  double seconds_per_byte = 0; ///< on the busiest link, for all of them together
  EngineLoad engines{1, 1, {}};
};
/// Returns the time from the first byte of the first message to the last value of the last one; each has `elements`.
/// `encoded`: the messages use the codec. With a codec in the NIC, beta is the time of headers and payload on the
/// busiest link. Fill, tail and the additional time of a slower engine are in `other`. Does not include a codec in
/// software.
Moment messages_together(const PhaseLayout& layout, const Load& load, bool encoded, const Together& together);

/// Returns the path of a form among p ranks, from the time of one message with a given number of elements.
Moment path_of_messages(const StepsForm& recipe, int p, std::int64_t elements, double gamma,
                        const std::function<Moment(std::int64_t)>& message);

/// "every engine carries one message at once", for the steps of an exchange. `in_step`: no rank runs ahead of others.
Assumption engines_exclusive(const PhaseLayout& layout, const std::vector<Messages>& steps, bool in_step);

} // namespace gradflight
