// Asks for an object's lines of cache some time before it is used. What does not come in time changes nothing.
#pragma once

#include <cstddef>

namespace gradflight {

inline constexpr std::size_t cache_line = 64;

/// The lines of the first `bytes` of an object.
template <class Object> void prefetch(const Object& object, std::size_t bytes = sizeof(Object)) {
  const char* begin = reinterpret_cast<const char*>(&object);
  for (std::size_t at = 0; at < bytes; at += cache_line) __builtin_prefetch(begin + at);
}

} // namespace gradflight
