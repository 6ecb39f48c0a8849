// Each CASE must not compile. Without a CASE the file must compile, or the failures would prove nothing.
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
  return static_cast<int>(wait(size).value()); // bytes instead of seconds
#elif CASE == 3
  const Seconds bare = 5.0; // a number without a unit
  return static_cast<int>(bare.value());
#elif CASE == 4
  return time < rate; // comparison with another quantity
#elif CASE == 5
  return static_cast<int>((size * rate).value()); // a product without meaning
#elif CASE == 6
  const double number = time; // the unit would be lost silently
  return static_cast<int>(number);
#elif CASE == 7
  const ByteRate slow = time / size; // seconds per byte used as bytes per second
  return static_cast<int>(slow.value());
#endif
}
