// How lines become rows of nccl-tests, whatever other programs write between and into them.
#include "analysis/evidence/measured/nccl_tests_log.hpp"
#include "analysis/evidence/measured/time_stamps.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace gradflight::measured {

namespace {

/// Whether the character may separate groups of three digits, or come before decimals.
bool separates_groups(char c) { return c == ',' || c == '\'' || c == '_'; }

} // namespace

/// The words of a line without dates and times of day.
void NcclTestsTables::split(std::string_view line) {
  words_of(line, words_);
  if (std::ranges::any_of(line, separates_groups) || words_.front().text.find('.') != std::string_view::npos) {
    DecimalMarks shown;
    shown.add_whole(words_.front().text);
    for (std::size_t i = 1; i < words_.size(); ++i) shown.add(words_[i].text);
    const DecimalMark mark = shown.found().value_or(DecimalMark::dot);
    plain_numbers_.clear();
    for (const Word& word : words_) plain_numbers_ += plain_number(word.text, mark) + ' ';
    words_of(plain_numbers_, words_);
  }
  std::erase_if(words_, [](const Word& word) { return word.text == "|" || is_date_or_clock(word.text); });
}

/// What is pending and the words of this line, as long as both live.
std::vector<Word> NcclTestsTables::with_pending() const {
  std::vector<Word> words;
  for (const KeptWord& word : pending_) words.push_back({word.text, word.column});
  words.insert(words.end(), words_.begin(), words_.end());
  return words;
}

/// Whether the words are the rest of the row that is pending.
bool NcclTestsTables::continues_row() const {
  if (pending_.empty()) return false;
  std::vector<Word> alone = words_, together = with_pending();
  const std::size_t all = together.size(), before = pending_.size(), columns = columns_->names.size();
  columns_->fit(alone);
  if (alone.size() >= columns_->least_words()) return false;
  columns_->fit(together);
  if (before >= columns_->least_words()) return together.size() == columns; // the half in place
  return together.size() >= columns_->least_words() || (together.size() == all && all > before);
}

/// Rows that have lost their header.
bool NcclTestsTables::guess_columns(int number) {
  auto columns = columns_of_row(words_);
  if (!columns) return false;
  columns_ = std::move(columns);
  closed_ = aborted_ = false;
  recognised_ = true;
  current_.table.line = current_.header_line = number;
  tables_.left_out.add("no header", number, 1, [] {
    return std::string("rows without a header are read with the columns that nccl-tests prints");
  });
  return true;
}

void NcclTestsTables::part_of_row(int number) {
  if (!columns_->good() && !std::exchange(header_told_, true))
    tables_.left_out.add("header", current_.table.line, 1, [] {
      return std::string("a table without the columns size, time, algbw and busbw is left out");
    });
  if (words_.empty() || !columns_->good() || columns_->cpu_time) return;
  const bool continues = continues_row();
  if (!continues) {
    end_pending();
    pending_line_ = number;
  }
  if (continues) words_ = with_pending();
  const std::vector<KeptWord> kept = std::exchange(pending_, {}); // words point into it
  const Word first = words_.front();
  const std::string_view bad = columns_->fit(words_);
  breaks_off_at_ = bad.empty() ? std::string() : printable(bad);
  if (words_.empty()) {
    tables_.left_out.add("no row", number, 1, [&] {
      return fmt::format("\"{}\" is not a size: the line is left out", printable(first.text));
    });
  } else if (words_.size() >= columns_->names.size()) {
    row(pending_line_);
  } else {
    for (const Word& word : words_) pending_.push_back({std::string(word.text), word.column});
  }
  if (continues) words_.clear();
}

void NcclTestsTables::end_pending() {
  if (pending_.empty()) return;
  const std::vector<Word> of_line = std::exchange(words_, {});
  words_ = with_pending();
  const std::vector<KeptWord> kept = std::exchange(pending_, {}); // words point into it
  row(pending_line_);
  words_ = of_line;
}

} // namespace gradflight::measured
