// A scenario in three lines: its platform, workload and exchange.
#pragma once

#include <string>

namespace gradflight {

struct PlatformSpec;
struct TrainingSpec;
struct Workload;

std::string platform_line(const PlatformSpec& platform); ///< "8 nodes, star, 10 Gbps and 5 us a link, ..."
std::string workload_line(const Workload& workload);     ///< "alexnet: 25 layers, 16 tensors, 233 MB; compute 100 ms"
std::string exchange_line(const TrainingSpec& training); ///< "ring, whole model, no overlap"

} // namespace gradflight
