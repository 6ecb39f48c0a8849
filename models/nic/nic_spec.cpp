#include "models/nic/nic_spec.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace gradflight {

double NicSpec::frame_bytes(double payload) const {
  return std::max(header_bytes() + payload, static_cast<double>(min_frame_bytes)) + framing_bytes;
}

void check(const NicSpec& spec) {
  const auto require = [](bool holds, const char* key, auto value, const char* rule) {
    if (!holds) throw std::invalid_argument(fmt::format("{} is {}; {}", key, value, rule));
  };
  require(spec.width_bits > 0 && spec.width_bits % 256 == 0 && spec.burst_bytes() <= max_burst_bytes, "width_bits",
          spec.width_bits, "expected a multiple of 256, at most 1024");
  require(spec.clock_hz > 0, "clock_hz", spec.clock_hz, "expected a number above 0");
  require(spec.engines >= 1, "engines", spec.engines, "expected at least 1");
  require(spec.compress_cycles >= 1, "compress_cycles", spec.compress_cycles, "expected at least 1");
  require(spec.decompress_cycles >= 0, "decompress_cycles", spec.decompress_cycles, "expected at least 0");
  // A group of 272 bits can complete two bursts and leave a third at the end of a packet.
  require(spec.alignment_queue_bursts >= 3, "alignment_queue_bursts", spec.alignment_queue_bursts,
          "expected at least 3");
  require(spec.ethernet_bytes > tos_offset - 2, "ethernet_bytes", spec.ethernet_bytes, "expected at least 14");
  require(spec.ip_tcp_bytes >= 20, "ip_tcp_bytes", spec.ip_tcp_bytes, "expected at least 20");
  require(spec.min_frame_bytes >= 0, "min_frame_bytes", spec.min_frame_bytes, "expected at least 0");
  require(spec.framing_bytes >= 0, "framing_bytes", spec.framing_bytes, "expected at least 0");
  require(spec.payload_bytes() >= element_bytes, "mtu_bytes", spec.mtu,
          "expected at least ip_tcp_bytes and 4 bytes for one value");
  const auto largest = group_max_bytes * groups_in(spec.payload_bytes());
  require(spec.transmit_fifo_bursts >= spec.header_bursts() + (largest + spec.burst_bytes() - 1) / spec.burst_bytes(),
          "transmit_fifo_bursts", spec.transmit_fifo_bursts, "expected enough bursts for an uncompressed packet");
}

Packets packets_of(const NicSpec& spec, std::int64_t dense_bytes) {
  const std::int64_t full = spec.payload_bytes();
  if (dense_bytes <= 0) return {0, full, 0};
  const std::int64_t count = (dense_bytes + full - 1) / full;
  return {count, full, dense_bytes - (count - 1) * full};
}

} // namespace gradflight
