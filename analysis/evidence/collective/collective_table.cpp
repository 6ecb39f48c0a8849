#include "analysis/evidence/collective/collective_table.hpp"

#include "analysis/evidence/collective/collective_bounds.hpp"
#include "analysis/evidence/collective/plain_call.hpp"
#include "base/nearest_name.hpp"
#include "platforms/code/doubtful_values.hpp"
#include "scenarios/language/decode/load.hpp"
#include "scenarios/language/decode/machines.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "sim/group/group_time.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace gradflight {

namespace {

/// Returns the library in the request, or that of the platform's GPUs; absent: plain schedules.
std::optional<LibraryName> library_of(const CollectiveRequest& request, const CollectiveGroup& group) {
  if (request.algorithm.empty()) return group.ranks() > 1 ? own_library(group.spec) : std::nullopt;
  return library_named(request.algorithm);
}

/// Computes the mean time of several calls in a row. nccl-tests waits only for the last one, and the root of a call
/// starts the next one while the last is still in progress. So the distance of calls with a root depends on their
/// busiest link. All other calls wait for each other.
GroupTime mean_of_calls(GroupTimes& times, GroupWork work, const GroupTime& alone, int calls) {
  const auto time_of = [&](int repeats) {
    work.repeats = repeats;
    return times.time(work);
  };
  // The pace is taken from a few calls, the third to the ninth if the first ones are not alike.
  constexpr double alike = 0.01;
  GroupTime first = alone, all = time_of(std::min(calls, 3));
  int few = 1, more = std::min(calls, 3);
  if (calls >= 9) {
    const double to_second = time_of(2).seconds - alone.seconds, to_third = all.seconds - alone.seconds - to_second;
    if (std::abs(to_second - to_third) > alike * std::max(to_second, to_third)) {
      first = all;
      all = time_of(9);
      few = 3;
      more = 9;
    }
  }
  GroupTime mean;
  const double others = all.seconds > first.seconds ? static_cast<double>(calls - more) / (more - few) : 0;
  mean.add(all, (1 + others) / calls);
  mean.add(first, -others / calls);
  if (!(mean.seconds < alone.seconds)) mean = alone;
  mean.uneven = std::max(all.uneven, alone.uneven);
  return mean;
}

CollectiveRow library_row(const Library& library, Operation op, std::int64_t elements, const CollectiveRequest& request,
                          const CollectiveGroup& group, GroupTimes& times, PlainForms& forms) {
  const int element_size = request.element_size;
  const LibraryCall call = library.call(op, elements, element_size);
  CollectiveRow row;
  row.size_bytes = elements * element_size;
  row.count = counts_blocks(op) ? elements / group.ranks() : elements;
  row.algorithm = call.algorithm;
  row.protocol = call.protocol;
  row.channels = call.channels;
  row.why = call.why;
  row.model_time_us = call.model_time_us;
  if (call.plain) forms.fill(*call.plain->row, call.plain->spec, row);
  GroupWork work{call.schedule.get(), row.algorithm, group.places, static_cast<double>(element_size), 0, call.hops};
  if (call.plain && group.spec.message_bytes) work.message_bytes = group.spec.message_bytes->value();
  for (int node = 0; node < call.switches(); ++node)
    work.place.push_back(group.platform.nvswitch_place(node).value_or(0));
  GroupTime time = times.time(work);
  if (has_root(op) && !call.protocol.empty() && request.iterations > 1)
    time = mean_of_calls(times, work, time, request.iterations);
  if (time.uneven > 0)
    row.why += fmt::format("; repeated parts differ by up to {:.1g} %, so their mean counts", 100 * time.uneven);
  row.time_us = (call.launch + time.seconds) * 1e6;
  at(time.path, Part::host) += call.launch;
  time.details.launching += call.launch;
  const bool own_hops = call.launch > 0 || call.hops.inside.seconds > 0 || call.hops.between.seconds > 0;
  row.bound_by = bound_by(group.spec, {time.path, time.held, time.details}, own_hops, call.hops.copy_rate > 0);
  fill_bandwidths(op, group.ranks(), row);
  return row;
}

std::vector<double> asked_sizes(const CollectiveRequest& request) {
  if (!request.sizes.empty()) return request.sizes;
  std::vector<double> sizes;
  double size = request.begin;
  while (size <= request.end) {
    sizes.push_back(size);
    size *= request.factor;
  }
  return sizes;
}

/// Returns the names of libraries, and of the plain schedules that serve one of the operations.
std::vector<std::string> algorithm_names(const std::vector<Operation>& ops) {
  std::vector<std::string> known = library_names();
  for (const Collective* row : group_collectives()) {
    if (std::ranges::none_of(ops, row->group.serves)) continue;
    known.emplace_back(row->name);
    if (!row->alias.empty()) known.emplace_back(row->alias);
  }
  return known;
}

std::string unknown_algorithm(const std::string& name, const std::vector<std::string>& known) {
  return fmt::format("--algorithm {}: unknown algorithm{}", name, did_you_mean(name, known));
}

void add_plain_mistakes(const CollectiveRequest& request, std::vector<std::string>& wrong) {
  if (!request.protocol.empty())
    wrong.emplace_back(
        "--protocol: a plain schedule has no protocol; leave it out, or choose --algorithm nccl or rccl");
  if (request.channels > 0)
    wrong.emplace_back(
        "--channels: a plain schedule has no channels; leave it out, or choose --algorithm nccl or rccl");
}

void check_plain(const CollectiveRequest& request, const CollectiveGroup& group, std::vector<std::string>& wrong) {
  const Collective* algorithm = group_collective(request.algorithm);
  const bool known = algorithm != nullptr || request.algorithm.empty();
  const auto names = algorithm_names(request.ops);
  if (known || !library_named(nearest_name(request.algorithm, names))) add_plain_mistakes(request, wrong);
  if (!known) wrong.push_back(unknown_algorithm(request.algorithm, names));
  if (algorithm == nullptr) return;
  for (const Operation op : request.ops)
    if (std::string why = cannot(*algorithm, op, group); !why.empty()) wrong.push_back(std::move(why));
}

/// Returns the schedule of a file that replaces an algorithm.
std::shared_ptr<const WrittenSchedule> checked_file(const CollectiveRequest& request, const CollectiveGroup& group) {
  std::vector<std::string> wrong;
  add_plain_mistakes(request, wrong);
  refuse(std::move(wrong));
  return load_schedule(request.algorithm, [&](const WrittenSchedule& schedule) {
    std::vector<PlatformError> errors;
    for (const Operation op : request.ops)
      if (op != schedule.operation)
        errors.push_back({"/operation", fmt::format("the schedule is for {}, but {} is requested",
                                                    operation_name(schedule.operation), operation_name(op))});
    if (schedule.ranks != group.ranks())
      errors.push_back(
          {"/ranks", fmt::format("the schedule is for {} ranks, but the group has {}", schedule.ranks, group.ranks())});
    return errors;
  });
}

std::string file_name(const CollectiveRequest& request) {
  return std::filesystem::path(request.algorithm).filename().string();
}

} // namespace

std::int64_t counted_elements(Operation op, double bytes, int element_size, int ranks) {
  const auto elements = static_cast<std::int64_t>(bytes / element_size);
  return counts_blocks(op) ? elements / ranks * ranks : elements;
}

CollectiveSource check_request(const CollectiveRequest& request, const CollectiveGroup& group) {
  std::vector<std::string> wrong;
  if (names_file(request.algorithm)) return {{}, checked_file(request, group)};
  const auto name = library_of(request, group);
  const LibrarySettings settings{request.protocol, request.channels};
  const LibraryRanks ranks{group.nodes, group.gpus_per_node};
  if (name) {
    wrong = library_mistakes(*name, settings, group.spec, ranks);
  } else {
    check_plain(request, group, wrong);
    if (group.ranks() < 2) wrong.emplace_back("a collective needs at least two ranks");
  }
  refuse(std::move(wrong));
  if (!name) return {};
  Library library(*name, settings, group.spec, ranks);
  std::vector<std::string> refused;
  for (const Operation op : request.ops)
    if (std::string why = library.refused(op); !why.empty()) refused.push_back(std::move(why));
  refuse(std::move(refused));
  return {std::move(library), {}};
}

void require_known_algorithm(const CollectiveRequest& request) {
  const std::string& name = request.algorithm;
  if (name.empty() || names_file(name) || library_named(name) || group_collective(name) != nullptr) return;
  refuse({unknown_algorithm(name, algorithm_names(request.ops))});
}

void require_sizes(const CollectiveRequest& request, const CollectiveGroup& group) {
  const std::vector<double> sizes = asked_sizes(request);
  std::vector<std::string> wrong;
  for (const Operation op : request.ops) {
    const auto has_element = [&](double bytes) {
      return counted_elements(op, bytes, request.element_size, group.ranks()) > 0;
    };
    if (std::ranges::any_of(sizes, has_element)) continue;
    const int ranks = counts_blocks(op) ? group.ranks() : 1;
    wrong.push_back(fmt::format("{} has no element {}at the sizes from {} B to {} B: give a size of at least {} B",
                                operation_name(op), ranks > 1 ? fmt::format("for each of {} ranks ", ranks) : "",
                                request.begin, request.end, request.element_size * ranks));
  }
  refuse(std::move(wrong));
}

CollectiveTable collective_table(const CollectiveRequest& request, Operation op, const CollectiveGroup& group,
                                 const CollectiveSource& source, const RowSink& sink) {
  CollectiveTable table{op, group.name, group.ranks(), group.nodes, request.element_size, {}, request.type};
  if (group.spec.node && source.library && source.library->setup() != nullptr)
    table.spreads = measured_spreads(*group.spec.node, group.nodes);
  table.warnings = doubtful_values(group.spec);
  const Collective* algorithm = group_collective(request.algorithm);
  GroupTimes times(group.spec, group.platform);
  PlainForms forms(group, request.element_size);
  std::int64_t last = 0;
  for (const double bytes : asked_sizes(request)) {
    const std::int64_t elements = counted_elements(op, bytes, request.element_size, group.ranks());
    if (elements == 0 || elements == last) continue;
    last = elements;
    CollectiveRow row = source.library ? library_row(*source.library, op, elements, request, group, times, forms)
                        : source.written
                            ? written_row(source.written, file_name(request), op, elements, request.element_size, group)
                        : algorithm != nullptr ? plain_row(*algorithm, op, elements, request.element_size, group, forms)
                                               : fastest_row(op, elements, request.element_size, group, forms);
    if (sink) sink(row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

} // namespace gradflight
