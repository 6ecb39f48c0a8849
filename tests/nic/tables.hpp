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

/// What sets the rate of a stream alone.
std::string_view slowest(const gradflight::StreamCost& cost, gradflight::ByteRate wire);

/// Class mixes at 1, 10, 40 and 100 Gbps: cycle model, streaming model and simulator, and how busy each unit is.
Lines side_by_side(std::int64_t bytes);
/// The largest differences over the class mixes for 1 KB .. `up_to`.
Lines agreement_by_size(std::int64_t up_to);
/// More engines, wider bursts, a faster clock.
Lines other_engines();
/// Data whose ratio changes half way: one stream of mean ratio, and two streams.
Lines changing_ratio();
/// Why 5.5-11.6x in bytes is less than 2.2x in time.
Lines inceptionn();

} // namespace tables
