// The streams of a rank for exchanges that are calls of a library; job_calls.hpp lists these streams.
//
// A call is launched when the one before on its stream has ended and its gradients are ready (or what it gathers is
// needed). The costs before the exchange, the barrier, and the library's launch come first. Then its lanes run side by
// side. For its rank, the call ends when all of them have ended.
#pragma once

#include "sim/training/job.hpp"

namespace gradflight {

/// The program of a rank's stream, for streams from 1 on.
std::unique_ptr<Program> call_program(const Job& job, int rank, int stream);

} // namespace gradflight
