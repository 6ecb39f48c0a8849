// Escapes text inside HTML and XML, with the same rules for both: pages and JUnit files use it.
//
// Libraries that write XML do not check for invalid UTF-8 and characters that XML forbids, and a program's messages may
// contain both.
#pragma once

#include <string>
#include <string_view>

namespace gradflight {

/// Escapes & < > and "; replaces invalid UTF-8 and characters that XML 1.0 forbids by U+FFFD.
std::string markup_text(std::string_view text);

/// Like markup_text(), for running text of HTML pages: a no-break space joins a number and its unit ("94.0&nbsp;%").
std::string markup_prose(std::string_view text);

/// Returns ` name="value"`; escapes line ends and tabs, because a parser would change them to spaces.
std::string markup_attribute(const char* name, std::string_view value);

} // namespace gradflight
