#include "tests/oracles/nic_path.hpp"

#include "tests/oracles/compressor_engine.hpp"
#include "tests/oracles/decompressor_engine.hpp"
#include "tests/oracles/ethernet.hpp"

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

struct Sender {
  std::vector<CompressorEngine> engines;
  Mac mac;
};

/// The whole path, and a clock that skips cycles without activity.
class Path {
public:
  Path(const NicSpec& spec, ByteRate wire, std::span<const NicMessage> messages, const GroupEncoder& encode,
       const GroupDecoder& decode, const NicObserver& observer, Senders senders)
      : spec_(spec), observer_(observer), port_(wire.value() / spec.clock_hz, [this](ReceivedPacket packet) {
          receivers_[delivered_++ % receivers_.size()].receive(std::move(packet));
        }) {
    for (const NicMessage& message : messages) {
      streams_.push_back(message.values);
      tos_.push_back(message.tos);
      values_left_ += static_cast<std::int64_t>(message.values.size());
    }
    std::vector<std::size_t> ends; // end of each sender's packets
    if (senders == Senders::one) {
      packets_ = interleaved_packets(spec, messages);
      ends.push_back(packets_.size());
    } else {
      for (std::size_t s = 0; s < messages.size(); ++s) {
        for (PacketRecord packet : interleaved_packets(spec, messages.subspan(s, 1))) {
          packet.stream = static_cast<std::int32_t>(s);
          packets_.push_back(packet);
        }
        ends.push_back(packets_.size());
      }
    }
    const auto engines = static_cast<std::size_t>(spec.engines);
    for (std::size_t e = 0; e < engines; ++e) receivers_.emplace_back(spec, packets_, decode);
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
      auto deliver = [this, senders](ReceivedPacket packet) {
        if (senders == Senders::one_each)
          port_.arrive(std::move(packet));
        else
          receivers_[delivered_++ % receivers_.size()].receive(std::move(packet));
      };
      Sender sender{{}, Mac(spec, wire.value() / spec.clock_hz, report_, observer_, deliver)};
      for (std::size_t e = 0; e < engines; ++e)
        sender.engines.emplace_back(
            spec, PacketSource(spec, std::span(packets_).first(end), streams_, tos_, begin + e, engines), encode);
      senders_.push_back(std::move(sender));
      begin = end;
    }
    report_.packets = static_cast<std::int64_t>(packets_.size());
    report_.dense_bytes = values_left_ * element_bytes;
    report_.stream_times.resize(messages.size());
  }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;

  NicReport run() {
    for (std::int64_t now = 0; values_left_ > 0;) now += cycle(now);
    report_.time = static_cast<double>(report_.cycles) * spec_.cycle();
    for (const Sender& sender : senders_)
      for (const CompressorEngine& engine : sender.engines) {
        report_.compressor_input.busy += engine.bursts_in();
        report_.compressor_output.busy += engine.bursts_out();
        report_.transmit_fifo_peak = std::max(report_.transmit_fifo_peak, engine.fifo_peak());
      }
    for (const DecompressorEngine& engine : receivers_) {
      report_.decompressor_input.busy += engine.bursts_in();
      report_.decompressor_output.busy += engine.bursts_out();
      report_.receive_packets_peak = std::max(report_.receive_packets_peak, engine.packets_peak());
    }
    return report_;
  }

private:
  /// Evaluates units from the receiver to the sender: the next unit sees the output of a unit one cycle later. Returns
  /// the number of elapsed cycles: 1, or more if nothing moves before a wire or a packet is ready.
  std::int64_t cycle(std::int64_t now) {
    bool moved = false;
    std::int64_t sending_stalled = 0, receiving_stalled = 0;
    double next = std::numeric_limits<double>::infinity();
    for (Sender& sender : senders_) {
      moved = sender.mac.cycle(now, sender.engines) || moved;
      for (CompressorEngine& engine : sender.engines) {
        const CycleActivity activity = engine.cycle();
        moved = moved || activity.moved;
        sending_stalled += activity.stalled ? 1 : 0;
        if (!engine.transmit_fifo().empty()) next = std::min(next, sender.mac.next_cycle());
      }
    }
    moved = port_.cycle(now) || moved;
    next = std::min(next, port_.next_cycle());
    for (DecompressorEngine& engine : receivers_) {
      const CycleActivity activity = engine.cycle(now);
      moved = moved || activity.moved;
      receiving_stalled += activity.stalled ? 1 : 0;
      next = std::min(next, std::ceil(engine.next_packet()));
      record(engine.output(), now);
    }
    if (!moved && std::isinf(next)) throw std::logic_error("simulate_nic_path: nothing can move");
    const std::int64_t cycles = moved ? 1 : std::max<std::int64_t>(1, static_cast<std::int64_t>(next) - now);
    report_.compressor_input.stalled += sending_stalled * cycles;
    report_.decompressor_output.stalled += receiving_stalled * cycles;
    return cycles;
  }

  void record(const DecompressorEngine::Output& out, std::int64_t now) {
    if (out.values == 0) return;
    values_left_ -= out.values;
    report_.cycles = now + 1 + spec_.decompress_cycles;
    report_.stream_times[static_cast<std::size_t>(out.stream)] = static_cast<double>(report_.cycles) * spec_.cycle();
    if (observer_.values)
      observer_.values(out.stream, out.begin, std::span(out.data).first(static_cast<std::size_t>(out.values)));
  }

  NicSpec spec_;
  const NicObserver& observer_;
  NicReport report_;
  std::vector<std::span<const float>> streams_;
  std::vector<std::uint8_t> tos_;
  std::vector<PacketRecord> packets_;
  std::int64_t values_left_ = 0;
  std::vector<Sender> senders_;
  SwitchPort port_;
  std::vector<DecompressorEngine> receivers_;
  std::size_t delivered_ = 0;
};

} // namespace

NicReport simulate_nic_path(const NicSpec& spec, ByteRate wire, std::span<const NicMessage> messages,
                            const GroupEncoder& encode, const GroupDecoder& decode, const NicObserver& observer,
                            Senders senders) {
  check(spec);
  if (!(wire.value() > 0)) throw std::invalid_argument("wire: expected a rate above 0");
  return Path(spec, wire, messages, encode, decode, observer, senders).run();
}

} // namespace gradflight
