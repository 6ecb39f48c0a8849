// From an exchange's settings to its schedule.
#pragma once

#include "models/schedules/parts/collective.hpp"

#include <memory>
#include <string>

namespace gradflight {

/// Participants beside the workers: servers (colocated or not) or dedicated aggregators. They are participants
/// workers..workers+helpers-1. Each is on a place of its own, but a colocated server i, which is on rank i's.
int helper_count(const ExchangeSpec& exchange, int workers);

/// The schedule of one collective. Throws std::invalid_argument on pieces where blocks travel whole, and on what the
/// collective refuses.
std::unique_ptr<Schedule> make_schedule(const ExchangeSpec& exchange, int workers);

/// "no closed form: ...", by what the catalogue has of the exchange's collective, and of its top; empty where it has
/// one.
std::string missing_form(const ExchangeSpec& exchange, int workers);

/// The two halves of a parameter server's exchange, for a pull at first use (3LC Sec. 4.1): push and update; send-back.
std::unique_ptr<Schedule> make_push_schedule(const ExchangeSpec& exchange, int workers);
std::unique_ptr<Schedule> make_pull_schedule(const ExchangeSpec& exchange, int workers);

} // namespace gradflight
