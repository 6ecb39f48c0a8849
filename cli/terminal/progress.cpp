#include "cli/terminal/progress.hpp"

#include "base/human.hpp"
#include "cli/terminal/console.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight::cli {

Progress::Progress(std::function<double()> all)
    : start_(Clock::now()), last_(start_), wanted_(messages_on_terminal()), count_all_(std::move(all)) {}

Progress::~Progress() {
  if (shown_) print_message_as_is("\r\033[K");
}

void Progress::update(double simulated_s, std::int64_t messages) {
  using namespace std::chrono_literals;
  const auto now = Clock::now();
  if (!wanted_ || now - start_ < 1s || now - last_ < 200ms) return;
  if (!shown_) all_ = count_all_();
  last_ = now;
  shown_ = true;
  const auto done = static_cast<double>(messages), left = std::max(0.0, all_ - done);
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  print_message_as_is(fmt::format("\r{} simulated, {} messages done, {} left, {:.0f} s elapsed\033[K",
                                  human_seconds(simulated_s), human_count(done), human_count(left), elapsed));
}

} // namespace gradflight::cli
