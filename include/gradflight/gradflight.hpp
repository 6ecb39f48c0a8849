// Gradflight as a library: how long does a training step take on this cluster, and why?
//
//    #include <gradflight/gradflight.hpp>
//
//    const gradflight::Result result = gradflight::run("scenario.json", {{"platform.nodes", "16"}});
//    std::cout << result.iteration_time_s() << '\n' << result.json();
//
// Every function may be called from several threads at once. Calls that simulate many scenarios (compare, scale,
// advise, sweep), a collective with a Progress, and `"engine": "simgrid"` use child processes. Only one of these calls
// runs at a time; others wait.
//
// Answers are JSON text, identical to the output of the command of that name with --json. docs/result-reference.md
// lists every key and unit. Times are in seconds and sizes in bytes, unless the name of a key says otherwise.
//
// Errors: InputError for wrong input, with all mistakes at once; SimulationError for a simulation that fails;
// OutputError for a directory that cannot be written; std::bad_alloc. Any other exception is a bug.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#define GRADFLIGHT_API __attribute__((visibility("default")))

namespace gradflight {
inline namespace v1 {

/// Returns the version of the loaded library, such as "0.1.0".
GRADFLIGHT_API std::string version();

/// A {PATH, VALUE} pair in the form of --set. PATH is a key's path, such as "platform.nodes" or
/// "workload.tensors.0.bytes". VALUE is a JSON literal; any other VALUE is a string.
using Setting = std::pair<std::string, std::string>;
using Settings = std::vector<Setting>;

struct Mistake {
  std::string file;    ///< "" if no file is at fault
  int line = 0;        ///< from 1; 0: the file as a whole
  int column = 0;      ///< from 1, in characters; 0: the file as a whole
  std::string pointer; ///< JSON pointer to the value; "": the whole document
  std::string message; ///< what is wrong, and what is allowed
};

class GRADFLIGHT_API InputError : public std::runtime_error {
public:
  /// `text` has one line per mistake; what() returns it.
  InputError(const std::string& text, std::vector<Mistake> mistakes);
  ~InputError() override;
  /// All mistakes, sorted by file and line; never empty.
  [[nodiscard]] const std::vector<Mistake>& mistakes() const noexcept { return *mistakes_; }

private:
  std::shared_ptr<const std::vector<Mistake>> mistakes_;
};

class GRADFLIGHT_API SimulationError : public std::runtime_error {
public:
  explicit SimulationError(const std::string& text);
  ~SimulationError() override;
};

class GRADFLIGHT_API OutputError : public std::runtime_error {
public:
  explicit OutputError(const std::string& text);
  ~OutputError() override;
};

/// A scenario that was checked for mistakes. It has value semantics; copies share their content.
class GRADFLIGHT_API Scenario {
public:
  [[nodiscard]] const std::string& name() const;
  /// The scenario with every default explicit and its files read in, as JSON.
  [[nodiscard]] const std::string& json() const;

  struct Content;
  explicit Scenario(std::shared_ptr<const Content> content);
  [[nodiscard]] const Content& content() const { return *content_; }

private:
  std::shared_ptr<const Content> content_;
};

/// Throws InputError.
GRADFLIGHT_API Scenario load(const std::filesystem::path& file, const Settings& settings = {});
/// Parses a scenario from JSON text. File names in it are relative to `directory`; "" means the working directory.
/// Throws InputError.
GRADFLIGHT_API Scenario parse(const std::string& text, const Settings& settings = {},
                              const std::filesystem::path& directory = {});

/// A simulated scenario.
class GRADFLIGHT_API Result {
public:
  [[nodiscard]] double time_s() const noexcept { return time_s_; }                     ///< the whole run
  [[nodiscard]] double iteration_time_s() const noexcept { return iteration_time_s_; } ///< a step in steady state
  /// The object that `gradflight run --json` prints.
  [[nodiscard]] const std::string& json() const noexcept { return *json_; }
  /// The text that `gradflight run` prints, without colours.
  [[nodiscard]] const std::string& summary() const noexcept { return *summary_; }

  Result(double time_s, double iteration_time_s, std::string json, std::string summary);

private:
  double time_s_, iteration_time_s_;
  std::shared_ptr<const std::string> json_, summary_;
};

/// Reports the progress of a call, from 0 to 1, in the calling thread. A callback that throws ends the call: the caller
/// receives the exception, and no part of the call continues. A run reports 0 after every 65,536 messages of a job. A
/// collective reports 0 until it ends. All other calls report several times per second.
using Progress = std::function<void(double part)>;

/// Throws InputError, SimulationError.
GRADFLIGHT_API Result run(const Scenario& scenario, const Progress& progress = {});
GRADFLIGHT_API Result run(const std::filesystem::path& file, const Settings& settings = {},
                          const Progress& progress = {});

/// Compares several scenarios: { "columns", "rows", "best" }. Needs at least one scenario; each must have one job.
/// `jobs` is the number of parallel simulations.
GRADFLIGHT_API std::string compare(const std::vector<Scenario>& scenarios, int jobs = 1, const Progress& progress = {});

struct ScaleOptions {
  double threshold = 0.5; ///< scaling stops where the efficiency falls below this
  bool strong = false;    ///< true: the total samples per step stay the same; false: the samples per rank do
  int jobs = 1;           ///< number of parallel simulations
  Progress progress{};
};
/// Simulates one scenario with each value of `path`: { "points", "stops_scaling_at" }.
GRADFLIGHT_API std::string scale(const Scenario& scenario, const std::string& path,
                                 const std::vector<std::string>& values, const ScaleOptions& options = {});

struct AdviseOptions {
  double budget_s = 30; ///< wall-clock seconds for trying changes
  int jobs = 1;
  Progress progress{};
};
/// Returns what bounds a step, and which changes would help most: { "bound_by", "what_if" }.
GRADFLIGHT_API std::string advise(const Scenario& scenario, const AdviseOptions& options = {});

/// Members with default values are chosen as `gradflight collective` does.
struct CollectiveOptions {
  Settings settings{};                              ///< "platform.nodes" and so on
  int ranks = 0, nodes = 0, gpus_per_node = 0;      ///< 0: the platform's number
  double begin = 8, end = 4294967296.0, factor = 2; ///< sizes in bytes: begin, begin * factor, ... up to end
  std::vector<double> sizes{};                      ///< replace begin, end and factor
  int element_size = 4;                             ///< bytes: 1, 2, 4 or 8
  std::string algorithm{}, protocol{};              ///< "": the library's choice
  int channels = 0;                                 ///< 0: the library's choice
  Progress progress{};
};
/// Returns the table of nccl-tests for `operation`, such as "all_reduce". `platform` is a file or a machine of the
/// catalogue. { "rows" }, in microseconds and GB/s.
GRADFLIGHT_API std::string collective(const std::string& operation, const std::string& platform,
                                      const CollectiveOptions& options = {});

struct SweepOptions {
  int jobs = 0;       ///< number of parallel points; 0: one per core
  bool retry = false; ///< repeat points that were killed
  Progress progress{};
};
struct SweepSummary {
  std::int64_t points = 0;  ///< number of points in the sweep
  std::int64_t missing = 0; ///< points without a result; another run computes them
  std::int64_t failed = 0;  ///< points with a status other than ok
  std::string csv;          ///< the merged table: a header and one line per point
};
/// Runs the points of a sweep file that have no result in `directory`, and merges all results in it.
GRADFLIGHT_API SweepSummary sweep(const std::filesystem::path& file, const std::filesystem::path& directory,
                                  const SweepOptions& options = {});

} // namespace v1
} // namespace gradflight
