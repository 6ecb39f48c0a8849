#include "models/nic/nic_path.hpp"

#include "models/nic/compressor_engine.hpp"
#include "models/nic/decompressor_engine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace gradflight {

std::vector<PacketRecord> interleaved_packets(const NicSpec& spec, std::span<const NicMessage> messages) {
  std::vector<PacketRecord> packets;
  const std::int64_t full = spec.payload_bytes() / element_bytes;
  bool more = true;
  for (std::int64_t turn = 0; more; ++turn) {
    more = false;
    for (std::size_t s = 0; s < messages.size(); ++s) {
      const auto values = static_cast<std::int64_t>(messages[s].values.size());
      const std::int64_t begin = turn * full;
      if (begin >= values) continue;
      packets.push_back(
          {begin, static_cast<std::int32_t>(std::min(full, values - begin)), static_cast<std::int32_t>(s)});
      more = true;
    }
  }
  return packets;
}

namespace {

/// The Ethernet MAC and the wire: a burst's bytes follow those of the one before without a gap if it is there in time.
class Mac {
public:
  Mac(const NicSpec& spec, double bytes_per_cycle, NicReport& report, const NicObserver& observer)
      : spec_(spec), rate_(bytes_per_cycle), report_(report), observer_(observer) {}

  bool cycle(std::int64_t now, std::vector<CompressorEngine>& from, std::vector<DecompressorEngine>& to) {
    bool moved = false;
    while (busy_until_ < static_cast<double>(now + 1) && may_send(from[packet_ % from.size()])) {
      send(now, from[packet_ % from.size()].take(), to[packet_ % to.size()]);
      moved = true;
    }
    return moved;
  }

  /// The cycle in which the MAC looks at its FIFOs again.
  [[nodiscard]] double next_cycle() const { return std::floor(busy_until_); }

private:
  [[nodiscard]] bool may_send(const CompressorEngine& engine) const {
    if (engine.transmit_fifo().empty()) return false;
    return !spec_.transmit_whole_packets || !received_.bursts.empty() || engine.whole_packet_waits();
  }

  void send(std::int64_t now, const Burst& burst, DecompressorEngine& to) {
    const double start = std::max(busy_until_, static_cast<double>(now));
    if (!burst.first) report_.underrun_cycles += start - busy_until_;
    if (!burst.header) {
      payload_ += burst.valid;
      if (observer_.payload_burst) observer_.payload_burst(burst.packet, std::span(burst.data).first(burst.valid));
    }
    double bytes = burst.valid + (burst.first ? spec_.framing_bytes : 0);
    frame_ += bytes;
    if (burst.last) bytes += spec_.frame_bytes(static_cast<double>(payload_)) - frame_;
    busy_until_ = start + bytes / rate_;
    report_.wire_bytes += bytes;
    report_.wire_busy_cycles += bytes / rate_;
    received_.bursts.push_back(burst);
    if (!burst.last) return;
    report_.payload_bytes += payload_;
    report_.oversized_packets += payload_ > spec_.payload_bytes() ? 1 : 0;
    received_.complete = busy_until_;
    to.receive(std::exchange(received_, {}));
    payload_ = 0;
    frame_ = 0;
    ++packet_;
  }

  const NicSpec& spec_;
  double rate_;
  NicReport& report_;
  const NicObserver& observer_;
  double busy_until_ = 0, frame_ = 0;
  std::int64_t payload_ = 0;
  std::size_t packet_ = 0;
  ReceivedPacket received_;
};

void add(UnitUse& use, const Activity& activity, std::int64_t cycles) { use.stalled += activity.stalled ? cycles : 0; }

} // namespace

NicReport simulate_nic_path(const NicSpec& spec, ByteRate wire, std::span<const NicMessage> messages,
                            const GroupEncoder& encode, const GroupDecoder& decode, const NicObserver& observer) {
  check(spec);
  if (!(wire.value() > 0)) throw std::invalid_argument("wire: more than 0");
  const std::vector<PacketRecord> packets = interleaved_packets(spec, messages);
  std::vector<std::span<const float>> streams;
  std::vector<std::uint8_t> tos;
  for (const NicMessage& message : messages) {
    streams.push_back(message.values);
    tos.push_back(message.tos);
  }

  NicReport report;
  report.packets = static_cast<std::int64_t>(packets.size());
  report.stream_times.resize(messages.size());
  std::int64_t values_left = 0;
  for (const auto& stream : streams) values_left += static_cast<std::int64_t>(stream.size());
  report.dense_bytes = values_left * element_bytes;

  std::vector<CompressorEngine> senders;
  std::vector<DecompressorEngine> receivers;
  const auto engines = static_cast<std::size_t>(spec.engines);
  for (std::size_t e = 0; e < engines; ++e) {
    senders.emplace_back(spec, PacketSource(spec, packets, streams, tos, e, engines), encode);
    receivers.emplace_back(spec, packets, decode);
  }
  Mac mac(spec, wire.value() / spec.clock_hz, report, observer);

  std::vector<Activity> sending(engines), receiving(engines);
  for (std::int64_t now = 0; values_left > 0;) {
    bool moved = mac.cycle(now, senders, receivers);
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t e = 0; e < engines; ++e) {
      sending[e] = senders[e].cycle();
      receiving[e] = receivers[e].cycle(now);
      moved = moved || sending[e].moved || receiving[e].moved;
      next = std::min(next, std::ceil(receivers[e].next_packet()));
      if (!senders[e].transmit_fifo().empty()) next = std::min(next, mac.next_cycle());
      const auto& out = receivers[e].output();
      if (out.values == 0) continue;
      values_left -= out.values;
      report.cycles = now + 1 + spec.decompress_cycles;
      report.stream_times[static_cast<std::size_t>(out.stream)] = static_cast<double>(report.cycles) * spec.cycle();
      if (observer.values)
        observer.values(out.stream, out.begin, std::span(out.data).first(static_cast<std::size_t>(out.values)));
    }
    // Nothing moves before the next burst leaves for the wire or the next packet arrives.
    const double until = moved ? static_cast<double>(now + 1) : std::max(next, static_cast<double>(now + 1));
    if (std::isinf(until)) throw std::logic_error("simulate_nic_path: nothing can move");
    const std::int64_t cycles = static_cast<std::int64_t>(until) - now;
    for (std::size_t e = 0; e < engines; ++e) {
      add(report.compressor_input, sending[e], cycles);
      add(report.decompressor_output, receiving[e], cycles);
    }
    now += cycles;
  }

  report.time = static_cast<double>(report.cycles) * spec.cycle();
  for (std::size_t e = 0; e < engines; ++e) {
    report.compressor_input.busy += senders[e].bursts_in();
    report.compressor_output.busy += senders[e].bursts_out();
    report.decompressor_input.busy += receivers[e].bursts_in();
    report.decompressor_output.busy += receivers[e].bursts_out();
    report.transmit_fifo_peak = std::max(report.transmit_fifo_peak, senders[e].fifo_peak());
    report.receive_packets_peak = std::max(report.receive_packets_peak, receivers[e].packets_peak());
  }
  return report;
}

} // namespace gradflight
