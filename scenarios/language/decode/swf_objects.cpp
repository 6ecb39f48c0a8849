#include "scenarios/language/decode/swf_objects.hpp"

#include "base/csv.hpp"
#include "base/parse_number.hpp"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

constexpr std::size_t fields_of_a_job = 18;
/// Indices of the fields, counted from 0.
enum Field : std::size_t { number = 0, submitted = 1, ran = 3, used = 4, asked_for = 7, asked_time = 8, status = 10 };
constexpr std::array<const char*, fields_of_a_job> names = {"job number",
                                                            "submit time",
                                                            "wait time",
                                                            "run time",
                                                            "allocated processors",
                                                            "average CPU time",
                                                            "used memory",
                                                            "requested processors",
                                                            "requested time",
                                                            "requested memory",
                                                            "status",
                                                            "user",
                                                            "group",
                                                            "executable",
                                                            "queue",
                                                            "partition",
                                                            "preceding job",
                                                            "think time"};

struct SwfField {
  std::string_view text;
  int column = 1;
  double value = 0;
};

std::vector<SwfField> fields_in(std::string_view line) {
  constexpr std::string_view blanks = " \t";
  std::vector<SwfField> fields;
  for (std::size_t at = line.find_first_not_of(blanks); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    fields.push_back({line.substr(at, end - at), static_cast<int>(at) + 1, 0});
    at = line.find_first_not_of(blanks, end);
  }
  return fields;
}

bool is_number(SwfField& field) {
  const auto value = parse_number<double>(field.text);
  if (value) field.value = *value;
  return value && std::isfinite(*value);
}

class Reader {
public:
  Reader(int file, const std::string& pointer, std::vector<Problem>& problems)
      : file_(file), pointer_(pointer), problems_(problems) {}

  void read(std::string_view line, int number_of_line) {
    line_ = number_of_line;
    std::vector<SwfField> fields = fields_in(line);
    if (fields.empty() || fields.front().text.starts_with(';')) return;
    if (fields.size() != fields_of_a_job)
      return fail(1, fmt::format("this row has {} fields, but a job in the Standard Workload Format has {}",
                                 fields.size(), fields_of_a_job));
    const std::size_t before = problems_.size();
    for (std::size_t f = 0; f < fields.size(); ++f)
      if (!is_number(fields[f]))
        fail(fields[f].column, fmt::format("expected a number ({}), got \"{}\"", names[f], fields[f].text));
    if (problems_.size() == before) keep(fields);
  }
  std::vector<Node> rows;

private:
  void fail(int column, std::string message) { problems_.push_back({at(column), pointer_, std::move(message)}); }
  [[nodiscard]] Position at(int column) const { return {file_, line_, column}; }

  void add(Node& row, const char* key, const SwfField& from, Node value) const {
    value.position = at(from.column);
    row.members.push_back({key, at(from.column), std::move(value)});
  }

  void keep(const std::vector<SwfField>& f) {
    const SwfField& gpus = f[asked_for].value > 0 ? f[asked_for] : f[used];
    const bool never_ran = f[ran].value <= 0 || f[used].value <= 0;
    if (never_ran && (f[status].value == 0 || f[status].value == 5)) return;
    const auto seconds = [](const SwfField& time) { return Node::of(fmt::format("{}s", time.text)); };
    const auto known = [](const SwfField& field) { return field.value != -1; };
    Node row = Node::object();
    row.position = at(f[number].column);
    add(row, "name", f[number], Node::of(std::string(f[number].text)));
    if (known(f[submitted])) add(row, "arrival", f[submitted], seconds(f[submitted]));
    if (known(gpus)) {
      Node count = std::floor(gpus.value) == gpus.value && std::abs(gpus.value) < 1e15
                       ? Node::of(static_cast<std::int64_t>(gpus.value))
                       : Node::of(gpus.value);
      count.text = std::string(gpus.text);
      add(row, "gpus", gpus, std::move(count));
    }
    if (f[ran].value == 0)
      add(row, "iterations", f[ran], Node::of(std::int64_t{1}));
    else if (known(f[ran]))
      add(row, "run_time", f[ran], seconds(f[ran]));
    if (known(f[asked_time])) add(row, "estimate", f[asked_time], seconds(f[asked_time]));
    rows.push_back(std::move(row));
  }

  int file_, line_ = 0;
  const std::string& pointer_;
  std::vector<Problem>& problems_;
};

} // namespace

std::optional<Node> swf_objects(std::string_view text, int file, const std::string& pointer,
                                std::vector<Problem>& problems) {
  const std::size_t before = problems.size();
  Reader reader(file, pointer, problems);
  int number_of_line = 0;
  for (const std::string_view line : text_lines(text)) reader.read(line, ++number_of_line);
  if (reader.rows.empty()) {
    if (problems.size() == before) problems.push_back({{file, 1, 1}, pointer, "the trace contains no job"});
    return std::nullopt;
  }
  Node all = Node::list(std::move(reader.rows));
  all.position = {file, 1, 1};
  return all;
}

} // namespace gradflight
