// A step of an exchange: wait for the reduction it builds on, encode, send and receive, decode, combine, and wait until
// the rank's own messages have arrived.
#pragma once

#include "sim/engine/transport/transport.hpp"

namespace gradflight {

class ExchangeSteps {
public:
  ExchangeSteps(Calendar& calendar, Streams& streams, Tracks& tracks, RankWork& rank_work, Transport& transport)
      : calendar_(calendar), streams_(streams), tracks_(tracks), rank_work_(rank_work), transport_(transport) {}

  /// A stream begins a step or continues inside one. Returns true if the whole step ends at once.
  bool begin(std::uint32_t s, double now);
  bool resume(std::uint32_t s, double now);
  /// Returns true if every reduction that the stream has under way is done.
  bool drain(std::uint32_t s, double now);
  /// Serves the streams that want to encode, decode or reduce at this instant.
  void grant(double now);
  /// No stream asks for anything, and time continues from 0.
  void restart_clock() { next_grant_ = granted_ = 0; }

private:
  bool encode(std::uint32_t s, double now);
  void begin_encoding(std::uint32_t s, double now);
  bool transfer(std::uint32_t s, double now);
  bool combine(std::uint32_t s, double now);
  bool treat(std::uint32_t s, double now);
  bool reduce(std::uint32_t s, double now);
  bool sent(std::uint32_t s);
  [[nodiscard]] bool needs_request(const Stream& stream) const;
  bool ask(std::uint32_t s, double now);

  Calendar& calendar_;
  Streams& streams_;
  Tracks& tracks_;
  RankWork& rank_work_;
  Transport& transport_;
  std::vector<std::uint32_t> asking_;
  double next_grant_ = 0, granted_ = 0; ///< when pending requests are served; when some were last
};

} // namespace gradflight
