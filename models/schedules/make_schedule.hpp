// Builds the schedules and closed forms of the catalogue's rows from their settings.
#pragma once

#include "models/schedules/operations/parts/group_form.hpp"
#include "models/schedules/operations/parts/group_schedule.hpp"
#include "models/schedules/parts/collective.hpp"

#include <memory>
#include <string>

namespace gradflight {

/// Returns the number of participants besides the workers: servers (colocated or not) or dedicated aggregators. They
/// are participants workers..workers+helpers-1, each on its own place, but a colocated server i is on rank i's.
int helper_count(const ExchangeSpec& exchange, int workers);

/// Returns the schedule of one collective. Throws std::invalid_argument on pieces if blocks cannot be split, and on
/// settings that the collective refuses.
std::unique_ptr<Schedule> make_schedule(const ExchangeSpec& exchange, int workers);

/// Returns "no closed form: ...", if the catalogue has none for the exchange's collective or its top; else empty.
std::string missing_form(const ExchangeSpec& exchange, int workers);

/// The two halves of a parameter server's exchange, for a pull at first use (3LC Sec. 4.1): push and update; send-back.
std::unique_ptr<Schedule> make_push_schedule(const ExchangeSpec& exchange, int workers);
std::unique_ptr<Schedule> make_pull_schedule(const ExchangeSpec& exchange, int workers);

/// Returns the mistake of a row that does not serve `op`, with the rows that do.
std::string unsupported_operation(const Collective& row, Operation op);
/// For any ranks >= 1; a group of one rank has no steps. Throws std::invalid_argument, with every problem(), on a wrong
/// spec or an operation that the row does not serve.
std::unique_ptr<GroupSchedule> make_group_schedule(const Collective& row, const GroupSpec& spec);
/// For the same specs; 0 for a group of one rank.
GroupFormResult group_form(const Collective& row, const GroupSpec& spec, const FormLinks& links);

} // namespace gradflight
