// When to write checkpoints, and what failures then cost: the closed forms that simulated lifetimes are held against.
//
// Sources: J. W. Young, "A first order approximation to the optimum checkpoint interval", Communications of the ACM 17
// (1974); J. T. Daly, "A higher order estimate of the optimum checkpoint interval for restart dumps", Future Generation
// Computer Systems 22 (2006). Failures come as a Poisson process; all times in seconds.
#pragma once

namespace gradflight {

/// sqrt(2 write mtbf): of work between two checkpoints.
double young_interval(double write, double mtbf);

/// Daly's eq. 37: sqrt(2 write mtbf) (1 + sqrt(write / (2 mtbf)) / 3 + write / (18 mtbf)) - write where write < 2 mtbf;
/// else mtbf.
double daly_interval(double write, double mtbf);

/// Daly's eq. 20: what `work` takes, on average, with a checkpoint after each `interval` of it: mtbf e^(restart / mtbf)
/// (e^((interval + write) / mtbf) - 1) work / interval. Failures strike during checkpoints and restarts, too; the last
/// checkpoint, at the end, is written.
double daly_time(double work, double interval, double write, double restart, double mtbf);

} // namespace gradflight
