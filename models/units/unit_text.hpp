// Quantities as text: "10Gbps", "5 us", "25MiB", "6TFLOP/s", "0.031ns/B".
//
//   quantity = number [ " " ] unit
//   number   = ( "0" | digit 1-9 { digit } ) [ "." digit { digit } ] [ ( "e" | "E" ) [ "+" | "-" ] digit { digit } ]
//
//   time           s ms us ns min h d;  also sec, usec and the like, and both characters for micro (U+00B5, U+03BC)
//   bytes          B KB MB GB TB (10^3 .. 10^12)   KiB MiB GiB TiB (2^10 .. 2^40);  also kB
//   byte rate      B/s and each byte unit per second;  bit/s Kbps Mbps Gbps Tbps;  also bytes as GBps, GB/sec, kB/s,
//                  and bits as Gb/s, Gbit/s, Gbits/sec, gbps, Gibit/s
//   operations     FLOP KFLOP MFLOP GFLOP TFLOP PFLOP
//   FLOP rate      FLOP/s .. PFLOP/s
//   time per byte  s/B ms/B us/B ns/B
//
// Units are case-sensitive ("Mb" and "MB" must not be confused), the unit is never optional, and quantities are never
// negative. Decimal units are read exactly: "5us" is the double nearest to 5e-6, not 5 * 1e-6.
#pragma once

#include "models/units/units.hpp"

#include <array>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

enum class Dimension { time, bytes, byte_rate, flops, flop_rate, time_per_byte };
inline constexpr std::array dimensions = {Dimension::time,  Dimension::bytes,     Dimension::byte_rate,
                                          Dimension::flops, Dimension::flop_rate, Dimension::time_per_byte};

/// The text says what is wrong, which units are allowed, and which one is nearest.
class UnitError : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Returns "time", "size", "rate", ... for messages.
const char* dimension_name(Dimension dimension);

/// Returns all units of a dimension, in the order of the table above; the first is the base unit.
std::vector<std::string> unit_names(Dimension dimension);

/// Returns a regular expression (ECMAScript, an alternation without enclosing parentheses) for all units that
/// parse_quantity accepts.
std::string unit_pattern(Dimension dimension);

/// Returns the value in the base unit (s, B, B/s, FLOP, FLOP/s, s/B). Throws UnitError.
double parse_quantity(std::string_view text, Dimension dimension);

/// Returns the dimension of the unit of `text`; nothing if `text` is not a quantity.
std::optional<Dimension> dimension_of(std::string_view text);

/// Returns the shortest text that parse_quantity reads back bit for bit. Throws std::invalid_argument if `value` is not
/// finite or is negative. `pretty` uses the unit with the shortest text; `base` uses the base unit.
enum class UnitStyle { base, pretty };
std::string format_quantity(double value, Dimension dimension, UnitStyle style = UnitStyle::pretty);

template <class Q> struct DimensionOf;
template <> struct DimensionOf<Seconds> { static constexpr auto value = Dimension::time; };
template <> struct DimensionOf<Bytes> { static constexpr auto value = Dimension::bytes; };
template <> struct DimensionOf<ByteRate> { static constexpr auto value = Dimension::byte_rate; };
template <> struct DimensionOf<Flops> { static constexpr auto value = Dimension::flops; };
template <> struct DimensionOf<FlopRate> { static constexpr auto value = Dimension::flop_rate; };
template <> struct DimensionOf<SecondsPerByte> { static constexpr auto value = Dimension::time_per_byte; };

/// The same with types: parse<Seconds>("5us"), format(Seconds(5e-6)).
template <class Q> Q parse(std::string_view text) { return Q(parse_quantity(text, DimensionOf<Q>::value)); }
template <class D> std::string format(Quantity<D> q, UnitStyle style = UnitStyle::pretty) {
  return format_quantity(q.value(), DimensionOf<Quantity<D>>::value, style);
}

} // namespace gradflight
