// Builds a schedule from an exchange's settings.
#pragma once

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

} // namespace gradflight
