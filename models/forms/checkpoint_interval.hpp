// The best time between checkpoints, and the cost of failures. Tests compare simulated lifetimes with these closed
// forms.
//
// Sources: J. W. Young, "A first order approximation to the optimum checkpoint interval", Communications of the ACM 17
// (1974); J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future Generation
// Computer Systems 22 (2006). Failures are a Poisson process; all times are in seconds.
#pragma once

namespace gradflight {

/// Returns sqrt(2 write mtbf): the work between two checkpoints.
double young_interval(double write, double mtbf);

/// Daly's eq. 37. Returns sqrt(2 write mtbf) (1 + sqrt(write / (2 mtbf)) / 3 + write / (18 mtbf)) - write if write < 2
/// mtbf; else mtbf.
double daly_interval(double write, double mtbf);

/// Daly's eq. 20. Returns the mean time for `work` with a checkpoint after each `interval` of it: mtbf e^(restart /
/// mtbf) (e^((interval + write) / mtbf) - 1) work / interval. Failures also strike during checkpoints and restarts. The
/// last checkpoint, at the end, is written.
double daly_time(double work, double interval, double write, double restart, double mtbf);

} // namespace gradflight
