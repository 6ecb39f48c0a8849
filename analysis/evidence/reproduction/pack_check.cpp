// Reports all mistakes in a pack before any simulation. It checks the pack itself, its scenarios, the quantities read
// by figures, the bounds between which the scenarios must run, and the stored fits.
#include "analysis/evidence/reproduction/pack_runs.hpp"
#include "analysis/run/result/fields/quantity.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight {
namespace {

class PackCheck {
public:
  CheckedPack run(const std::string& path) {
    checked_.pack = read_pack(path, errors_);
    return check();
  }
  CheckedPack run(Document document, const std::string& path) {
    checked_.pack = read_pack(std::move(document), path, errors_);
    return check();
  }

private:
  CheckedPack check() {
    auto quantities = quantities_of(pack_, all_figures(pack_));
    for (std::size_t i = 0; i < pack_.experiments.size(); ++i) {
      if (auto prepared = prepare(i))
        checked_.experiments.push_back({std::move(*prepared), i, pack_.experiments[i].name, std::move(quantities[i])});
    }
    for (const auto& figure : pack_.figures) read_quantities(figure);
    try {
      checked_.fits = load_fits(pack_); // now, before the simulations
    } catch (const InputErrors& found) {
      add(found);
    }
    if (errors_.empty()) bounds();
    if (errors_.empty()) choices();
    if (!errors_.empty()) throw InputErrors(sorted());
    return std::move(checked_);
  }

  void add(Diagnostic error) { // one file may be used by many experiments
    if (std::ranges::find(errors_, error) == errors_.end()) errors_.push_back(std::move(error));
  }
  void add(const InputErrors& found) {
    for (const auto& error : found.diagnostics()) add(error);
  }
  void add(Position at, const std::string& pointer, std::string message) {
    add({pack_.sources.name(at.file), at.line, at.column, pointer, std::move(message)});
  }

  std::optional<Prepared> prepare(std::size_t index) {
    const auto& experiment = pack_.experiments[index];
    if (experiment.scenario.empty()) return std::nullopt;
    try {
      return prepare_changed(experiment.scenario, changes_of(pack_, index, {}));
    } catch (const InputErrors& found) {
      const auto& first = found.diagnostics().front();
      // For a mistake of the whole file, report which experiment names it.
      if (first.file == experiment.scenario && first.line == 0)
        add(experiment.scenario_position, experiment.pointer + "/scenario",
            fmt::format("{}: {}", json_string(first.file), first.message));
      else
        add(found);
    }
    return std::nullopt;
  }

  /// Reports quantities that cannot be read, at their positions in the expression.
  void read_quantities(const PackFigure& figure) {
    for (std::size_t k = 0; k < figure.experiments.size(); ++k) {
      const auto run = std::ranges::find(checked_.experiments, figure.experiments[k], &WantedRun::experiment);
      if (run == checked_.experiments.end()) continue; // mistakes of the experiment are already reported
      auto lookup =
          find_quantity(figure.value->readings()[k].quantity, run->prepared.scenario(), run->prepared.platform());
      if (!lookup.error.empty()) add(figure.quantity_positions[k], figure.pointer, std::move(lookup.error));
    }
  }

  /// A fit may use any value between the bounds. So the scenarios must accept both bounds, and values between them,
  /// including fractions.
  void bounds() {
    if (pack_.parameters.empty()) return;
    for (const double place : {0.0, 1.0, 0.382}) {
      std::vector<double> values, written;
      for (const auto& p : pack_.parameters) {
        values.push_back(at(p, place));
        written.push_back(p.value);
      }
      const auto together = refusal(values);
      if (together.empty()) continue;
      const auto before = errors_.size();
      for (std::size_t i = 0; i < values.size(); ++i) {
        auto alone = written;
        alone[i] = values[i];
        if (const auto message = refusal(alone); !message.empty()) bound_error(pack_.parameters[i], place, message);
      }
      if (errors_.size() == before)
        bound_error(pack_.parameters.front(), place, "together with the others " + together);
    }
  }

  /// The experiments must also run without each choice.
  void choices() {
    for (const auto& choice : pack_.choices) {
      if (choice.without.empty()) continue;
      try {
        wanted_runs(pack_, all_figures(pack_), without(choice));
      } catch (const InputErrors& found) {
        add(found);
      }
    }
  }

  static double at(const PackParameter& p, double place) {
    if (place <= 0 || place >= 1) return place <= 0 ? p.low : p.high;
    return p.logarithmic ? p.low * std::pow(p.high / p.low, place) : p.low + place * (p.high - p.low);
  }

  /// Returns the first mistake of the first experiment that rejects these values.
  [[nodiscard]] std::string refusal(const std::vector<double>& values) const {
    for (std::size_t i = 0; i < pack_.experiments.size(); ++i) {
      try {
        prepare_changed(pack_.experiments[i].scenario, changes_of(pack_, i, {values}));
      } catch (const InputErrors& found) {
        const auto& first = found.diagnostics().front();
        return fmt::format("{} cannot run: {}: {}", json_string(pack_.experiments[i].name), first.pointer,
                           first.message);
      }
    }
    return {};
  }

  void bound_error(const PackParameter& p, double place, const std::string& message) {
    const bool high = place >= 1, between = place > 0 && !high;
    add(p.bounds_at[high ? 1 : 0],
        p.pointer + (between ? "/bounds"
                     : high  ? "/bounds/1"
                             : "/bounds/0"),
        fmt::format("at {}{} {}", p.text(at(p, place)), between ? ", between them," : "", message));
  }

  /// Returns the pack's own mistakes first, then those of each file in order.
  [[nodiscard]] std::vector<Diagnostic> sorted() {
    std::vector<std::string> files{pack_.file};
    for (const auto& error : errors_) files.push_back(error.file);
    const auto place = [&](const Diagnostic& error) {
      return std::tuple(std::ranges::find(files, error.file) - files.begin(), error.line, error.column);
    };
    std::ranges::stable_sort(errors_, {}, place);
    return std::move(errors_);
  }

  CheckedPack checked_;
  const Pack& pack_ = checked_.pack;
  std::vector<Diagnostic> errors_;
};

} // namespace

CheckedPack check_pack(const std::string& path) { return PackCheck().run(path); }

CheckedPack check_pack(Document document, const std::string& path) {
  return PackCheck().run(std::move(document), path);
}

} // namespace gradflight
