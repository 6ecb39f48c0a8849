// The streams of a rank whose exchanges are calls of a library: job_calls.hpp says which there are.
//
// A call is launched when the one before on its stream is over and its gradients are ready (or what it gathers is
// wanted): costs before the exchange, the barrier, and the library's launch pass first. Then its lanes go on side by
// side. It is over, for its rank, when all of them are.
#pragma once

#include "sim/training/job.hpp"

namespace gradflight {

/// Of a rank's stream from 1 on.
std::unique_ptr<Program> call_program(const Job& job, int rank, int stream);

} // namespace gradflight
