#include "analysis/evidence/measured/time_stamps.hpp"

#include "analysis/evidence/measured/log_reader.hpp"

#include <cstddef>

namespace gradflight::measured {

namespace {

/// Walks over the parts of a stamp. Each function passes over a part, or stays where it is and returns false.
class Stamp {
public:
  explicit Stamp(std::string_view text) : text_(text) {}

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] bool ended() const { return at_ == text_.size(); }

  void blanks() {
    while (is_blank(next())) ++at_;
  }
  bool one_of(std::string_view characters) {
    if (ended() || characters.find(next()) == std::string_view::npos) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view words, std::size_t length) {
    const std::string_view here = text_.substr(at_, length);
    const std::size_t found = here.size() == length ? words.find(here) : std::string_view::npos;
    if (found == std::string_view::npos || found % length != 0) return false;
    at_ += length;
    return true;
  }
  bool digits(std::size_t least, std::size_t most) {
    std::size_t n = 0;
    while (at_ + n < text_.size() && is_digit(text_[at_ + n])) ++n;
    if (n < least || n > most) return false;
    at_ += n;
    return true;
  }
  /// All of these parts or none of them.
  template <class... Parts> bool all(Parts... parts) {
    const std::size_t begin = at_;
    if ((parts() && ...)) return true;
    at_ = begin;
    return false;
  }

  bool maybe(std::string_view which) {
    static_cast<void>(one_of(which));
    return true;
  }
  /// "Wed " or "Wed, " as ctime() and `date` begin.
  bool weekday() {
    return all([&] { return word("MonTueWedThuFriSatSun", 3); }, [&] { return maybe(","); },
               [&] { return one_of(" "); });
  }
  /// "2026-04-19", "2026/04/19", "Apr  9", "4/19/2026", "19.04.2026"
  bool date() {
    const auto separator = [&](std::string_view which) { return [this, which] { return one_of(which); }; };
    const auto number = [&](std::size_t least, std::size_t most) {
      return [this, least, most] { return digits(least, most); };
    };
    return all(number(4, 4), separator("-/"), number(2, 2), separator("-/"), number(2, 2)) ||
           all([&] { return word("JanFebMarAprMayJunJulAugSepOctNovDec", 3); }, separator(" "),
               [&] { return maybe(" "); }, number(1, 2)) ||
           all(number(1, 2), separator("/"), number(1, 2), separator("/"), number(4, 4)) ||
           all(number(1, 2), separator("."), number(1, 2), separator("."), number(4, 4));
  }
  /// "03:04:31", "03:04:31.123Z", "03:04:31,123+00:00", "3:04:31 PM"
  bool clock() {
    const bool is_clock = all([&] { return digits(1, 2); }, [&] { return one_of(":"); }, [&] { return digits(2, 2); },
                              [&] { return one_of(":"); }, [&] { return digits(2, 2); });
    if (!is_clock) return false;
    all([&] { return one_of(".,"); }, [&] { return digits(1, 12); });
    if (!one_of("Z")) {
      all([&] { return one_of("+-"); }, [&] { return digits(4, 4); });
      all([&] { return one_of("+-"); }, [&] { return digits(2, 2); }, [&] { return one_of(":"); },
          [&] { return digits(2, 2); });
    }
    all([&] { return one_of(" "); }, [&] { return word("AMPM", 2); });
    return true;
  }
  /// " 2026", " UTC 2026", " UTC"
  void year() {
    const auto zone = [&] {
      std::size_t n = 0;
      while (at_ + n < text_.size() && text_[at_ + n] >= 'A' && text_[at_ + n] <= 'Z') ++n;
      at_ += n;
      return n >= 3 && n <= 5;
    };
    all([&] { return one_of(" "); }, zone);
    all([&] { return one_of(" "); }, [&] { return digits(4, 4); });
  }
  /// "  12.345678" behind a bracket
  bool seconds() {
    return all([&] { return blanks(), true; }, [&] { return digits(1, 12); }, [&] { return one_of("."); },
               [&] { return digits(1, 12); });
  }

private:
  std::string_view text_;
  std::size_t at_ = 0;
};

} // namespace

void take_stamp(std::string_view& line) {
  Stamp stamp(line);
  stamp.blanks();
  if (stamp.ended()) return;
  const bool bracket = stamp.one_of("[");
  if (bracket && stamp.seconds() && stamp.one_of("]")) {
    line.remove_prefix(stamp.at());
    return;
  }
  const bool weekday = stamp.weekday();
  if (stamp.date()) {
    stamp.one_of(",");
    stamp.one_of("T");
  }
  stamp.blanks();
  if (!stamp.clock()) return;
  if (weekday || bracket) stamp.year();
  if (bracket && !stamp.one_of("]")) return;
  const bool took_colon = stamp.all([&] { return stamp.one_of(":"); }, [&] { return stamp.one_of(" \t"); });
  // Open MPI's label follows without a blank.
  const char next = stamp.next();
  if (!took_colon && !stamp.ended() && !is_blank(next) && next != '[' && next != '<') return;
  line.remove_prefix(stamp.at() - (took_colon ? 1 : 0));
}

bool is_date_or_clock(std::string_view word) {
  if (word.size() < 7 || !is_digit(word.front()) || word.find_first_of(":-/") == std::string_view::npos) return false;
  return Stamp(word).date() || Stamp(word).clock();
}

} // namespace gradflight::measured
