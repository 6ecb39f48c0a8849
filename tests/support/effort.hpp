// The number of cases in a test: all, or fewer if a sanitizer makes each of them ten times slower.
#pragma once

namespace gradflight::test {

#ifdef GRADFLIGHT_SANITIZED
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

} // namespace gradflight::test
