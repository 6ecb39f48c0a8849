#include "analysis/evidence/boards/typical_network.hpp"

#include "analysis/evidence/boards/board_packs.hpp"
#include "analysis/evidence/collective/collective_group.hpp"
#include "base/percentile.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/packs/pack_tables.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {

namespace {

const std::string latency_path = "platform.node.nic.latency";
const std::string total_path = "platform.node.nic_total_bandwidth";
const std::string egress_path = "platform.node.nic.egress_bandwidth";

/// Returns the median of `number` over the packs on other machines for which `alike` holds.
template <typename Alike>
std::optional<TypicalNumber> typical_of(const NetworkNumbers& left_out, const std::vector<NetworkNumbers>& all,
                                        std::optional<double> NetworkNumbers::*number, Alike alike,
                                        std::string shared_property) {
  TypicalNumber typical{.shared_property = std::move(shared_property)};
  std::vector<double> logarithms;
  for (const NetworkNumbers& other : all) {
    if (other.pack == left_out.pack || other.machine == left_out.machine || !other.fabric || !(other.*number)) continue;
    if (!alike(other)) continue;
    logarithms.push_back(std::log(*(other.*number)));
    typical.from.push_back(other.pack);
  }
  if (logarithms.empty()) return std::nullopt;
  typical.value = std::exp(percentile(std::move(logarithms), 0.5));
  return typical;
}

/// Larger calls do not determine a latency: their fit would absorb other errors of the model.
constexpr double small_call = 65536;

bool fitted_to_small_calls(const BoardPack& board) {
  return std::ranges::any_of(board.tables, [](const BoardTable& table) {
    return table.role == MeasuredRole::fitted && !table.cases.empty() && table.cases.front().size_bytes <= small_call;
  });
}

/// Returns the machine of the pack with one node. Throws InputErrors with the positions of the platform.
PlatformSpec platform_of(const MeasuredPack& pack) {
  CollectiveRequest request;
  request.platform = pack.platform();
  request.sets = pack.settings();
  return make_group(request).spec;
}

} // namespace

TypicalNetwork typical_network(const NetworkNumbers& left_out, const std::vector<NetworkNumbers>& all) {
  if (!left_out.fabric || !(left_out.line_rate > 0)) return {};
  const auto same_fabric = [&](const NetworkNumbers& other) { return other.fabric == left_out.fabric; };
  const auto same_way = [&](const NetworkNumbers& other) { return other.way == left_out.way; };
  return {typical_of(left_out, all, &NetworkNumbers::latency_s, same_fabric, network_fabric_name(*left_out.fabric)),
          typical_of(left_out, all, &NetworkNumbers::rate_share, same_way, nic_way_name(left_out.way))};
}

std::vector<Member> typical_assignments(const TypicalNetwork& typical, double line_rate) {
  std::vector<Member> set;
  const auto add = [&](const std::string& path, const std::string& value) {
    set.push_back({path, {}, Node::of(value)});
  };
  if (typical.latency_s) add(latency_path, fmt::format("{:.4g}us", typical.latency_s->value * 1e6));
  if (typical.rate_share) add(total_path, fmt::format("{:.4g}GB/s", 2 * typical.rate_share->value * line_rate * 1e-9));
  return set;
}

NetworkNumbers network_numbers(const BoardPack& board) {
  const MeasuredPack& pack = board.pack;
  NetworkNumbers numbers{pack.name.text, {}, pack.fabric};
  if (!pack.machine) return numbers;
  numbers.machine = pack.platform();
  if (!pack.fabric) return numbers;
  try {
    const PlatformSpec platform = platform_of(pack);
    if (!platform.node) return numbers;
    const NodeSpec& node = *platform.node;
    numbers.way = nic_way(node);
    numbers.line_rate = node.nic.bandwidth.value();
    const auto fitted = [&](const std::string& path) {
      return pack.fitted && std::ranges::any_of(pack.fitted->set, [&](const Member& one) { return one.key == path; });
    };
    if (fitted(latency_path) && fitted_to_small_calls(board) && node.nic.latency && node.nic.latency->value() > 0)
      numbers.latency_s = node.nic.latency->value();
    if (fitted(total_path) && node.nic_total)
      numbers.rate_share = node.nic_total->value() / (2 * numbers.line_rate);
    else if (fitted(egress_path) && node.nic.egress)
      numbers.rate_share = node.nic.egress->value() / numbers.line_rate;
  } catch (const InputErrors& errors) {
    std::vector<Diagnostic> found;
    for (const Diagnostic& each : errors.diagnostics())
      for (auto& at_machine :
           pack.sources.diagnostics({{pack.machine->position, "/machine", each.message_at_pointer()}}))
        found.push_back(std::move(at_machine));
    throw InputErrors(std::move(found));
  }
  return numbers;
}

std::vector<NetworkNumbers> all_network_numbers(const std::filesystem::path& directory) {
  std::vector<NetworkNumbers> all;
  std::vector<Diagnostic> found;
  for (const auto& file : measured_files(directory)) {
    try {
      all.push_back(network_numbers(check_board(read_document(file.string(), {&measured_pack_file()}), file.string())));
    } catch (const InputErrors& errors) {
      found.insert(found.end(), errors.diagnostics().begin(), errors.diagnostics().end());
    }
  }
  if (!found.empty()) throw InputErrors(std::move(found));
  return all;
}

} // namespace gradflight
