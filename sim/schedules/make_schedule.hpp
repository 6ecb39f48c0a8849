// From an exchange's settings to its schedule.
#pragma once

#include "scenarios/language/types/training.hpp"
#include "sim/schedules/schedule.hpp"

#include <memory>

namespace gradflight {

/// Participants beside the workers: servers (colocated or not) or dedicated aggregators. They are participants
/// workers..workers+helpers-1. Each is on a place of its own, but a colocated server i, which is on rank i's.
int helper_count(const ExchangeSpec& exchange, int workers);

/// The schedule of one collective. hierarchical: when several masters are left, `top` parameter_server is a flat gather
/// to the first of them and a flat send-back. An asynchronous or bounded-staleness server has no schedule, it reacts;
/// there the workers' steps hold (push, then receive), with a flat pull only. Throws std::invalid_argument on pieces
/// with anything but a ring, a top that is no dense all-reduce, sizes below 1.
std::unique_ptr<Schedule> make_schedule(const ExchangeSpec& exchange, int workers);

/// The two halves of a parameter server's exchange, for a pull at first use (3LC Sec. 4.1): push and update; send-back.
std::unique_ptr<Schedule> make_push_schedule(const ExchangeSpec& exchange, int workers);
std::unique_ptr<Schedule> make_pull_schedule(const ExchangeSpec& exchange, int workers);

} // namespace gradflight
