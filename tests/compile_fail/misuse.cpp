// Each CASE must not compile; without a CASE the file must (or the failures would prove nothing).
#include "models/units/units.hpp"

using namespace gradflight;

[[maybe_unused]] static Seconds wait(Seconds time) { return time; }

int main() {
  const Seconds time(1);
  const Bytes size(2);
  const ByteRate rate(3);
#if !defined(CASE)
  const Seconds sum = time + size / rate;
  return static_cast<int>(wait(sum).value());
#elif CASE == 1
  return static_cast<int>((time + size).value()); // seconds plus bytes
#elif CASE == 2
  return static_cast<int>(wait(size).value()); // bytes where seconds are wanted
#elif CASE == 3
  const Seconds bare = 5.0; // a bare number: of what?
  return static_cast<int>(bare.value());
#elif CASE == 4
  return time < rate; // compared with another quantity
#elif CASE == 5
  return static_cast<int>((size * rate).value()); // a product without a meaning
#elif CASE == 6
  const double number = time; // the unit lost without a word
  return static_cast<int>(number);
#elif CASE == 7
  const ByteRate slow = time / size; // seconds per byte taken for bytes per second
  return static_cast<int>(slow.value());
#endif
}
