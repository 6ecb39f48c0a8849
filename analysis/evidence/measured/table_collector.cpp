// Converts raw tables: determines their operation and ranks, and handles contradictions.
#include "analysis/evidence/measured/log_reader.hpp"
#include "base/percentile.hpp"
#include "models/collectives/element_type.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace gradflight::measured {

namespace {

/// Limit per size. More samples are thinned out evenly, so that memory does not grow with the number of repetitions.
constexpr std::size_t most_samples = 4096;

const std::vector<Operation> all_operations = {Operation::all_reduce, Operation::all_gather, Operation::reduce_scatter,
                                               Operation::alltoall,   Operation::broadcast,  Operation::reduce,
                                               Operation::gather,     Operation::scatter,    Operation::sendrecv};

std::string names_of(const std::vector<Operation>& ops) {
  std::string text;
  for (const Operation op : ops) text += fmt::format("{}{}", text.empty() ? "" : ", ", operation_name(op));
  return text;
}

/// "all_reduce among 8 ranks, sendrecv": the operations that fit some number of ranks.
std::string fitting_groups(const FactorRange& factors, const std::vector<Operation>& ops) {
  std::string text;
  for (const Operation op : factors.operations(ops, 0)) {
    const auto [least, most] = factors.ranks(op);
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", operation_name(op),
                        least == most && least > 0 ? fmt::format(" among {} ranks", least) : "");
  }
  return text;
}

template <class Samples> void take_sample(Samples& samples, double out, std::optional<double> in) {
  if (samples.seen++ % samples.every != 0) return;
  samples.out.push_back(out);
  if (in) samples.in.push_back(*in);
  if (samples.out.size() < most_samples) return;
  for (auto* times : {&samples.out, &samples.in}) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < times->size(); i += 2) (*times)[kept++] = (*times)[i];
    times->resize(kept);
  }
  samples.every *= 2;
}

} // namespace

bool TableCollector::settle_operation(RawTable& raw) {
  MeasuredTable& table = raw.table;
  const int ranks = table.ranks > 0 ? table.ranks : about_.ranks;
  const auto told = raw.said ? raw.said : about_.op;
  if (told && !raw.possible.empty() &&
      std::ranges::none_of(raw.possible, [&](Operation op) { return is_reduction(op) == is_reduction(*told); })) {
    fail(table.line, 1,
         fmt::format("{} {}{}", raw.said ? "the log names" : "the command names", operation_name(*told),
                     is_reduction(*told) ? ", but its column redop names no reduction"
                                         : ", which reduces nothing, but its column redop names a reduction"));
    return false;
  }
  if (raw.said) {
    if (about_.op && *raw.said != *about_.op) {
      fail(table.line, 1,
           fmt::format("the log is of {}, but {} is requested", operation_name(*raw.said), operation_name(*about_.op)));
      return false;
    }
    table.op = *raw.said;
    return true;
  }
  const std::vector<Operation>& by_columns = raw.possible.empty() ? all_operations : raw.possible;
  const auto possible = raw.factors.operations(by_columns, ranks);
  const bool tells = !raw.possible.empty() || raw.factors.known();
  raw.op_assumed = !tells || possible.size() != 1;
  if (about_.op) {
    table.op = *about_.op;
    return true; // compared with the bandwidths together with the ranks
  }
  const auto fits = [&](Operation op) { return std::ranges::find(possible, op) != possible.end(); };
  if (tells && possible.size() == 1)
    table.op = possible.front();
  else if (about_.otherwise && (fits(*about_.otherwise) || !tells))
    table.op = *about_.otherwise;
  else {
    const bool asked = about_.otherwise && !possible.empty();
    left_out.add("operation", table.line, 1, [&] {
      if (tells && possible.empty() && ranks > 0)
        if (const std::string groups = fitting_groups(raw.factors, by_columns); !groups.empty())
          return fmt::format("{} of {} ranks, but {} fits {}",
                             table.ranks > 0 ? "the log has a list" : "the command names a group", ranks,
                             raw.factors.text(), groups);
      if (tells && possible.empty())
        return fmt::format("the operation of the table is unknown: no operation has these columns and {}",
                           raw.factors.text());
      return asked ? fmt::format("the table does not belong to {}: its columns and {} fit {}",
                                 operation_name(*about_.otherwise), raw.factors.text(), names_of(possible))
                   : fmt::format("the log does not name its operation{}; name it with `collective OP --against` or "
                                 "`calibrate --op OP`; OP is one of {}",
                                 tells && !possible.empty() ? ", and its columns fit several operations" : "",
                                 names_of(possible.empty() || !tells ? all_operations : possible));
    });
    return false;
  }
  return true;
}

bool TableCollector::settle_ranks(RawTable& raw) {
  MeasuredTable& table = raw.table;
  const auto agree = [&](int& of_log, int of_user, const std::string& what) {
    if (of_log != 0 && of_user != 0 && of_log != of_user) {
      fail(table.line, 1, fmt::format("the log is of {} {}, but {} are requested", of_log, what, of_user));
      return false;
    }
    if (of_log == 0) of_log = of_user;
    return true;
  };
  if (table.benchmark == Benchmark::collective && raw.factors.known()) {
    if (table.ranks == 0 && raw.factors.operations({table.op}, 0).empty()) {
      fail(table.line, 1,
           fmt::format("{} does not fit {} for any number of ranks", raw.factors.text(), operation_name(table.op)));
      return false;
    }
    const auto [least, most] = raw.factors.ranks(table.op);
    if (table.ranks == 0 && least == most && least > 0) {
      table.ranks = least;
      table.ranks_from = raw.factors.text();
    } else if (table.ranks == 0) {
      table.least_ranks = least;
      table.most_ranks = most;
    }
  }
  const std::string ranks_text = table.ranks_from.empty() ? "ranks" : fmt::format("ranks ({})", table.ranks_from);
  return agree(table.ranks, about_.ranks, ranks_text) && agree(table.nodes, about_.nodes, "nodes");
}

void TableCollector::leave_out_contradictions(RawTable& raw) {
  MeasuredTable& table = raw.table;
  if (raw.rates.empty() || table.ranks == 0) return;
  std::vector<bool> good(table.rows.size(), true);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    for (const Rate* rate : {&raw.rates[i].out, raw.rates[i].in ? &*raw.rates[i].in : nullptr}) {
      FactorRange range;
      if (rate == nullptr || !good[i]) continue;
      range.narrow(*rate);
      good[i] = !range.known() || range.holds(table.op, table.ranks);
      wrong += good[i] ? 0 : 1;
    }
  if (wrong == 0) return;
  const auto first = static_cast<std::size_t>(std::find(good.begin(), good.end(), false) - good.begin());
  const auto text = [&] {
    const Rate& rate = raw.rates[first].out;
    FactorRange range;
    range.narrow(rate);
    const auto [least, most] = range.ranks(table.op);
    return fmt::format("busbw / algbw is {:.4g}, but should be {:.4g} for {} among {} ranks{}",
                       rate.busbw.value / rate.algbw.value, bus_factor(table.op, table.ranks), operation_name(table.op),
                       table.ranks, least == most && least > 0 ? fmt::format(" (it fits {} ranks)", least) : "");
  };
  if (2 * wrong > table.rows.size()) {
    fail(table.rows[first].line, 1, text());
    table.rows.clear();
    return;
  }
  left_out.add("factor", table.rows[first].line, 1, [&] { return fmt::format("{}: the row is left out", text()); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < good.size(); ++i)
    if (good[i]) table.rows[kept++] = table.rows[i];
  table.rows.resize(kept);
}

TableCollector::Merged& TableCollector::merged_with(const MeasuredTable& table) {
  std::string key = fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", static_cast<int>(table.benchmark),
                                operation_name(table.op), table.ranks, table.nodes, table.size_of_a_rank, table.type,
                                table.algorithm, table.protocol, table.run);
  for (const auto& [name, value] : table.labels) key += fmt::format("\n{}={}", name, value);
  const auto [found, added] = by_key_.try_emplace(std::move(key), merged_.size());
  if (added) {
    merged_.push_back({table, {}});
    merged_.back().table.rows.clear();
  }
  return merged_[found->second];
}

/// Whether the table may be a repetition of those that it would be merged with. If the log names no operation, a
/// table under another header with very different times is probably of another operation.
bool TableCollector::may_repeat(Merged& merged, const RawTable& raw) {
  if (!raw.op_assumed || raw.header_line == 0) return true;
  if (merged.header_line == 0 || merged.header_line == raw.header_line) {
    merged.header_line = raw.header_line;
    for (const MeasuredRow& row : raw.table.rows) merged.times.try_emplace(row.size_bytes, row.time_us);
    return true;
  }
  std::map<double, double> by_size;
  for (const MeasuredRow& row : raw.table.rows)
    if (const auto first = merged.times.find(row.size_bytes); first != merged.times.end())
      by_size[static_cast<double>(row.size_bytes)] = row.time_us / first->second;
  if (by_size.empty()) return true;
  std::vector<double> ratios;
  for (const auto& [size, ratio] : by_size) ratios.push_back(ratio);
  const std::vector<double> of_large(ratios.begin() + std::ssize(ratios) / 2, ratios.end()); // vary less, call to call
  // Repetitions of one operation differ less.
  const auto near = [](double ratio, double most) { return ratio <= most && ratio >= 1 / most; };
  const double of_all = percentile(ratios, 0.5), of_largest = percentile(of_large, 0.5);
  if (near(of_all, 2) && near(of_largest, 1.25)) return true;
  const double ratio = near(of_all, 2) ? of_largest : of_all;
  fail(raw.header_line, 1,
       fmt::format("the times of this table are {:.2g} times those of the table in line {}, and the log does not name "
                   "the operation of either: they seem to be of different operations. Write one table into each file, "
                   "or the command above each table, such as \"{}_perf\"",
                   ratio, merged.header_line, operation_name(raw.table.op)));
  return false;
}

void TableCollector::add(RawTable raw) {
  raw.table.file = path_;
  if (raw.table.rows.empty() || !settle_operation(raw) || !settle_ranks(raw)) return;
  leave_out_contradictions(raw);
  if (raw.table.rows.empty()) return;
  if (const std::string& type = raw.table.type; !type.empty() && !element_type_named(type))
    left_out.add("type", raw.table.line, 1, [&] {
      return fmt::format("the element type \"{}\" is not known: elements of 4 bytes are assumed", type);
    });
  if (raw.table.benchmark == Benchmark::collective && raw.table.size_of_a_rank && !counts_blocks(raw.table.op))
    raw.table.size_of_a_rank = false;
  Merged& merged = merged_with(raw.table);
  if (!may_repeat(merged, raw)) return;
  for (const MeasuredRow& row : raw.table.rows) {
    const auto [found, added] = merged.rows.try_emplace(row.size_bytes, row, Samples{});
    take_sample(found->second.second, row.time_us, row.inplace_time_us);
    if (added) continue;
    left_out.add("repeats", row.line, 1, [&row, first_line = found->second.first.line] {
      return fmt::format("size {} was also measured in line {}: the median is used", row.size_bytes, first_line);
    });
  }
}

std::vector<MeasuredTable> TableCollector::finish(int last_line, std::vector<Diagnostic>* notes) {
  std::vector<MeasuredTable> tables;
  for (Merged& each : merged_) {
    for (auto& [size, kept] : each.rows) {
      auto& [row, samples] = kept;
      row.time_us = percentile(samples.out, 0.5);
      if (!samples.in.empty()) row.inplace_time_us = percentile(samples.in, 0.5);
      each.table.rows.push_back(row);
    }
    tables.push_back(std::move(each.table));
  }
  const auto found = left_out.diagnostics();
  if (tables.empty()) errors_.insert(errors_.end(), found.begin(), found.end());
  if (tables.empty() && errors_.empty()) fail(last_line, 1, "the log ends before its first row");
  std::ranges::stable_sort(errors_, {}, [](const Diagnostic& d) { return std::pair(d.line, d.column); });
  if (!errors_.empty()) throw InputErrors(std::move(errors_));
  if (notes != nullptr) notes->insert(notes->end(), found.begin(), found.end());
  return tables;
}

} // namespace gradflight::measured
