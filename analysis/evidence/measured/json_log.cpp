// Reads nccl-tests' JSON (-J FILE, version 2) and rccl-tests' JSON (-Z json: an object per line, or a list of objects).
#include "analysis/evidence/measured/log_reader.hpp"
#include "base/csv.hpp"
#include "base/finite_text.hpp"
#include "base/letters.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace gradflight::measured {

namespace {

using Json = nlohmann::json;

/// Returns a member of an object by name; ignores case and "_"; null if it does not exist.
const Json* member(const Json& object, std::string_view name) {
  if (!object.is_object()) return nullptr;
  for (const auto& [key, value] : object.items()) {
    std::string letters = lower_case(key);
    std::erase(letters, '_');
    if (letters == name) return &value;
  }
  return nullptr;
}

std::optional<Printed> number_in(const Json* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is_number()) return printed_number(value->dump());
  return value->is_string() ? printed_number(value->get_ref<const std::string&>()) : std::nullopt;
}

int count_in(const Json* value) {
  const auto number = number_in(value);
  return number && number->value >= 1 && number->value <= 1e7 ? static_cast<int>(number->value) : 0;
}

std::string text_in(const Json* value) {
  if (value == nullptr || !value->is_string()) return {};
  std::string text = printable(value->get_ref<const std::string&>());
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

class JsonTables {
public:
  explicit JsonTables(TableCollector& tables) : tables_(tables) {}

  bool report(const Json& root) {
    const Json* results = member(root, "results");
    if (results == nullptr || !results->is_array() || member(root, "args") == nullptr) return false;
    lines_ = false;
    about_run(root);
    for (const Json& result : *results) {
      ++number_;
      RawTable raw = run_;
      raw.said = operation_of(text_in(member(result, "experimentname")));
      if (!raw.said) raw.said = program_;
      row(result, member(result, "outofplace"), member(result, "inplace"), raw);
    }
    return true;
  }

  /// Reads one object of rccl-tests: half a row.
  bool half_row(const Json& object, int line) {
    if (member(object, "size") == nullptr || member(object, "busbw") == nullptr) return false;
    number_ = line;
    lines_ = true;
    RawTable raw;
    raw.said = operation_of(text_in(member(object, "name")));
    if (!raw.said) raw.said = operation_of(text_in(member(object, "collective")));
    raw.table.ranks = count_in(member(object, "ranks"));
    raw.table.nodes = count_in(member(object, "nodes"));
    if (raw.table.ranks == 0) {
      raw.table.ranks = count_in(member(object, "gpus"));
      raw.table.nodes = raw.table.ranks > 0 ? 1 : 0;
    }
    const Json* place = member(object, "inplace");
    const bool in_place = place != nullptr && ((place->is_boolean() && place->get<bool>()) || count_in(place) == 1 ||
                                               lower_case(text_in(place)) == "true");
    if (!in_place) {
      row(object, &object, nullptr, raw);
      return true;
    }
    // The previous row is the same size out of place.
    Rate rate;
    if (open_.rates.empty() || open_.rates.back().in || !half(object, &object, rate, true)) return true;
    if (open_.table.rows.back().size_bytes != rate.size) return true;
    open_.table.rows.back().inplace_time_us = rate.time_us.value;
    open_.factors.narrow(rate);
    open_.rates.back().in = rate;
    return true;
  }

  void end() {
    if (!open_.table.rows.empty()) tables_.add(std::move(open_));
    open_ = {};
  }

private:
  void about_run(const Json& root) {
    std::set<int> ranks;
    std::set<std::string> hosts;
    if (const Json* config = member(root, "config"))
      if (const Json* devices = member(*config, "devices"); devices != nullptr && devices->is_array())
        for (const Json& device : *devices) {
          ranks.insert(static_cast<int>(number_in(member(device, "rank")).value_or(Printed{}).value));
          hosts.insert(text_in(member(device, "hostname")));
          run_.table.gpu = text_in(member(device, "deviceinfo"));
        }
    run_.table.ranks = static_cast<int>(ranks.size());
    run_.table.nodes = static_cast<int>(hosts.size());
    if (const Json* args = member(root, "args"); args->is_array() && !args->empty())
      program_ = operation_in(std::string_view(text_in(&args->front())).substr(text_in(&args->front()).rfind('/') + 1));
    if (const Json* env = member(root, "env"); env != nullptr && env->is_array())
      for (const Json& setting : *env) {
        if (auto value = setting_in(text_in(&setting), "NCCL_ALGO"); !value.empty()) run_.table.algorithm = value;
        if (auto value = setting_in(text_in(&setting), "NCCL_PROTO"); !value.empty()) run_.table.protocol = value;
      }
    if (const Json* errors = member(root, "errors"); errors != nullptr && errors->is_array() && !errors->empty())
      tables_.left_out.add("aborted", 0, 0,
                           [&] { return std::string("the benchmark reports errors; only complete rows are used"); });
  }

  template <class Message> bool leave(const char* kind, Message message) {
    tables_.left_out.add(kind, lines_ ? number_ : 0, lines_ ? 1 : 0, message);
    return false;
  }

  /// Reads the times of one half; returns false if it is incomplete.
  /// `in_place`: the other half was read, and stays.
  bool half(const Json& row, const Json* times, Rate& rate, bool in_place = false) {
    if (times == nullptr || !times->is_object()) return false;
    const auto size = number_in(member(row, "size"));
    const auto time = number_in(member(*times, "time"));
    const auto algbw = number_in(member(*times, "algbw")), busbw = number_in(member(*times, "busbw"));
    if (!size || !(size->value >= 0) || std::floor(size->value) != size->value || !time || !(time->value > 0) ||
        !algbw || !busbw || algbw->value < 0 || busbw->value < 0)
      return leave(member(*times, "cputime") != nullptr ? "cpu time"
                   : in_place                           ? "in place"
                                                        : "cut",
                   [&] {
                     if (member(*times, "cputime") != nullptr)
                       return std::string(
                           "rows of the processor's time (-C) are left out: it is not the time of the operation");
                     if (in_place) return std::string("the in-place half of a row is incomplete and is left out");
                     const char* const missing = !size || !(size->value >= 0)  ? "size"
                                                 : !time || !(time->value > 0) ? "time"
                                                 : !algbw || algbw->value < 0  ? "algbw"
                                                 : !busbw || busbw->value < 0  ? "busbw"
                                                                               : "size";
                     return fmt::format("a row is left out: its {} is missing or is not a number above 0", missing);
                   });
    if (size->value == 0) return leave("zero", [] { return std::string("a row of size 0 is left out"); });
    const Json* wrong = member(*times, "nwrong") != nullptr ? member(*times, "nwrong") : member(*times, "wrong");
    if (const auto count = number_in(wrong); count && count->value != 0)
      return leave(in_place ? "wrong in place" : "wrong", [&] {
        return in_place
                   ? std::string("elements were wrong in place: that half of the row is left out")
                   : fmt::format("{} elements were wrong: the row is left out, because such a run measures nothing",
                                 count->value);
      });
    rate = {size->value, *time, *algbw, *busbw, number_};
    return rate.consistent() || leave(in_place ? "algbw in place" : "algbw", [&] {
             return fmt::format("algbw {} GB/s contradicts {} B in {} us: {} is left out", algbw->value, size->value,
                                time->value, in_place ? "that half of the row" : "the row");
           });
  }

  void row(const Json& result, const Json* out, const Json* in, RawTable& raw) {
    RawTable::Rates rates;
    const bool only_in = out != nullptr && out->is_null();
    if (!half(result, only_in ? in : out, rates.out)) return;
    raw.table.type = text_in(member(result, "type"));
    if (const auto count = number_in(member(result, "count"))) {
      std::string why = count_mistake(fmt::format("{}", count->value), raw.table.type, rates.out.size);
      if (!why.empty() && !leave("elements", [&] { return why; })) return;
    }
    const std::string redop = text_in(member(result, "redop"));
    const bool sums = !redop.empty() && redop != "none";
    if (sums) raw.table.labels.emplace_back("redop", printable(redop));
    const bool rooted = number_in(member(result, "root")).value_or(Printed{-1, 0}).value >= 0;
    if (!raw.said)
      for (const Operation op :
           {Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter, Operation::alltoall,
            Operation::broadcast, Operation::reduce, Operation::gather, Operation::scatter, Operation::sendrecv})
        if (is_reduction(op) == sums && has_root(op) == rooted) raw.possible.push_back(op);
    const MeasuredTable &now = open_.table, &next = raw.table;
    const bool same = !now.rows.empty() && open_.said == raw.said && now.type == next.type && now.ranks == next.ranks &&
                      now.nodes == next.nodes && now.labels == next.labels &&
                      rates.out.size > now.rows.back().size_bytes;
    if (!same) {
      end();
      open_ = std::move(raw);
      open_.table.line = lines_ ? number_ : 1;
    }
    MeasuredRow measured;
    measured.size_bytes = rates.out.size;
    measured.time_us = rates.out.time_us.value;
    measured.line = lines_ ? number_ : 1;
    Rate second;
    if (!only_in && in != nullptr && !in->is_null() && half(result, in, second, true)) {
      measured.inplace_time_us = second.time_us.value;
      rates.in = second;
      open_.factors.narrow(second);
    }
    open_.factors.narrow(rates.out);
    open_.table.rows.push_back(measured);
    open_.rates.push_back(rates);
  }

  TableCollector& tables_;
  RawTable run_, open_;
  std::optional<Operation> program_;
  int number_ = 0;
  bool lines_ = false; ///< the objects are small, so line numbers give useful positions
};

/// The interface of GzipText, for text in memory.
class TextInMemory {
public:
  explicit TextInMemory(std::string_view text) : text_(text) {}
  [[nodiscard]] bool at_end() const { return text_.empty(); }
  [[nodiscard]] char peek() const { return text_.empty() ? '\0' : text_.front(); }
  void advance() { text_.remove_prefix(std::min<std::size_t>(1, text_.size())); }

private:
  std::string_view text_;
};

/// Accepts nan and inf, which JSON does not have: benchmarks print them for a rate or count without a value.
Json parsed(std::string_view text) {
  Json strict = Json::parse(text, nullptr, false);
  if (!strict.is_discarded()) return strict;
  TextInMemory memory(text);
  FiniteText finite(memory);
  return Json::parse(FiniteCursor(finite), FiniteCursor<TextInMemory>(), nullptr, false);
}

/// Returns the complete part of a report that ends early because of an aborted run.
Json repaired(std::string_view text) {
  const std::size_t last = text.rfind("\"experiment_name\"");
  const std::size_t end = last == std::string_view::npos ? last : text.find('}', last);
  if (end == std::string_view::npos) return Json(Json::value_t::discarded);
  return parsed(std::string(text.substr(0, end + 1)) + "]}");
}

/// Returns the end of the object that begins at the text's first byte; npos if it has no end.
std::size_t object_end(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && c == '{')
      ++depth;
    else if (!quoted && c == '}' && --depth == 0)
      return i + 1;
  }
  return std::string_view::npos;
}

/// Finds objects in text; ignores the text between them: fences of code blocks, prompts, labels, brackets of a list.
class JsonObjects {
public:
  JsonObjects(std::string_view text, TableCollector& tables, JsonTables& reader)
      : text_(text), tables_(tables), reader_(reader) {}

  /// Returns whether any object belonged to a log.
  bool read() {
    while (!text_.empty()) {
      const std::size_t brace = std::min(text_.find('{'), text_.size());
      const std::size_t before = text_.substr(0, brace).find_last_not_of(" \t,[");
      const bool starts_line = before == std::string_view::npos || text_[before] == '\n';
      skip(brace);
      if (text_.empty()) break;
      if (!whole_object() && !rest_of_line() && !cut_report()) {
        if (known_ && starts_line)
          tables_.left_out.add("cut", line_, 1, [] { return std::string("an incomplete JSON line is left out"); });
        skip(std::min(text_.find('\n'), text_.size()));
      }
    }
    return known_;
  }

private:
  void skip(std::size_t bytes) {
    line_ += static_cast<int>(std::ranges::count(text_.substr(0, bytes), '\n'));
    text_.remove_prefix(bytes);
  }
  bool take(const Json& object, std::size_t bytes) {
    if (!object.is_object()) return false;
    known_ = reader_.report(object) || reader_.half_row(object, line_) || known_;
    skip(bytes);
    return true;
  }
  /// Reads an object of any number of lines. A report may have any size, and half a row is small.
  bool whole_object() {
    constexpr std::size_t half_row_bytes = 1U << 14U;
    const std::string_view candidate = text_.substr(0, may_be_report() ? text_.size() : half_row_bytes);
    const std::size_t end = object_end(candidate);
    return end != std::string_view::npos && take(parsed(candidate.substr(0, end)), end);
  }
  /// Reads an object on one line if quotes and braces of earlier lines do not match.
  bool rest_of_line() {
    const std::size_t end = text_.substr(0, text_.find('\n')).rfind('}');
    return end != std::string_view::npos && take(parsed(text_.substr(0, end + 1)), end + 1);
  }
  bool cut_report() {
    if (!may_be_report()) return false;
    const Json object = repaired(text_);
    no_report_ = object.is_discarded() || !take(object, text_.size());
    if (no_report_) return false;
    tables_.left_out.add("aborted", 0, 0, [] {
      return std::string("the report ends early because the run was aborted; only complete rows are used");
    });
    return true;
  }
  /// Whether the rest of the text contains "results"; searches each part only once.
  [[nodiscard]] bool may_be_report() {
    if (no_report_) return false;
    const auto here = static_cast<std::size_t>(text_.data() - begin_);
    if (results_at_ < here || !searched_) {
      const std::size_t found = text_.find("\"results\"");
      results_at_ = found == std::string_view::npos ? found : here + found;
      searched_ = true;
    }
    return results_at_ != std::string_view::npos;
  }

  std::string_view text_;
  TableCollector& tables_;
  JsonTables& reader_;
  const char* begin_ = text_.data();
  std::size_t results_at_ = 0; ///< offset of the next "results"; npos: none left
  int line_ = 1;
  bool known_ = false, no_report_ = false, searched_ = false;
};

} // namespace

bool read_json_log(std::string_view text, TableCollector& tables) {
  JsonTables reader(tables);
  const bool known = JsonObjects(text, tables, reader).read();
  reader.end();
  return known;
}

} // namespace gradflight::measured
