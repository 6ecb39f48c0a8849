#include "analysis/measured/log_reader.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace gradflight::measured {

std::vector<Word> words_of(std::string_view line) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t begin = line.find_first_not_of(" \t\r", at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back({line.substr(begin, end - begin), static_cast<int>(begin) + 1});
    at = end;
  }
  return words;
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

bool begins_with_digit(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && std::isdigit(static_cast<unsigned char>(line[first])) != 0;
}

std::string lowered(std::string_view text) {
  std::string low(text);
  std::ranges::transform(low, low.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return low;
}

namespace {

/// As benchmarks call them, without "_" and "-"; the longer of two that begin alike first.
constexpr std::array<std::pair<std::string_view, Operation>, 14> spellings = {
    {{"reducescatter", Operation::reduce_scatter},
     {"allreduce", Operation::all_reduce},
     {"allgather", Operation::all_gather},
     {"alltoall", Operation::alltoall},
     {"broadcast", Operation::broadcast},
     {"bcast", Operation::broadcast},
     {"sendrecv", Operation::sendrecv},
     {"reduce", Operation::reduce},
     {"gather", Operation::gather},
     {"scatter", Operation::scatter},
     {"barrier", Operation::barrier},
     {"mbwmr", Operation::sendrecv},
     {"multilat", Operation::sendrecv},
     {"latency", Operation::sendrecv}}};

std::string letters_of(std::string_view text) {
  std::string letters = lowered(text);
  std::erase_if(letters, [](char c) { return c == '_' || c == '-'; });
  return letters;
}

} // namespace

std::optional<Operation> operation_of(std::string_view name) {
  std::string letters = letters_of(name);
  if (letters.starts_with("osu")) letters.erase(0, 3);
  if (letters.ends_with("perf")) letters.resize(letters.size() - 4);
  for (const auto& [spelling, op] : spellings)
    if (letters == spelling) return op;
  return std::nullopt;
}

std::string known_operations() { return fmt::format("{}", fmt::join(operation_names, ", ")); }

std::optional<Operation> operation_in(std::string_view text) {
  const std::string letters = letters_of(text);
  std::size_t where = std::string::npos;
  std::optional<Operation> found;
  for (const auto& [spelling, op] : spellings)
    if (const std::size_t at = letters.find(spelling); at < where) {
      where = at;
      found = op;
    }
  return found;
}

std::string setting_in(std::string_view text, std::string_view name) {
  std::string start = std::string(name) + "=";
  if (text.find(start) == std::string_view::npos) start = std::string(name) + " set by environment to ";
  const std::size_t at = text.find(start);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = text.substr(at + start.size());
  return std::string(rest.substr(0, std::min(rest.find_first_of(" ,;\"'\t\r\n"), rest.size())));
}

double LogReader::positive(const Word& word, int line, std::string_view what) {
  const auto value = number_of(word.text);
  if (value && *value > 0) return *value;
  fail(line, word.column, fmt::format("{} \"{}\" should be a number above 0", what, word.text));
  return 0;
}

double LogReader::bytes(const Word& word, int line, std::string_view what) {
  const auto value = number_of(word.text);
  if (value && *value >= 0 && *value <= 1e15 && std::floor(*value) == *value) return *value;
  fail(line, word.column, fmt::format("{} \"{}\" should be a whole number of bytes, 0 or more", what, word.text));
  return 0;
}

void LogReader::settle(MeasuredTable& table, std::optional<Operation> said, int line) {
  if (said && about_.op && *said != *about_.op)
    fail(line, 1, fmt::format("a log of {}, where {} is asked for", operation_name(*said), operation_name(*about_.op)));
  if (!said && !about_.op)
    fail(line, 1,
         "the log does not say which operation it measured; say it beside the log: one of " + known_operations());
  table.op = said ? *said : about_.op.value_or(Operation::all_reduce);
  const auto agree = [&](int& of_log, int of_user, const char* what) {
    if (of_log != 0 && of_user != 0 && of_log != of_user)
      fail(line, 1, fmt::format("a log of {} {}, where {} are asked for", of_log, what, of_user));
    if (of_log == 0) of_log = of_user;
  };
  agree(table.ranks, about_.ranks, "ranks");
  agree(table.nodes, about_.nodes, "nodes");
}

void LogReader::check_sizes(const MeasuredTable& table) {
  for (std::size_t i = 1; i < table.rows.size(); ++i)
    if (table.rows[i].size_bytes <= table.rows[i - 1].size_bytes) {
      fail(table.rows[i].line, 1,
           fmt::format("size {} follows {}: sizes of a table should grow, each once (two runs in one table?)",
                       table.rows[i].size_bytes, table.rows[i - 1].size_bytes));
      return;
    }
}

std::vector<MeasuredTable> LogReader::finish(std::vector<MeasuredTable> tables) {
  std::ranges::stable_sort(errors_, {}, [](const Diagnostic& d) { return std::pair(d.line, d.column); });
  if (!errors_.empty()) throw InputErrors(std::move(errors_));
  return tables;
}

bool fits_factor(Operation op, int ranks, double algbw, double busbw) {
  const double factor = bus_factor(op, ranks);
  // Both are printed to the hundredth, large ones to fewer digits.
  const double slack = 0.006 * (1 + factor) + 0.002 * busbw;
  return std::abs(busbw - factor * algbw) <= slack;
}

std::string bandwidth_mistake(Operation op, int ranks, double size, double time_us, double algbw, double busbw) {
  const double rate = size / time_us / 1000;
  if (std::abs(rate - algbw) > 0.006 + 0.01 * rate)
    return fmt::format("algbw {} GB/s is not {} B in {} us, which is {:.4g}", algbw, size, time_us, rate);
  if (ranks > 0 && !fits_factor(op, ranks, algbw, busbw))
    return fmt::format("busbw {} GB/s is not algbw {} times {:.4g}, as {} among {} ranks has it", busbw, algbw,
                       bus_factor(op, ranks), operation_name(op), ranks);
  return {};
}

} // namespace gradflight::measured
