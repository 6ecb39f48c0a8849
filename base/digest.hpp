// Identifies bytes: xxHash64 (Collet, seed 0) as 16 hexadecimal digits.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gradflight {

std::string digest(std::string_view bytes);

/// The same for bytes that arrive in pieces.
class Digest {
public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;

  void add(std::string_view bytes);
  [[nodiscard]] std::string text() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace gradflight
