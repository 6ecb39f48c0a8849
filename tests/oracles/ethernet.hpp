// The wire between NICs: a MAC that sends bursts as bytes, and an output-queued switch port. Times are in cycles.
#pragma once

#include "tests/oracles/compressor_engine.hpp"
#include "tests/oracles/decompressor_engine.hpp"
#include "tests/oracles/nic_path.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace gradflight {

/// A NIC's MAC: it takes packets from its engines in turn. A burst follows the previous one without a gap if it arrives
/// in time. The time of preamble, check and gap is added before a packet.
class Mac {
public:
  /// `deliver` receives each packet with the cycle when its last byte was sent.
  Mac(const NicSpec& spec, double bytes_per_cycle, NicReport& report, const NicObserver& observer,
      std::function<void(ReceivedPacket)> deliver);

  /// Executes the cycle that begins at `now`; returns true if it took a burst.
  bool cycle(std::int64_t now, std::span<CompressorEngine> engines);
  /// Returns the cycle in which the MAC checks its FIFOs again.
  [[nodiscard]] double next_cycle() const;

private:
  [[nodiscard]] bool may_send(const CompressorEngine& engine) const;
  void send(std::int64_t now, const Burst& burst);

  NicSpec spec_;
  double rate_;
  NicReport& report_;
  const NicObserver& observer_;
  std::function<void(ReceivedPacket)> deliver_;
  double busy_until_ = 0, frame_ = 0;
  std::int64_t payload_ = 0;
  std::size_t packet_ = 0;
  ReceivedPacket sending_;
};

/// The receiver's port of a store-and-forward switch with unlimited memory: packets leave in the order of their
/// arrival.
class SwitchPort {
public:
  SwitchPort(double bytes_per_cycle, std::function<void(ReceivedPacket)> deliver);

  void arrive(ReceivedPacket packet);
  /// Forwards the packets that are complete by the end of the cycle and find the port free; returns true if there was
  /// one.
  bool cycle(std::int64_t now);
  /// Returns the cycle in which a packet can be forwarded; infinity without one.
  [[nodiscard]] double next_cycle() const;

private:
  double rate_;
  std::function<void(ReceivedPacket)> deliver_;
  std::vector<ReceivedPacket> waiting_; // heap with the earliest first
  double busy_until_ = 0;
};

} // namespace gradflight
