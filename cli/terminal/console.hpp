// Standard output for the result, and standard error for everything else.
#pragma once

#include <string_view>

namespace gradflight::cli {

/// Call this first. It makes sure that descriptors 0 to 2 are open, else a file could become standard output. It also
/// turns a closed pipe into an error that the program can report, instead of a signal.
void prepare_console();

// Print to standard output and standard error. The text may contain input of the user, so control characters except
// line ends and tabs are shown as escapes.
void print_result(std::string_view text);
void print_message(std::string_view text);
// The same without escaping, for text with colours or cursor movements, and for scripts.
void print_result_as_is(std::string_view text);
void print_message_as_is(std::string_view text);

/// Writes the text that print_result buffered; throws ResultLost if that fails. Ignores a reader that closed the pipe.
/// Call it at the end, and before a message that must follow the result.
void flush_result();

/// Whether standard output is a terminal and NO_COLOR is not set.
bool is_colour_enabled();
/// Returns the number of columns of standard output's terminal, between 60 and 120; 100 without a terminal.
int result_width();
bool messages_on_terminal();

} // namespace gradflight::cli
