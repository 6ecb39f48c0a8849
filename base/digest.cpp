#include "base/digest.hpp"

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace gradflight {

struct Digest::State {
  XXH64_state_t hash;
};

Digest::Digest() : state_(std::make_unique<State>()) { XXH64_reset(&state_->hash, 0); }
Digest::~Digest() = default;

void Digest::add(std::string_view bytes) { XXH64_update(&state_->hash, bytes.data(), bytes.size()); }

std::string Digest::text() const { return fmt::format("{:016x}", XXH64_digest(&state_->hash)); }

std::string digest(std::string_view bytes) { return fmt::format("{:016x}", XXH64(bytes.data(), bytes.size(), 0)); }

} // namespace gradflight
