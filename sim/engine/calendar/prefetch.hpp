// Prefetches an object's cache lines some time before its use. Results do not depend on it.
#pragma once

#include <cstddef>

namespace gradflight {

inline constexpr std::size_t cache_line = 64;

/// Prefetches the first `bytes` of an object.
template <class Object> void prefetch(const Object& object, std::size_t bytes = sizeof(Object)) {
  const char* begin = reinterpret_cast<const char*>(&object);
  for (std::size_t at = 0; at < bytes; at += cache_line) __builtin_prefetch(begin + at);
}

/// Prefetches what an object has before its member `member`.
template <class Object, class Member> void prefetch_before(const Object& object, const Member& member) {
  const char* end = reinterpret_cast<const char*>(&member);
  prefetch(object, static_cast<std::size_t>(end - reinterpret_cast<const char*>(&object)));
}

} // namespace gradflight
