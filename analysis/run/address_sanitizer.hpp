#pragma once

/// Defines GF_ADDRESS_SANITIZER under AddressSanitizer; its shadow memory counts as memory of the process. g++ and
/// clang use different macros.
#if defined(__SANITIZE_ADDRESS__)
#define GF_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GF_ADDRESS_SANITIZER
#endif
#endif
