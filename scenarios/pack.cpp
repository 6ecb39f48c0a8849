#include "scenarios/pack.hpp"

#include "models/nearest_name.hpp"
#include "scenarios/decode.hpp"
#include "scenarios/json_reader.hpp"
#include "scenarios/pack_reader.hpp"
#include "scenarios/shape.hpp"
#include "scenarios/sweep_points.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace gradflight {

std::string PackReport::beside(const std::string& path) const {
  const std::filesystem::path pack = document_.sources.name(document_.root.position.file);
  return (pack.parent_path() / path).lexically_normal().string();
}

std::optional<std::size_t> index_of(const PackIndex& names, const std::string& name, const std::string& noun,
                                    Position at, const std::string& pointer, PackReport& report) {
  if (const auto found = names.find(name); found != names.end()) return found->second;
  constexpr std::size_t few = 12;
  std::vector<std::string> known;
  for (const auto& [key, index] : names) known.push_back(key);
  const auto near = nearest_name(name, known);
  auto message = fmt::format("\"{}\" is not {}", name, noun);
  if (!near.empty())
    message += fmt::format("; did you mean \"{}\"?", near);
  else if (known.size() <= few)
    message += ". Known: " + (known.empty() ? "none" : joined(known));
  report(at, pointer, std::move(message));
  return std::nullopt;
}

void for_each_text(const std::vector<Node>& texts, const ForKeys& keys, const std::string& pointer, PackReport& report,
                   const std::function<void(const std::string& text, Position at, const std::string& pointer)>& use) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto here = texts.size() > 1 ? fmt::format("{}/{}", pointer, i) : pointer;
    ForKeys used;
    std::ranges::copy_if(keys, std::back_inserter(used),
                         [&](const ForKey& key) { return uses(texts[i].text, key.key); });
    const auto before = report.document().problems.size();
    for (const auto& binding : bindings(used)) {
      const auto text = filled(texts[i], binding, here, report.document().problems);
      if (report.document().problems.size() > before) break;
      use(text.text, texts[i].position, here);
    }
  }
}

namespace {

class PackReader {
public:
  PackReader(Document& document, const std::string& path) : report_(document) { pack_.file = path; }

  Pack read(const PackForm& form) {
    pack_.paper = form.paper.text;
    pack_.position = form.paper.position;
    pack_.description = form.description;
    figures(form);
    pack_.parameters = read_parameters(form.fitted, report_);
    for (std::size_t i = 0; i < pack_.parameters.size(); ++i) parameters_.emplace(pack_.parameters[i].name, i);
    for (std::size_t i = 0; i < form.experiments.size(); ++i) experiments(form.experiments[i], i);
    for (std::size_t i = 0; i < form.figures.size(); ++i) values(form.figures[i], i);
    fits(form);
    assign_roles(pack_, form, figures_, copies_, report_);
    for (std::size_t i = 0; i < form.transfers.size(); ++i) transfer(form.transfers[i], i);
    unused();
    return std::move(pack_);
  }

private:
  std::vector<Problem>& problems() { return report_.document().problems; }

  void figures(const PackForm& form) {
    auto all = load_published(report_.beside(form.published));
    std::set<std::string> papers;
    for (const auto& figure : all) papers.insert(figure.paper);
    if (!papers.contains(pack_.paper))
      report_(form.paper.position, "/paper",
              fmt::format("{} has no figures of \"{}\"{}", report_.beside(form.published), pack_.paper,
                          did_you_mean(pack_.paper, {papers.begin(), papers.end()})));
    std::erase_if(all, [&](const PublishedFigure& figure) { return figure.paper != pack_.paper; });
    copies_ = copies_of(all);
    for (auto& figure : all) {
      figures_.emplace(figure.id, pack_.figures.size());
      pack_.figures.push_back({std::move(figure), FigureRole::excluded, {}, {}, {}, {}, {}});
    }
  }

  void experiments(const ExperimentForm& form, std::size_t entry) {
    const auto pointer = fmt::format("/experiments/{}", entry);
    for_each_binding(form.keys, [&](const Binding& binding) {
      const auto name = filled(form.name, binding, pointer + "/name", problems()).text;
      const auto scenario = filled(form.scenario, binding, pointer + "/scenario", problems()).text;
      PackExperiment experiment{name, report_.beside(scenario), {}, form.name.position, pointer};
      for (const auto& member : form.set) experiment.settings.push_back(setting(member, binding, pointer));
      if (name.find_first_of("()") != std::string::npos)
        report_(form.name.position, pointer + "/name", "a name with parentheses cannot be read in an expression");
      if (!experiments_.emplace(name, pack_.experiments.size()).second)
        report_(form.name.position, pointer + "/name", fmt::format("the experiment \"{}\" stands here twice", name));
      pack_.experiments.push_back(std::move(experiment));
    });
  }

  Setting setting(const Member& member, const Binding& binding, const std::string& pointer) {
    const auto here = pointer + "/set/" + pointer_token(member.key);
    auto key = Node::of(member.key);
    key.position = member.position;
    Setting setting{filled(key, binding, here, problems()).text, member.value, pack_.file,
                    first_character(member.position)};
    if (is_text(member.value)) setting.value = set_argument(filled(member.value, binding, here, problems()).text);
    setting.value.position = member.value.position;
    return setting;
  }

  /// As --set reads it: JSON, else a text.
  static Node set_argument(const std::string& text) {
    std::vector<Problem> not_json;
    auto value = parse_json(text, 0, not_json);
    return value ? std::move(*value) : Node::of(text);
  }

  void values(const FigureForm& form, std::size_t entry) {
    const auto pointer = fmt::format("/figures/{}", entry);
    for_each_binding(form.keys, [&](const Binding& binding) {
      const auto before = problems().size();
      const auto id = filled(form.id, binding, pointer + "/id", problems());
      const auto value = filled(form.value, binding, pointer + "/value", problems());
      if (problems().size() > before) return;
      const auto index =
          index_of(figures_, id.text, "a published figure of this paper", form.id.position, pointer + "/id", report_);
      if (!index) return;
      auto& figure = pack_.figures[*index];
      if (figure.value)
        return report_(form.id.position, pointer + "/id", fmt::format("\"{}\" has a value already", id.text));
      figure.pointer = pointer + "/value";
      figure.position = form.value.position;
      try {
        figure.value.emplace(value.text);
        readings(figure, form, value);
      } catch (const WhereError& error) {
        report_(place_in(form.value, value, error.offset), figure.pointer, error.message);
      }
    });
  }

  void readings(PackFigure& figure, const FigureForm& form, const FilledText& text) {
    for (const auto& reading : figure.value->readings()) {
      const auto at = place_in(form.value, text, reading.experiment_offset);
      const auto index =
          index_of(experiments_, reading.experiment, "an experiment of this pack", at, figure.pointer, report_);
      figure.experiments.push_back(index.value_or(0));
      figure.quantity_positions.push_back(place_in(form.value, text, reading.quantity_offset));
      if (index) used_.insert(*index);
    }
    if (figure.experiments.empty())
      report_(form.value.position, figure.pointer, "no experiment is read: a number that is known is an input");
    const auto& published = figure.published;
    const bool statement =
        std::holds_alternative<bool>(published.value) || std::holds_alternative<std::string>(published.value);
    if (statement != figure.value->is_statement())
      report_(form.value.position, figure.pointer,
              fmt::format("\"{}\" is printed as {}: {}", published.id, value_text(published.value),
                          statement ? "a condition is needed, true or false" : "a number is needed, no condition"));
    else if (published.number() != nullptr && *published.number() == 0)
      report_(form.id.position, figure.pointer,
              fmt::format("\"{}\" is printed as 0: no error is relative to that; exclude it", published.id));
  }

  void fits(const PackForm& form) {
    std::vector<bool> fitted(pack_.parameters.size());
    for (std::size_t i = 0; i < form.fits.size(); ++i) {
      const auto pointer = fmt::format("/fits/{}", i);
      PackFit fit;
      for_each_text(form.fits[i].parameters, form.fits[i].keys, pointer + "/parameters", report_,
                    [&](const std::string& name, Position at, const std::string& here) {
                      const auto p = index_of(parameters_, name, "a fitted number of this pack", at, here, report_);
                      if (!p) return;
                      if (fitted[*p]) report_(at, here, fmt::format("\"{}\" is fitted twice", name));
                      fitted[*p] = true;
                      fit.parameters.push_back(*p);
                    });
      fit.figures = ids(form.fits[i].to, form.fits[i].keys, pointer + "/to");
      if (fit.figures.size() < fit.parameters.size())
        report_(form.fits[i].to.front().position, pointer + "/to",
                fmt::format("{} parameters cannot be fitted to {} figures", fit.parameters.size(), fit.figures.size()));
      pack_.fits.push_back(std::move(fit));
    }
    for (std::size_t p = 0; p < fitted.size(); ++p)
      if (!fitted[p])
        report_(form.fitted[p].name.position, pack_.parameters[p].pointer + "/name",
                fmt::format("no fit says what \"{}\" was fitted to", pack_.parameters[p].name));
  }

  std::vector<std::size_t> ids(const std::vector<Node>& texts, const ForKeys& keys, const std::string& pointer) {
    std::vector<std::size_t> found;
    for_each_text(texts, keys, pointer, report_, [&](const std::string& id, Position at, const std::string& here) {
      if (const auto figure = index_of(figures_, id, "a published figure of this paper", at, here, report_))
        found.push_back(*figure);
    });
    return found;
  }

  void transfer(const TransferForm& form, std::size_t entry) {
    const auto pointer = fmt::format("/transfer/{}", entry);
    PackTransfer transfer{form.name.text, scored(form.fit, form.keys, pointer + "/fit"),
                          scored(form.predict, form.keys, pointer + "/predict")};
    for (const auto figure : transfer.fit)
      if (const auto* number = pack_.figures[figure].published.number(); number != nullptr && *number < 0)
        report_(form.fit.front().position, pointer + "/fit",
                fmt::format("\"{}\" is below 0: only figures above 0 can be fitted to",
                            pack_.figures[figure].published.id));
    const auto near_fit = [&](std::size_t figure) {
      return std::ranges::any_of(transfer.fit, [&](std::size_t f) {
        return f == figure || std::ranges::find(copies_.same[f], figure) != copies_.same[f].end();
      });
    };
    if (form.predict.empty()) {
      for (std::size_t i = 0; i < pack_.figures.size(); ++i)
        if (pack_.figures[i].scored() && !near_fit(i)) transfer.predict.push_back(i);
    } else {
      for (const auto figure : transfer.predict)
        if (near_fit(figure))
          report_(form.name.position, pointer + "/predict",
                  fmt::format("\"{}\" is fitted to here, so it is not predicted", pack_.figures[figure].published.id));
    }
    pack_.transfers.push_back(std::move(transfer));
  }

  /// Figures that can be fitted to and predicted.
  std::vector<std::size_t> scored(const std::vector<Node>& texts, const ForKeys& keys, const std::string& pointer) {
    auto found = ids(texts, keys, pointer);
    for (const auto figure : found)
      if (!pack_.figures[figure].scored())
        report_(texts.front().position, pointer,
                fmt::format("\"{}\" is {}: only predicted and fitted figures transfer",
                            pack_.figures[figure].published.id, role_name(pack_.figures[figure].role)));
    return found;
  }

  void unused() {
    // A value with a mistake in it may be the one that reads the experiment.
    if (!problems().empty()) return;
    for (std::size_t i = 0; i < pack_.experiments.size(); ++i)
      if (!used_.contains(i))
        report_(pack_.experiments[i].position, pack_.experiments[i].pointer,
                fmt::format("no figure reads \"{}\"", pack_.experiments[i].name));
  }

  PackReport report_;
  Pack pack_;
  Copies copies_;
  PackIndex figures_, parameters_, experiments_;
  std::set<std::size_t> used_;
};

} // namespace

Pack decode_pack(Document& document, const std::string& path) {
  const auto form = decode(document, object(pack_table()));
  auto pack = PackReader(document, path).read(form);
  if (!document.problems.empty()) refuse(document);
  pack.sources = document.sources;
  auto content = document.root;
  if (auto* fitted = content.find("fitted"))
    for (auto& parameter : fitted->items) parameter.erase("uncertainty");
  pack.content = json_text_sorted(content);
  return pack;
}

Pack load_pack(const std::string& path) {
  auto document = read_document(path);
  return decode_pack(document, path);
}

} // namespace gradflight
