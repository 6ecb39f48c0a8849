// The catalogue of algorithms for operations on process groups: a row holds all that the program knows of one.
//
// To add one: write a file in this directory with its schedule and closed form, and add a row in group_catalogue.cpp.
// The tests of schedules and forms cover all rows.
#pragma once

#include "models/schedules/operations/parts/group_form.hpp"
#include "models/schedules/operations/parts/group_schedule.hpp"
#include "models/schedules/operations/parts/group_spec.hpp"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gradflight {

struct GroupAlgorithm {
  std::string_view name;          ///< "halving_doubling"
  std::string_view alias{};       ///< another accepted name: "direct" for "spread"; empty: none
  std::string_view title;         ///< in sentences: "recursive halving and doubling"
  std::string_view documentation; ///< what the algorithm does
  bool chunks = false;            ///< uses GroupSpec::chunk
  bool groups = false;            ///< uses GroupSpec::group_size
  bool needs_switch = false;      ///< it has one member in addition to the ranks: a switch that reduces and multicasts
  bool (*serves)(Operation) = nullptr;
  /// For a spec without problems(), for an operation that it serves, with at least 2 ranks.
  std::unique_ptr<GroupSchedule> (*schedule)(const GroupSpec& spec) = nullptr;
  GroupFormResult (*form)(const GroupSpec& spec, const FormLinks& links) = nullptr;
};

std::span<const GroupAlgorithm> group_algorithms();
/// By name or alias; null if the name is unknown.
const GroupAlgorithm* group_algorithm(std::string_view name);
/// The algorithms that serve an operation, in the catalogue's order.
std::vector<const GroupAlgorithm*> group_algorithms_for(Operation op);
/// Returns the mistake of an algorithm that does not serve `op`, with the algorithms that do.
std::string unsupported_operation(const GroupAlgorithm& algorithm, Operation op);

/// For any ranks >= 1; a group of one rank has no steps. Throws std::invalid_argument, with every problem(), on a wrong
/// spec or an operation that the algorithm does not serve.
std::unique_ptr<GroupSchedule> make_group_schedule(const GroupAlgorithm& algorithm, const GroupSpec& spec);
/// For the same specs; 0 for a group of one rank.
GroupFormResult group_form(const GroupAlgorithm& algorithm, const GroupSpec& spec, const FormLinks& links);

} // namespace gradflight
