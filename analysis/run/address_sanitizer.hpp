#pragma once

/// GF_ADDRESS_SANITIZER is defined under AddressSanitizer, whose shadow counts as memory: g++ and clang say it
/// differently.
#if defined(__SANITIZE_ADDRESS__)
#define GF_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GF_ADDRESS_SANITIZER
#endif
#endif
