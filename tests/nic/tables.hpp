// Tables of docs/nic.md, as lines of Markdown.
#pragma once

#include "models/nic/stream_cost.hpp"
#include "tests/oracles/nic_path.hpp"
#include "tests/support/inceptionn_reference.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tables {

using Lines = std::vector<std::string>;

constexpr gradflight::ByteRate gbps(double value) { return gradflight::ByteRate(value * 1e9 / 8); }

/// Returns the stage that limits the rate of a stream alone.
std::string_view slowest(const gradflight::StreamCost& cost, gradflight::ByteRate wire);

/// Returns class mixes at 1, 10, 40 and 100 Gbps for the cycle model, streaming model and simulator, with the
/// utilisation of each unit.
Lines side_by_side(std::int64_t bytes);
/// Returns the largest differences over the class mixes for 1 KB .. `up_to`.
Lines agreement_by_size(std::int64_t up_to);
/// Returns the effects of more engines, wider bursts, and a faster clock.
Lines other_engines();
/// Returns results for data with a ratio that changes in the middle: as one stream of mean ratio, and as two streams.
Lines changing_ratio();
/// Returns the reasons why a factor of 5.5-11.6 in bytes is less than 2.2 in time.
Lines inceptionn();

} // namespace tables
