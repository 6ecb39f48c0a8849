// Standard output and standard error: one carries the result, the other everything else.
#pragma once

#include <string_view>

namespace gradflight::cli {

/// Call first: makes sure that descriptors 0 to 2 are open (else a file could become standard output) and that a
/// closed pipe is an error to report, not a signal.
void prepare_console();

// To standard output and standard error. What others wrote may be part of it: a control character that is no line's end
// or tab is shown, not sent.
void print_result(std::string_view text);
void print_message(std::string_view text);
// The same as it stands, for what we colour or move ourselves, and for scripts.
void print_result_as_is(std::string_view text);
void print_message_as_is(std::string_view text);

/// What print_result buffered is out, or ResultLost is thrown; where nobody reads on, silently nothing. Call last, and
/// before a message that is to come after it.
void flush_result();

/// Standard output is a terminal and NO_COLOR is not set.
bool colour_wanted();
/// Columns of standard output's terminal, between 60 and 120; 100 where it is none.
int result_width();
bool messages_on_terminal();

} // namespace gradflight::cli
