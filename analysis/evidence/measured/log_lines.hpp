// The lines of a log without what launchers, terminals and web pages put around them.
//
// Taken off: labels of srun (" 0: "), Open MPI ("[1,0]<stdout>:"), MPICH ("[0] "), torchrun and Kubernetes, in general
// whatever stands before the first line of a benchmark; numbers of lines; time stamps at line starts and behind labels;
// escape sequences of terminals; a backslash of Markdown; the bars of a Markdown table. One writer is followed: the
// lines of others are passed over.
#pragma once

#include "analysis/evidence/measured/left_out.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gradflight::measured {

class LogLines {
public:
  explicit LogLines(LeftOut& left_out) : left_out_(left_out) {}

  /// The line as the benchmark wrote it; it lives as long as `line` and until the next call. None: another writer's.
  std::optional<std::string_view> clean(std::string_view line, int number);

  /// The writer's table has ended, so that another writer may begin one.
  void table_ended() { free_ = true; }

private:
  /// From now on the lines count that begin with `label`; `number` is the line that has it.
  void follow(std::string_view label, int number);
  std::optional<std::string_view> own_part(std::string_view line, bool may_begin, int number);
  std::string_view without_labels(std::string_view line);
  /// Where the label ends if it is the line's number and counts on from the writer's first line; 0: it does not.
  [[nodiscard]] std::size_t numbered_label_end(std::string_view line, int number) const;
  [[nodiscard]] std::size_t timed_label_end(std::string_view line) const;

  LeftOut& left_out_;
  std::string label_; ///< of the writer that is followed, blanks around it included; empty: its lines have none
  std::string core_;  ///< the same without the blanks in front
  std::string plain_, joined_;
  int label_line_ = 0; ///< the line of the log that had label_
  bool labelled_ = false, free_ = true;
  std::size_t seconds_at_ = 0, seconds_length_ = 0; ///< of a count of seconds in label_; length 0: there is none
};

} // namespace gradflight::measured
