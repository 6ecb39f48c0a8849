#include "cli/terminal/sweep_progress.hpp"

#include "cli/terminal/console.hpp"

#include <cmath>
#include <fmt/format.h>
#include <memory>

namespace gradflight::cli {
namespace {

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

} // namespace

SweepProgress::SweepProgress(std::int64_t total, std::int64_t before, const char* noun)
    : total_(total), before_(before), noun_(noun), start_(Clock::now()), last_(start_),
      wanted_(messages_on_terminal()) {}

void SweepProgress::wipe() {
  if (shown_) print_message_as_is("\r\033[K");
  shown_ = false;
}

void SweepProgress::update(std::int64_t done, std::int64_t not_ok) {
  using namespace std::chrono_literals;
  const auto now = Clock::now();
  if (!wanted_ || now - last_ < 200ms) return;
  last_ = now;
  shown_ = true;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(done - before_) / elapsed;
  const auto left = static_cast<double>(total_ - done);
  print_message_as_is(fmt::format("\r{} of {} {}, {:.3g}/s, {} left{}\033[K", done, total_, noun_, rate,
                                  rate > 0 ? duration_text(left / rate) : "?",
                                  not_ok > 0 ? fmt::format(", {} not ok", not_ok) : ""));
}

BatchProgress batch_progress() {
  return [line = std::shared_ptr<SweepProgress>()](std::int64_t done, std::int64_t of) mutable {
    if (of == 0) return;
    if (!line) line = std::make_shared<SweepProgress>(of, 0, "simulations");
    line->update(done, 0);
    if (done == of) line.reset();
  };
}

} // namespace gradflight::cli
