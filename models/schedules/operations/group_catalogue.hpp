// The catalogue of algorithms for operations on process groups: what the program knows of each stands in its row.
//
// To add one: a file in this folder with its schedule and its closed form, and a row in group_catalogue.cpp. The tests
// of schedules and forms go over the rows.
#pragma once

#include "models/schedules/operations/parts/group_form.hpp"
#include "models/schedules/operations/parts/group_schedule.hpp"
#include "models/schedules/operations/parts/group_spec.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace gradflight {

struct GroupAlgorithm {
  std::string_view name;          ///< "halving_doubling"
  std::string_view alias{};       ///< another name that is accepted: "direct" of "spread"; empty: none
  std::string_view title;         ///< in sentences: "recursive halving and doubling"
  std::string_view documentation; ///< what it does
  bool chunks = false;            ///< reads GroupSpec::chunk
  bool groups = false;            ///< reads GroupSpec::group_size
  bool needs_switch = false;      ///< one member more than ranks, a switch that reduces and multicasts
  bool (*serves)(Operation) = nullptr;
  /// Of a spec without problems() that it serves, of 2 ranks and more.
  std::unique_ptr<GroupSchedule> (*schedule)(const GroupSpec& spec) = nullptr;
  GroupFormResult (*form)(const GroupSpec& spec, const FormLinks& links) = nullptr;
};

std::span<const GroupAlgorithm> group_algorithms();
/// By name or alias. Null where there is none of that name.
const GroupAlgorithm* group_algorithm(std::string_view name);
/// Those that serve it, in the catalogue's order.
std::vector<const GroupAlgorithm*> group_algorithms_for(Operation op);

/// For any ranks >= 1; a group of one has nothing to do. Throws std::invalid_argument, with every problem(), on a spec
/// that has some, or an operation that the algorithm does not serve.
std::unique_ptr<GroupSchedule> make_group_schedule(const GroupAlgorithm& algorithm, const GroupSpec& spec);
/// Of the same; 0 for a group of one.
GroupFormResult group_form(const GroupAlgorithm& algorithm, const GroupSpec& spec, const FormLinks& links);

} // namespace gradflight
