// Runs a pack's experiments: loads them, simulates each once, and reads the results.
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

/// Experiments without a result: one line each.
class ExperimentsFailed : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The requested quantities of a prepared experiment.
struct WantedRun {
  Prepared prepared;
  std::size_t experiment = 0; ///< index into Pack::experiments
  std::string name;           ///< for people
  std::set<std::string> quantities;
};

/// A run that is prepared only for its simulation; `key` identifies it instead of an id.
struct LazyRun {
  std::string key, name;
  std::set<std::string> quantities;
  std::function<Prepared()> prepare; ///< called in another process, or not at all; may throw InputErrors
};

/// Results by scenario id or key; nothing is simulated twice.
class Simulations {
public:
  explicit Simulations(int jobs, BatchProgress progress = {}) : jobs_(jobs), progress_(std::move(progress)) {}

  /// Simulates the runs that are not known yet. Throws ExperimentsFailed.
  void run(const std::vector<const WantedRun*>& wanted);
  void run(const std::vector<LazyRun>& wanted);
  [[nodiscard]] double value(const std::string& id, const std::string& quantity) const;
  /// Returns the number of simulated scenarios so far.
  [[nodiscard]] std::size_t count() const { return count_; }

private:
  struct Batch {
    const std::string *key, *name;
    std::set<std::string> quantities;
    const Prepared* prepared; ///< null: `prepare` creates it
    const std::function<Prepared()>* prepare;
  };
  /// Collects the unknown quantities of each batch; merges batches with the same key. Keeps the order of the first
  /// requests.
  struct Batches {
    std::vector<Batch> all;
    std::map<std::string_view, std::size_t> place; ///< index by key
  };
  void want(Batch batch, Batches& wanted) const;
  void run(const Batches& wanted);
  int jobs_;
  BatchProgress progress_;
  std::size_t count_ = 0;
  std::map<std::string, std::map<std::string, double>> values_;
};

/// A pack with valid experiments; its figures name existing quantities.
struct CheckedPack {
  Pack pack;
  std::vector<WantedRun> experiments; ///< with the numbers in the files; same indices as Pack::experiments
  std::optional<PackFits> fits;       ///< results stored by `calibrate`
};

/// Throws InputErrors with all mistakes in the pack, its scenarios and the stored fits (pack_check.cpp).
CheckedPack check_pack(const std::string& path);
/// The same for a file that is already read.
CheckedPack check_pack(Document document, const std::string& path);

/// Returns the readings of a figure's expression, in order.
std::vector<double> readings_of(const PackFigure& figure, const std::vector<const WantedRun*>& of_experiment,
                                const Simulations& simulations);

/// Returns the simulated values of `figures`, in order. `of_experiment` are the runs that they use; `simulations` must
/// contain them. Throws InputErrors with every figure without a finite value, and its readings.
std::vector<FigureScore> scores(const Pack& pack, const std::vector<std::size_t>& figures,
                                const std::vector<const WantedRun*>& of_experiment, const Simulations& simulations);
/// The same with readings from another source.
using ReadingOf = std::function<double(std::size_t experiment, const std::string& quantity)>;
std::vector<FigureScore> scores(const Pack& pack, const std::vector<std::size_t>& figures, const ReadingOf& reading_of);

/// Returns pack_digest() of the pack.
std::string digest_of(const CheckedPack& checked);
/// The same with the parameters at `values`.
std::string digest_at(const Pack& pack, const std::vector<double>& values);

/// A variant of the pack that differs from its files.
struct PackVariant {
  std::vector<double> values; ///< of the fitted numbers; empty: as in the files
  std::vector<Replacement> replacements{};
  std::vector<Setting> settings{};        ///< for `experiments`, after their own settings
  std::vector<std::size_t> experiments{}; ///< ascending
};

/// Returns the variant without a choice that settings can undo.
PackVariant without(const PackChoice& choice);

/// Returns the quantities of each experiment that `figures` use.
std::vector<std::set<std::string>> quantities_of(const Pack& pack, const std::vector<std::size_t>& figures);
/// Returns all figures of the pack.
std::vector<std::size_t> all_figures(const Pack& pack);

/// Returns the experiments that `figures` use. Throws InputErrors if an experiment rejects the variant.
std::vector<WantedRun> wanted_runs(const Pack& pack, const std::vector<std::size_t>& figures,
                                   const PackVariant& variant);

/// Returns the changes for loading experiment `index` of the pack.
Changes changes_of(const Pack& pack, std::size_t index, const PackVariant& variant);

} // namespace gradflight
