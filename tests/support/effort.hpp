// How many cases a test tries: all of them, or fewer where a sanitizer makes each of them ten times as slow.
#pragma once

namespace gradflight::test {

#ifdef GRADFLIGHT_SANITIZED
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

} // namespace gradflight::test
