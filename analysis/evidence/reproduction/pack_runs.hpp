// A pack's experiments on their way through the simulator: loaded, run once each, read.
#pragma once

#include "analysis/evidence/reproduction/scoreboard.hpp"
#include "analysis/run/prepare.hpp"
#include "analysis/run/runner.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace gradflight {

/// Experiments that did not end in a result: a line each.
class ExperimentsFailed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Which quantities are wanted of a prepared experiment.
struct WantedRun {
  Prepared prepared;
  std::size_t experiment = 0; ///< into Pack::experiments
  std::string name;           ///< for people
  std::set<std::string> quantities;
};

/// One that is prepared where it is simulated, if it is: `key` says what it is, in place of an id.
struct LazyRun {
  std::string key, name;
  std::set<std::string> quantities;
  std::function<Prepared()> prepare; ///< called in another process, or not at all; may throw InputErrors
};

/// Results by scenario id, or by key: what was simulated once is not simulated again.
class Simulations {
public:
  explicit Simulations(int jobs, BatchProgress progress = {}) : jobs_(jobs), progress_(std::move(progress)) {}

  /// Simulates what is not known yet. Throws ExperimentsFailed.
  void run(const std::vector<const WantedRun*>& wanted);
  void run(const std::vector<LazyRun>& wanted);
  [[nodiscard]] double value(const std::string& id, const std::string& quantity) const;
  /// Scenarios simulated so far.
  [[nodiscard]] std::size_t count() const { return count_; }

private:
  struct Batch {
    const std::string *key, *name;
    std::set<std::string> quantities;
    const Prepared* prepared; ///< null: made by the other
    const std::function<Prepared()>* prepare;
  };
  /// The quantities of `batch` that are not known yet are added to those wanted of the same key.
  /// In the order in which they were first wanted.
  struct Batches {
    std::vector<Batch> all;
    std::map<std::string_view, std::size_t> place; ///< by key
  };
  void want(Batch batch, Batches& wanted) const;
  void run(const Batches& wanted);
  int jobs_;
  BatchProgress progress_;
  std::size_t count_ = 0;
  std::map<std::string, std::map<std::string, double>> values_;
};

/// A pack whose experiments all load, and whose figures name quantities that they have.
struct CheckedPack {
  Pack pack;
  std::vector<WantedRun> experiments; ///< with the numbers that stand in the files; as Pack::experiments
  std::optional<PackFits> fits;       ///< what `calibrate` kept beside it
};

/// Throws InputErrors with everything that is wrong with the pack, its scenarios and the fits kept beside it
/// (pack_check.cpp).
CheckedPack check_pack(const std::string& path);
/// The same of a file that has been read.
CheckedPack check_pack(Document document, const std::string& path);

/// What a figure's expression reads, in its order.
std::vector<double> readings_of(const PackFigure& figure, const std::vector<const WantedRun*>& of_experiment,
                                const Simulations& simulations);

/// The simulated side of `figures`, in their order; `of_experiment`: the runs that they read, which are known to
/// `simulations`. Throws InputErrors with every figure that has no finite value, and what it read.
std::vector<FigureScore> scores(const Pack& pack, const std::vector<std::size_t>& figures,
                                const std::vector<const WantedRun*>& of_experiment, const Simulations& simulations);
/// The same with what was read of an experiment from elsewhere.
using ReadingOf = std::function<double(std::size_t experiment, const std::string& quantity)>;
std::vector<FigureScore> scores(const Pack& pack, const std::vector<std::size_t>& figures, const ReadingOf& reading_of);

/// See pack_digest().
std::string digest_of(const CheckedPack& checked);
/// The same with the parameters at `values`.
std::string digest_at(const Pack& pack, const std::vector<double>& values);

/// The pack with something else in it than is written.
struct PackVariant {
  std::vector<double> values; ///< of the fitted numbers; empty: as written
  std::vector<Replacement> replacements{};
  std::vector<Setting> settings{};        ///< of these experiments, after their own:
  std::vector<std::size_t> experiments{}; ///< ascending
};

/// Without a choice that settings leave out.
PackVariant without(const PackChoice& choice);

/// What `figures` read of each experiment.
std::vector<std::set<std::string>> quantities_of(const Pack& pack, const std::vector<std::size_t>& figures);
/// All figures of the pack.
std::vector<std::size_t> all_figures(const Pack& pack);

/// The experiments that `figures` read. Throws InputErrors where one does not take the variant.
std::vector<WantedRun> wanted_runs(const Pack& pack, const std::vector<std::size_t>& figures,
                                   const PackVariant& variant);

/// What the pack's experiment `index` is loaded with.
Changes changes_of(const Pack& pack, std::size_t index, const PackVariant& variant);

} // namespace gradflight
