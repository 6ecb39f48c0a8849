#include "analysis/evidence/measured/log_tables.hpp"

#include "analysis/evidence/measured/nccl_tests_log.hpp"
#include "analysis/evidence/measured/osu_log.hpp"

namespace gradflight::measured {

LogTables::LogTables(TableCollector& tables)
    : lines_(tables.left_out), nccl_(std::make_unique<NcclTestsTables>(tables)),
      osu_(std::make_unique<OsuTables>(tables, commands_)) {}

LogTables::~LogTables() = default;

void LogTables::line(std::string_view line) {
  ++number_;
  if (number_ == 1 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
  commands_.line(line);
  const auto own = lines_.clean(line, number_);
  if (!own || own->empty()) return;
  // Rows belong to the table with the most recent header.
  if (osu_->open() && begins_with_digit(*own)) {
    osu_->line(*own, number_);
    return;
  }
  if (nccl_->line(*own, number_)) {
    if (osu_->open() && !begins_with_digit(*own)) osu_->end(number_);
  } else if (osu_->line(*own, number_) && nccl_->open()) {
    nccl_->end(number_);
  }
  const bool open = nccl_->open() || osu_->open();
  if (was_open_ && !open) lines_.table_ended();
  was_open_ = open;
}

int LogTables::end(bool unfinished) {
  nccl_->end(number_);
  if (unfinished) osu_->leave_out_cut_row(number_);
  osu_->end(number_);
  return number_;
}

bool LogTables::recognised() const { return nccl_->recognised() || osu_->recognised(); }

} // namespace gradflight::measured
