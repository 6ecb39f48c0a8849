#include "cli/terminal/progress.hpp"

#include "analysis/text/human.hpp"
#include "cli/terminal/console.hpp"

#include <fmt/format.h>

namespace gradflight::cli {

Progress::Progress() : start_(Clock::now()), last_(start_), wanted_(messages_on_terminal()) {}

Progress::~Progress() {
  if (shown_) print_message_as_is("\r\033[K");
}

void Progress::update(double simulated_s, std::int64_t messages) {
  using namespace std::chrono_literals;
  const auto now = Clock::now();
  if (!wanted_ || now - start_ < 1s || now - last_ < 200ms) return;
  last_ = now;
  shown_ = true;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  print_message_as_is(fmt::format("\r{} simulated, {} messages, {:.0f} s elapsed\033[K", human_seconds(simulated_s),
                                  human_count(static_cast<double>(messages)), elapsed));
}

} // namespace gradflight::cli
