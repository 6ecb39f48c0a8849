// The wire between NICs: a MAC that sends bursts as bytes, and an output-queued switch port. Times in cycles.
#pragma once

#include "tests/oracles/compressor_engine.hpp"
#include "tests/oracles/decompressor_engine.hpp"
#include "tests/oracles/nic_path.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace gradflight {

/// A NIC's MAC: takes packets from its engines in turn; a burst's bytes follow those of the one before without a gap if
/// it is there in time. Preamble, check and gap are charged in front of a packet.
class Mac {
public:
  /// `deliver` gets each packet with the cycle in which its last byte is through.
  Mac(const NicSpec& spec, double bytes_per_cycle, NicReport& report, const NicObserver& observer,
      std::function<void(ReceivedPacket)> deliver);

  /// The cycle that begins at `now`; true if a burst was taken.
  bool cycle(std::int64_t now, std::span<CompressorEngine> engines);
  /// The cycle in which the MAC looks at its FIFOs again.
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

/// The receiver's port of a store-and-forward switch with room for all: packets leave in the order of their arrival.
class SwitchPort {
public:
  SwitchPort(double bytes_per_cycle, std::function<void(ReceivedPacket)> deliver);

  void arrive(ReceivedPacket packet);
  /// Forwards the packets that are complete by the end of the cycle and find the port free; true if there was one.
  bool cycle(std::int64_t now);
  /// The cycle in which a packet can be forwarded; infinity without one.
  [[nodiscard]] double next_cycle() const;

private:
  double rate_;
  std::function<void(ReceivedPacket)> deliver_;
  std::vector<ReceivedPacket> waiting_; // heap: the earliest first
  double busy_until_ = 0;
};

} // namespace gradflight
