// What a codec with a place adds to the messages of a closed form.
//
// In the NIC a message is fill, flow and tail (models/nic/stream_cost.hpp), and messages that go at once share links
// and engines evenly, or the form does not hold. In software it is work before and after, which the forms count
// themselves.
#pragma once

#include "analysis/run/forms/closed_form_exchange.hpp"

#include <functional>

namespace gradflight {

/// Messages of a step that pass the engines of one NIC: the most that leave one, the most that come to one.
struct EngineLoad {
  int sends = 0, receives = 0;
  std::string uneven; ///< a message that shares its engines with fewer others, or passes none; empty: there is none
};
EngineLoad engine_load(const Platform& platform, const Messages& step);

/// Equal messages that go at once.
struct Together {
  double alpha = 0;
  double beta = 0;             ///< seconds a byte of one alone on its route
  double seconds_per_byte = 0; ///< on the busiest link, all of them together
  EngineLoad engines{1, 1, {}};
};
/// From the first byte of the first to the last value of the last, each of `elements`; `encoded`: through the codec.
/// With a codec in the NIC beta is the time of headers and payload on the busiest link, and fill, tail and what a
/// slower engine adds are `other`. A codec in software is not counted.
Moment messages_together(const PhaseLayout& layout, const Load& load, bool encoded, const Together& together);

/// The path of a form among p ranks, from what one message of so many elements takes.
Moment path_of_messages(const StepsForm& recipe, int p, std::int64_t elements, double gamma,
                        const std::function<Moment(std::int64_t)>& message);

/// "every engine carries one message at once", over the steps of an exchange. `in_step`: no rank runs ahead.
Assumption engines_exclusive(const PhaseLayout& layout, const std::vector<Messages>& steps, bool in_step);

} // namespace gradflight
