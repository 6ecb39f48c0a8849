#include "analysis/collective/collective_table.hpp"

#include "analysis/collective/nccl_machine.hpp"
#include "analysis/collective/plain_call.hpp"
#include "models/nearest_name.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "sim/group/simulate_group.hpp"
#include "sim/schedules/nccl/nccl_call.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {

namespace {

constexpr std::string_view nccl_name = "nccl";

bool by_nccl(const CollectiveRequest& request, const CollectiveGroup& group) {
  return request.algorithm.starts_with(nccl_name) ||
         (request.algorithm.empty() && group.spec.node && group.ranks() > 1);
}

/// The word behind "nccl:".
std::string forced_name(const CollectiveRequest& request) {
  const auto colon = request.algorithm.find(':');
  return colon == std::string::npos ? std::string() : request.algorithm.substr(colon + 1);
}

/// Rings, trees and, in one node, NVLS: what is simulated.
nccl::Machine simulated_part(nccl::Machine machine) {
  machine.collnet = false;
  machine.nvls = machine.nvls && machine.nodes == 1;
  return machine;
}

/// Without PAT, of which no call is made.
nccl::Tuning simulated_part(nccl::Tuning tuning) {
  for (auto& of_operation : tuning.costs)
    for (nccl::Cost& cost : of_operation[static_cast<std::size_t>(nccl::Algorithm::pat)])
      cost = {0, 0, cost.why_not.empty() ? "its calls are not simulated" : cost.why_not};
  return tuning;
}

class NcclTable {
public:
  /// `setup` must outlive it.
  NcclTable(const CollectiveRequest& request, const CollectiveGroup& group, const NcclSetup& setup)
      : group_(group), machine_(setup.machine), graphs_(setup.graphs), tuning_(setup.tuning) {
    forced_.algorithm = nccl::algorithm_named(forced_name(request));
    forced_.protocol = nccl::protocol_named(request.protocol);
    forced_.channels = request.channels;
  }

  /// Why what is forced cannot serve; empty: it does.
  [[nodiscard]] std::string refused(Operation op) const {
    return nccl::has_table(op) ? nccl::choose(tuning_, op, 1, forced_).refused : std::string();
  }

  [[nodiscard]] CollectiveRow row(Operation op, std::int64_t elements, int element_size) const {
    CollectiveRow row;
    row.size_bytes = elements * element_size;
    row.count = counts_blocks(op) ? elements / group_.ranks() : elements;
    if (nccl::has_table(op))
      with_table(op, elements, element_size, row);
    else
      exchange(op, elements, element_size, row);
    fill_bandwidths(op, group_.ranks(), row);
    return row;
  }

private:
  void with_table(Operation op, std::int64_t elements, int element_size, CollectiveRow& row) const {
    const nccl::Choice choice = nccl::choose(tuning_, op, static_cast<double>(row.size_bytes), forced_);
    row.algorithm = fmt::format("nccl:{}", nccl::algorithm_name(choice.algorithm));
    row.protocol = nccl::protocol_name(choice.protocol);
    row.channels = choice.channels;
    row.why = choice.why;
    row.model_time_us = choice.time_us;
    if (choice.algorithm == nccl::Algorithm::nvls) return in_switch(op, elements, element_size, row);
    simulate(make_nccl_call(machine_, graphs_, tuning_, op, elements, element_size, choice), element_size, row);
  }

  void exchange(Operation op, std::int64_t elements, int element_size, CollectiveRow& row) const {
    row.algorithm = "nccl:sendrecv";
    row.why = "sends and receives in one group";
    simulate(make_nccl_exchange(machine_, graphs_, op, elements, element_size), element_size, row);
  }

  /// NVLS inside a node: plain NVLS at the switch's efficiency.
  void in_switch(Operation op, std::int64_t elements, int element_size, CollectiveRow& row) const {
    GroupSpec spec;
    spec.op = op;
    spec.ranks = group_.ranks();
    spec.counts = BlockCounts::whole(elements);
    spec.chunk = std::max<std::int64_t>(1, elements / 64);
    NcclCall call = make_nvls_call(machine_);
    call.schedule = make_group_schedule(*group_algorithm(op == Operation::all_reduce ? "nvls" : "in_switch"), spec);
    simulate(std::move(call), element_size, row);
  }

  void simulate(NcclCall call, int element_size, CollectiveRow& row) const {
    GroupWork work{call.schedule.get(), row.algorithm, group_.places, static_cast<double>(element_size), 0, call.hops};
    if (call.schedule->members() > call.schedule->ranks())
      work.place.push_back(group_.platform.nvswitch_place(0).value_or(0));
    row.time_us = (call.launch + simulate_group(group_.spec, group_.platform, work).time) * 1e6;
  }

  const CollectiveGroup& group_;
  const nccl::Machine& machine_;
  const nccl::Graphs& graphs_;
  const nccl::Tuning& tuning_;
  nccl::Forced forced_;
};

NcclSetup nccl_setup(const CollectiveGroup& group) {
  nccl::Machine machine = simulated_part(nccl_machine(group));
  nccl::Graphs graphs = nccl::search(machine);
  nccl::Tuning tuning = simulated_part(nccl::tune(machine, graphs));
  return {std::move(machine), std::move(graphs), std::move(tuning)};
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

std::string unknown_algorithm(const std::string& name) {
  std::vector<std::string> known{std::string(nccl_name)};
  for (const GroupAlgorithm& row : group_algorithms()) known.emplace_back(row.name);
  const std::string near = nearest_name(name, known);
  return fmt::format("--algorithm {}: there is none of that name{} Known: {}, nccl:ring, nccl:tree, nccl:nvls", name,
                     near.empty() ? "." : fmt::format("; did you mean {}?", near), fmt::join(known, ", "));
}

void check_nccl(const CollectiveRequest& request, const CollectiveGroup& group, std::vector<std::string>& wrong) {
  const std::string forced = forced_name(request);
  if (request.algorithm != nccl_name && !forced.empty() && !nccl::algorithm_named(forced))
    wrong.push_back(
        fmt::format("--algorithm {}: NCCL's are {}", request.algorithm, fmt::join(nccl::algorithm_names, ", ")));
  if (!request.protocol.empty() && !nccl::protocol_named(request.protocol))
    wrong.push_back(
        fmt::format("--protocol {}: NCCL's are {}", request.protocol, fmt::join(nccl::protocol_names, ", ")));
  if (!group.spec.node) {
    wrong.emplace_back("nccl chooses by the links inside the machines: the platform needs \"node\", or is a machine of "
                       "the catalogue");
    return;
  }
  for (const std::string& mistake : nccl::mistakes_of(nccl_machine(group))) wrong.push_back(mistake);
}

void check_plain(const CollectiveRequest& request, const CollectiveGroup& group, std::vector<std::string>& wrong) {
  if (!request.protocol.empty()) wrong.emplace_back("--protocol: plain schedules have none");
  if (request.channels > 0) wrong.emplace_back("--channels: plain schedules have none");
  if (request.algorithm.empty()) return;
  const GroupAlgorithm* algorithm = group_algorithm(request.algorithm);
  if (algorithm == nullptr) {
    wrong.push_back(unknown_algorithm(request.algorithm));
    return;
  }
  for (const Operation op : request.ops)
    if (std::string why = cannot(*algorithm, op, group); !why.empty()) wrong.push_back(std::move(why));
}

} // namespace

std::int64_t counted_elements(Operation op, double bytes, int element_size, int ranks) {
  const auto elements = static_cast<std::int64_t>(bytes / element_size);
  return counts_blocks(op) ? elements / ranks * ranks : elements;
}

std::optional<NcclSetup> check_request(const CollectiveRequest& request, const CollectiveGroup& group) {
  std::vector<std::string> wrong;
  if (by_nccl(request, group))
    check_nccl(request, group, wrong);
  else
    check_plain(request, group, wrong);
  if (group.ranks() < 2) wrong.emplace_back("a group of one has nobody to exchange with: at least two ranks");
  refuse(std::move(wrong));
  if (!by_nccl(request, group)) return std::nullopt;
  NcclSetup setup = nccl_setup(group);
  const NcclTable table(request, group, setup);
  std::vector<std::string> refused;
  for (const Operation op : request.ops)
    if (std::string why = table.refused(op); !why.empty()) refused.push_back(std::move(why));
  refuse(std::move(refused));
  return setup;
}

CollectiveTable collective_table(const CollectiveRequest& request, Operation op, const CollectiveGroup& group,
                                 const std::optional<NcclSetup>& setup, const RowSink& sink) {
  CollectiveTable table{op, group.name, group.ranks(), group.nodes, request.element_size, {}};
  std::optional<NcclTable> nccl;
  if (setup) nccl.emplace(request, group, *setup);
  const GroupAlgorithm* algorithm = group_algorithm(request.algorithm);
  std::int64_t last = 0;
  for (const double bytes : asked_sizes(request)) {
    const std::int64_t elements = counted_elements(op, bytes, request.element_size, group.ranks());
    if (elements == 0 || elements == last) continue;
    last = elements;
    CollectiveRow row = nccl                   ? nccl->row(op, elements, request.element_size)
                        : algorithm != nullptr ? plain_row(*algorithm, op, elements, request.element_size, group)
                                               : fastest_row(op, elements, request.element_size, group);
    if (sink) sink(row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

} // namespace gradflight
