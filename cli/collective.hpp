// `collective`: the table of nccl-tests for a simulated cluster.
#pragma once

#include "analysis/evidence/collective/collective_request.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gradflight::cli {

struct CollectiveOptions {
  CollectiveRequest request;
  std::vector<std::string> ops;
  std::string begin, end, type; ///< empty: not given
  std::string against, run;
  int ranks = 0, nodes = 0, gpus_per_node = 0; ///< 0: not given
  bool json = false, csv = false;
  std::filesystem::path report;     ///< empty: no page
  std::vector<std::string> command; ///< the words of the command line, for the page
};

void add_collective(CLI::App& app, CollectiveOptions& options, std::function<int()>& action);
int collective(const CollectiveOptions& options);

} // namespace gradflight::cli
