// Returns the lines of a log without the additions of launchers, terminals and web pages.
//
// It removes labels of srun (" 0: "), Open MPI ("[1,0]<stdout>:"), MPICH ("[0] "), torchrun and Kubernetes, and in
// general any text before the first line of a benchmark. It also removes line numbers, time stamps at line starts and
// after labels, escape sequences of terminals, backslashes of Markdown, and the bars of a Markdown table. It follows
// one process that writes the log, and ignores the lines of others.
#pragma once

#include "analysis/evidence/measured/left_out.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gradflight::measured {

class LogLines {
public:
  explicit LogLines(LeftOut& left_out) : left_out_(left_out) {}

  /// Returns the line as the benchmark wrote it; it is valid as long as `line`, until the next call. Returns nothing
  /// for a line of another process.
  std::optional<std::string_view> clean(std::string_view line, int number);

  /// The table has ended, so another process may begin one.
  void table_ended() { free_ = true; }

private:
  /// From now on the lines count that begin with `label`; `number` is the line that has it.
  void follow(std::string_view label, int number);
  std::optional<std::string_view> own_part(std::string_view line, bool may_begin, int number);
  std::string_view without_labels(std::string_view line);
  /// Returns the end of the label if it is a line number that continues from the first line; 0 if it is not.
  [[nodiscard]] std::size_t numbered_label_end(std::string_view line, int number) const;
  [[nodiscard]] std::size_t timed_label_end(std::string_view line) const;

  LeftOut& left_out_;
  std::string label_; ///< label of the followed process, including blanks around it; empty: its lines have none
  std::string core_;  ///< the same without the leading blanks
  std::string plain_, joined_;
  int label_line_ = 0; ///< the line of the log with label_
  bool labelled_ = false, free_ = true;
  std::size_t stamp_at_ = 0, stamp_length_ = 0; ///< of a time stamp in label_; length 0: it has none
};

} // namespace gradflight::measured
