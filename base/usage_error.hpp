// A mistake in a request: a word of a command line, or an argument of the library.
#pragma once

#include <stdexcept>

namespace gradflight {

/// A wrong word on the command line. The text says which word, and what is expected.
class UsageError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace gradflight
