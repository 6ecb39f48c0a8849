#include "cli/terminal/console.hpp"

#include "analysis/run/files/output_file.hpp"
#include "base/visible.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace gradflight::cli {

namespace {
/// A reader may close the pipe early (`| head`); the rest of the result is then discarded.
void result_lost() {
  if (errno != EPIPE)
    throw ResultLost(fmt::format("the result could not be written to standard output: {}", std::strerror(errno)));
  const int null_device = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(null_device, STDOUT_FILENO);
  close(null_device);
  std::clearerr(stdout);
}
} // namespace

void prepare_console() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN); // a file beyond its size limit is handled like a full disk
  // A closed standard output is opened for reading, so that writing to it fails.
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(fd, F_GETFD) < 0) (void)open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
}

void print_result(std::string_view text) { print_result_as_is(visible(text, "\n\t")); }
void print_message(std::string_view text) { print_message_as_is(visible(text, "\n\t")); }

void print_result_as_is(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) result_lost();
}

void print_message_as_is(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); }

void flush_result() {
  if (std::fflush(stdout) != 0) result_lost();
}

bool is_colour_enabled() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(STDOUT_FILENO) && !(no_colour && *no_colour) && terminal && std::string_view(terminal) != "dumb";
}

int result_width() {
  winsize size{};
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 100;
  return std::clamp<int>(size.ws_col, 60, 120);
}

bool messages_on_terminal() { return isatty(STDERR_FILENO); }

} // namespace gradflight::cli
