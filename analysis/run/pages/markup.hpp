// Text inside HTML and XML, the same rules for both: pages and JUnit files are written by them.
//
// Not a library's: those that write XML take bytes that are no UTF-8, and characters that XML forbids, as they come,
// and a program's messages may hold both.
#pragma once

#include <string>
#include <string_view>

namespace gradflight {

/// & < > and " escaped; invalid UTF-8 and what XML 1.0 cannot hold becomes U+FFFD.
std::string markup_text(std::string_view text);

/// ` name="value"`, line ends and tabs kept from becoming blanks.
std::string markup_attribute(const char* name, std::string_view value);

} // namespace gradflight
