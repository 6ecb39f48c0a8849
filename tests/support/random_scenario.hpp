// Random scenarios: contention, unequal sizes, stragglers, every exchange. A seed gives the same scenario on every
// machine.
#pragma once

#include "scenarios/language/types/scenario.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace gradflight::test {

class Dice {
public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  int in(int low, int high) { return low + static_cast<int>(engine_() % static_cast<std::uint32_t>(high - low + 1)); }
  template <class T> T one_of(const std::vector<T>& choices) {
    return choices[static_cast<std::size_t>(in(0, static_cast<int>(choices.size()) - 1))];
  }
  bool chance(int percent) { return in(1, 100) <= percent; }
  double real(double low, double high) { return low + (high - low) * in(0, 1'000'000) / 1e6; }

private:
  std::mt19937 engine_;
};

Scenario random_scenario(std::uint32_t seed);
/// Several streams, with equal layers and tensors as in a transformer; half of the scenarios also have equal nodes.
Scenario alike_scenario(std::uint32_t seed);
ExchangeSpec random_exchange(Dice& dice, int workers);

} // namespace gradflight::test
