// A pack's experiments, and the figures computed from them.
#include "scenarios/language/packs/pack_reader.hpp"

#include "scenarios/language/decode/document.hpp"
#include "scenarios/language/json/json_reader.hpp"
#include "scenarios/language/sweeps/sweep_points.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace gradflight {

Setting setting_of(const Member& member, const Binding& binding, const std::string& pointer, const std::string& source,
                   PackReport& report) {
  auto& problems = report.document().problems;
  const auto here = pointer + "/set/" + pointer_token(member.key);
  auto key = Node::of(member.key);
  key.position = member.position;
  Setting setting{filled(key, binding, here, problems).text, member.value, source, first_character(member.position)};
  if (member.value.kind == Node::Kind::text)
    setting.value = literal_or_text(filled(member.value, binding, here, problems).text, member.value.position);
  setting.value.position = member.value.position;
  return setting;
}

namespace {

class ValueReader {
public:
  ValueReader(Pack& pack, const PackNames& ids, PackReport& report) : pack_(pack), ids_(ids), report_(report) {}

  void read(const PackForm& form) {
    for (std::size_t i = 0; i < form.experiments.size(); ++i) experiments(form.experiments[i], i);
    for (std::size_t i = 0; i < form.figures.size(); ++i) values(form.figures[i], i);
  }

  /// Call only without other mistakes: a value with a mistake may be the one that uses the experiment.
  void unused() {
    for (std::size_t i = 0; i < pack_.experiments.size(); ++i)
      if (!used_.contains(i))
        report_(pack_.experiments[i].position, pack_.experiments[i].pointer,
                fmt::format("no figure uses the experiment {}", json_string(pack_.experiments[i].name)));
  }

private:
  std::vector<Problem>& problems() { return report_.document().problems; }

  void experiments(const ExperimentForm& form, std::size_t entry) {
    const auto pointer = fmt::format("/experiments/{}", entry);
    for_each_binding(form.keys, [&](const Binding& binding) {
      auto before = report_.count();
      const auto name = filled(form.name, binding, pointer + "/name", problems()).text;
      if (report_.count() > before) return report_.set_unread("experiments");
      before = report_.count();
      PackExperiment experiment{name, {}, {}, form.name.position, form.scenario.position, pointer};
      const auto scenario = filled(form.scenario, binding, pointer + "/scenario", problems()).text;
      for (const auto& member : form.set)
        experiment.settings.push_back(setting_of(member, binding, pointer, pack_.file, report_));
      if (report_.count() == before) experiment.scenario = report_.beside(scenario);
      if (name.find_first_of("()") != std::string::npos)
        report_(form.name.position, pointer + "/name",
                "a name must not contain parentheses: expressions could not refer to it");
      if (!experiments_.index.emplace(name, pack_.experiments.size()).second)
        report_(form.name.position, pointer + "/name",
                fmt::format("the experiment {} appears twice", json_string(name)));
      pack_.experiments.push_back(std::move(experiment));
    });
  }

  void values(const FigureForm& form, std::size_t entry) {
    const auto pointer = fmt::format("/figures/{}", entry);
    for_each_binding(form.keys, [&](const Binding& binding) {
      auto before = report_.count();
      const auto id = filled(form.id, binding, pointer + "/id", problems());
      const bool known_id = report_.count() == before;
      before = report_.count();
      const auto value = filled(form.value, binding, pointer + "/value", problems());
      const bool filled_in = report_.count() == before;
      if (!known_id) return report_.set_unread("figures");
      const auto index = index_of(ids_, id.text, form.id.position, pointer + "/id", report_);
      if (!index) return;
      auto& figure = pack_.figures[*index];
      if (!figure.pointer.empty())
        return report_(form.id.position, pointer + "/id", fmt::format("{} already has a value", json_string(id.text)));
      figure.pointer = pointer + "/value"; // later mistakes are reported at its value
      figure.position = form.value.position;
      if (!filled_in) return;
      try {
        figure.value.emplace(value.text);
        readings(figure, form, value);
      } catch (const WhereError& error) {
        report_(place_in(form.value, value, error.offset), figure.pointer, error.message);
      }
    });
  }

  void readings(PackFigure& figure, const FigureForm& form, const FilledText& text) {
    const auto& published = figure.published;
    for (const auto& reading : figure.value->readings()) {
      const auto at = place_in(form.value, text, reading.experiment_offset);
      const auto index = index_of(experiments_, reading.experiment, at, figure.pointer, report_);
      figure.experiments.push_back(index.value_or(PackFigure::no_experiment));
      figure.quantity_positions.push_back(place_in(form.value, text, reading.quantity_offset));
      if (index) used_.insert(*index);
      if (published.number() != nullptr && reading.quantity.starts_with("closed_form."))
        report_(figure.quantity_positions.back(), figure.pointer,
                fmt::format("{} is a closed form, not a result of the simulation: only a statement may use it",
                            json_string(reading.quantity)));
    }
    if (figure.experiments.empty())
      report_(form.value.position, figure.pointer,
              "the expression uses no experiment; list a known number under \"inputs\"");
    const bool statement =
        std::holds_alternative<bool>(published.value) || std::holds_alternative<std::string>(published.value);
    if (statement != figure.value->is_statement())
      report_(form.value.position, figure.pointer,
              fmt::format("\"{}\" is printed as {}: {}", published.id, value_text(published.value),
                          statement ? "expected a condition, which is true or false"
                                    : "expected a number, not a condition"));
    else if (published.number() != nullptr && *published.number() == 0)
      report_(form.id.position, figure.pointer,
              fmt::format("\"{}\" is printed as 0, which has no relative error; exclude it", published.id));
  }

  Pack& pack_;
  const PackNames& ids_;
  PackReport& report_;
  PackNames experiments_{"an experiment of this pack", "experiments", {}};
  std::set<std::size_t> used_;
};

} // namespace

void read_values(Pack& pack, const PackForm& form, const PackNames& ids, PackReport& report) {
  ValueReader reader(pack, ids, report);
  reader.read(form);
  if (report.count() == 0) reader.unused();
}

} // namespace gradflight
