// Gradflight as a library: how long does a training step take on this cluster, and why?
//
//     #include <gradflight/gradflight.hpp>
//
//     const gradflight::Result result = gradflight::run("scenario.json", {{"platform.nodes", "16"}});
//     std::cout << result.iteration_time_s() << '\n' << result.json();
//
// Every function may be called from several threads at once. Calls that simulate many scenarios (compare, scale,
// advise, sweep), a collective with a Progress, and `"engine": "simgrid"` use child processes. Only one such call runs
// at a time; others wait.
//
// Answers are JSON text, the same that the command of that name prints with --json; docs/result-reference.md has every
// key and unit. Times are seconds, sizes bytes, unless a key's name says otherwise.
//
// Errors: InputError for whatever the caller wrote, with all mistakes at once; SimulationError for what a simulation
// came to; OutputError for a directory that cannot be written; std::bad_alloc. Anything else is a bug.
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

/// The version of the library that is loaded, "0.1.0".
GRADFLIGHT_API std::string version();

/// {PATH, VALUE} as --set takes them: a key's path, such as "platform.nodes" or "workload.tensors.0.bytes", and a JSON
/// literal, else text.
using Setting = std::pair<std::string, std::string>;
using Settings = std::vector<Setting>;

struct Mistake {
  std::string file;    ///< "" where no file is at fault
  int line = 0;        ///< from 1; 0: the file as a whole
  int column = 0;      ///< from 1, in characters; 0: the file as a whole
  std::string pointer; ///< JSON pointer to the value; "": the whole document
  std::string message; ///< what is wrong, and what is allowed
};

class GRADFLIGHT_API InputError : public std::runtime_error {
public:
  /// `text`: a line for each, what() gives it.
  InputError(const std::string& text, std::vector<Mistake> mistakes);
  ~InputError() override;
  /// All of them, by file and line; never empty.
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

/// A scenario whose mistakes were looked for. A value; copies share what they hold.
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
/// A scenario that stands in a text (JSON); the files it names are relative to `directory`, "": the working directory.
GRADFLIGHT_API Scenario parse(const std::string& text, const Settings& settings = {},
                              const std::filesystem::path& directory = {});

/// A simulated scenario.
class GRADFLIGHT_API Result {
public:
  [[nodiscard]] double time_s() const noexcept { return time_s_; }                     ///< the whole run
  [[nodiscard]] double iteration_time_s() const noexcept { return iteration_time_s_; } ///< a step, in steady state
  /// The object that `gradflight run --json` prints.
  [[nodiscard]] const std::string& json() const noexcept { return *json_; }
  /// What `gradflight run` prints for people, without colours.
  [[nodiscard]] const std::string& summary() const noexcept { return *summary_; }

  Result(double time_s, double iteration_time_s, std::string json, std::string summary);

private:
  double time_s_, iteration_time_s_;
  std::shared_ptr<const std::string> json_, summary_;
};

/// Told now and then how far a call has come, from 0 to 1, by the thread that called. To end the call, throw: the
/// exception passes on to the caller, and nothing of the call goes on. A run tells 0, every 65,536 messages of a job; a
/// collective tells 0 until the end; all others tell several times a second.
using Progress = std::function<void(double part)>;

/// Throws InputError, SimulationError.
GRADFLIGHT_API Result run(const Scenario& scenario, const Progress& progress = {});
GRADFLIGHT_API Result run(const std::filesystem::path& file, const Settings& settings = {},
                          const Progress& progress = {});

/// Several scenarios side by side: { "columns", "rows", "best" }. At least one; of one job each. `jobs`: simulations
/// at a time.
GRADFLIGHT_API std::string compare(const std::vector<Scenario>& scenarios, int jobs = 1, const Progress& progress = {});

struct ScaleOptions {
  double threshold = 0.5; ///< efficiency below which it has stopped to scale
  bool strong = false;    ///< the same samples a step in all, not on each rank
  int jobs = 1;           ///< simulations at a time
  Progress progress{};
};
/// One scenario with each value of `path`: { "points", "stops_scaling_at" }.
GRADFLIGHT_API std::string scale(const Scenario& scenario, const std::string& path,
                                 const std::vector<std::string>& values, const ScaleOptions& options = {});

struct AdviseOptions {
  double budget_s = 30; ///< seconds of the clock for trying changes
  int jobs = 1;
  Progress progress{};
};
/// What bounds a step, and what would help most: { "bound_by", "what_if" }.
GRADFLIGHT_API std::string advise(const Scenario& scenario, const AdviseOptions& options = {});

/// What is left at its default is decided as `gradflight collective` does.
struct CollectiveOptions {
  Settings settings{};                              ///< "platform.nodes" and so on
  int ranks = 0, nodes = 0, gpus_per_node = 0;      ///< 0: the platform's
  double begin = 8, end = 4294967296.0, factor = 2; ///< sizes in bytes: begin, begin * factor, ... up to end
  std::vector<double> sizes{};                      ///< these instead
  int element_size = 4;                             ///< bytes: 1, 2, 4 or 8
  std::string algorithm{}, protocol{};              ///< "": the library's choice
  int channels = 0;                                 ///< 0: likewise
  Progress progress{};
};
/// nccl-tests' table, of "all_reduce" and so on, on a platform: a file or a machine of the catalogue. { "rows" }, in
/// microseconds and GB/s.
GRADFLIGHT_API std::string collective(const std::string& operation, const std::string& platform,
                                      const CollectiveOptions& options = {});

struct SweepOptions {
  int jobs = 0;       ///< points at a time; 0: as many as there are cores
  bool retry = false; ///< run again what was killed
  Progress progress{};
};
struct SweepSummary {
  std::int64_t points = 0;  ///< of the sweep
  std::int64_t missing = 0; ///< of them, without a result: run it again
  std::int64_t failed = 0;  ///< of them, with a status that is not ok
  std::string csv;          ///< the merged table, a header and a line for each point
};
/// Runs what `directory` does not hold yet of a sweep file, and merges all that it holds.
GRADFLIGHT_API SweepSummary sweep(const std::filesystem::path& file, const std::filesystem::path& directory,
                                  const SweepOptions& options = {});

} // namespace v1
} // namespace gradflight
