// The commands and their options. Each command returns an exit code; main.cpp maps exceptions to exit codes.
#pragma once

#include "cli/timeline.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gradflight::cli {

struct RunOptions {
  std::vector<std::filesystem::path> scenarios; ///< "-": standard input
  std::vector<std::string> sets;                ///< "PATH=VALUE"
  std::filesystem::path out;                    ///< empty: no run directory
  std::filesystem::path report;                 ///< empty: no page
  TimelineOptions timeline;
  bool json = false;
  std::string links;                ///< "all", "groups"; empty: depends on the number of links
  bool alone = false;               ///< also simulates each of several jobs alone
  std::vector<std::string> command; ///< the words of the command line
};
int run(const RunOptions& options);

struct CheckOptions {
  std::vector<std::filesystem::path> paths;
  double tolerance = 0;
  int jobs = 1;
  bool json = false;
};
int check(const CheckOptions& options);

struct RegressOptions {
  std::vector<std::filesystem::path> paths;
  std::filesystem::path junit; ///< empty: no JUnit file
  bool accept = false;
  int jobs = 1;
};
int regress(const RegressOptions& options);

int validate(const std::vector<std::filesystem::path>& files);
/// `path` is a key's path, or a word to search for. `machine` is the machine to draw for "platform": a file or a
/// machine of the catalogue; empty: none. `nodes` is the number of nodes to draw; 0: the machine's own number.
int explain(const std::string& path, const std::string& machine, int nodes);
int schema(bool of_results);

struct PlanCommand {
  std::filesystem::path scenario;
  std::vector<std::string> sets;
  int rank = -1; ///< -1: all ranks
  std::int64_t limit = 200;
};
int plan(const PlanCommand& options);

struct ImportOptions {
  std::string format;                        ///< a name in trace_formats(), or topology_format
  std::vector<std::filesystem::path> traces; ///< traces of several ranks of one job
  std::filesystem::path model;               ///< empty: one layer per recorded all-reduce
  std::string step = "median";               ///< or a number: of the annotation, else counted from 1
  std::string times = "span";                ///< or "busy"
  std::int64_t batch = 0;                    ///< 0: unknown
  std::filesystem::path out;                 ///< empty: standard output
  std::filesystem::path recorded;            ///< empty: not written
};
inline constexpr const char* topology_format = "topology";
int import_trace(const ImportOptions& options);
void add_import(CLI::App& app, ImportOptions& options, std::function<int()>& action);

} // namespace gradflight::cli
