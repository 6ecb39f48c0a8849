// Whether the periods of a running operation have become even.
//
// Each of some streams marks each of its periods; a period has ended when all have marked it. Periods are even if all
// streams go on in the same rhythm: from end to end passes the same time, as many marks are set as there are streams,
// and they are set at the same times.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace gradflight {

/// Periods that stand for all later ones: any later `periods` of them take `seconds`, too.
struct EvenStretch {
  std::int64_t periods = 0;
  double seconds = 0;
  double uneven = 0; ///< share by which its second half took longer or shorter than the first; 0: they are even to 1e-9
};

class SteadyPeriods {
public:
  explicit SteadyPeriods(std::int64_t streams = 1) : streams_(streams) {}

  /// A stream has marked its next period, at a time that is not before the last one (s).
  void marked(double time);
  /// The latest mark was the last one of the next period. Returns a stretch up to it if periods have become even. Those
  /// that take turns in up to `watched` ways are even in stretches of that many. Contending messages may take turns in
  /// ways that do not repeat: after many periods, a long stretch stands for the others if its halves take equally long
  /// within most_uneven.
  [[nodiscard]] std::optional<EvenStretch> ended();

private:
  static constexpr std::int64_t watched = 12, half = 20, many = 60;
  static constexpr double exact = 1e-9, most_uneven = 0.01;
  /// Up to the end of a period.
  struct End {
    double time = 0;
    std::int64_t marks = 0; ///< set before
    double sum = 0;         ///< of their times, each since the end of the period before it
  };
  [[nodiscard]] End between(std::int64_t last, std::int64_t periods) const;
  /// Some streams may run slowly ahead of the others, until a buffer is full. This changes nothing for the last ones,
  /// which decide when a period ends: the others will only be held back. Returns a stretch if the last `watched`
  /// periods end evenly, and the streams have gained at most most_uneven of a period in each, on average.
  [[nodiscard]] std::optional<EvenStretch> even_ends(std::int64_t last) const;

  std::int64_t streams_;
  std::vector<End> ends_;
  End now_{};                ///< without the marks of the latest instant: these come after an end at this instant
  std::int64_t instant_ = 0; ///< number of those
};

} // namespace gradflight
