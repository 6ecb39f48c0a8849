#include "scenarios/language/packs/pack.hpp"

#include "base/input_file.hpp"
#include "base/nearest_name.hpp"
#include "scenarios/language/decode/decode.hpp"
#include "scenarios/language/fields/shape.hpp"
#include "scenarios/language/packs/pack_reader.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace gradflight {

std::string PackReport::beside(const std::string& path) const {
  const std::filesystem::path pack = document_.sources.name(document_.root.position.file);
  return (directory_of(pack) / path).lexically_normal().string();
}

std::optional<std::size_t> index_of(const PackNames& names, const std::string& name, Position at,
                                    const std::string& pointer, PackReport& report) {
  if (const auto found = names.index.find(name); found != names.index.end()) return found->second;
  if (report.unread(names.key)) return std::nullopt; // the unread key may contain it
  constexpr std::size_t few = 12;
  std::vector<std::string> known;
  for (const auto& entry : names.index) known.push_back(entry.first);
  const auto near = nearest_name(name, known);
  auto message = fmt::format("{} is not {}", json_string(name), names.noun);
  if (!near.empty())
    message += fmt::format("; did you mean \"{}\"?", near);
  else if (known.size() <= few)
    message += known.empty() ? std::string(": the pack has none") : ". Allowed: " + joined(known);
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
  PackReader(Document& document, std::set<std::string> unread, std::vector<Diagnostic>& elsewhere)
      : report_(document, std::move(unread)), elsewhere_(elsewhere) {}

  Pack read(const PackForm& form, const std::string& path) {
    pack_.file = path;
    pack_.paper = form.paper.text;
    pack_.position = form.paper.position;
    pack_.description = form.description;
    figures(form);
    pack_.parameters = read_parameters(form.fitted, report_);
    for (std::size_t i = 0; i < pack_.parameters.size(); ++i) parameters_.index.emplace(pack_.parameters[i].name, i);
    read_values(pack_, form, figures_, report_);
    fits(form);
    assign_roles(pack_, form, figures_, copies_, report_);
    for (std::size_t i = 0; i < form.transfers.size(); ++i) transfer(form.transfers[i], i);
    pack_.input_numbers = read_input_numbers(form.input_numbers, report_);
    pack_.choices = read_choices(form.choices, pack_, report_);
    return std::move(pack_);
  }

private:
  void figures(const PackForm& form) {
    if (report_.unread("paper") || report_.unread("published")) return report_.set_unread("published");
    auto all = published(form);
    std::set<std::string> papers;
    for (const auto& figure : all) papers.insert(figure.paper);
    std::erase_if(all, [&](const PublishedFigure& figure) { return figure.paper != pack_.paper; });
    if (all.empty() && !papers.empty())
      report_(form.paper.position, "/paper",
              fmt::format("{} has no figures of paper {}{}", report_.beside(form.published.text),
                          json_string(pack_.paper), did_you_mean(pack_.paper, {papers.begin(), papers.end()})));
    if (all.empty()) report_.set_unread("published");
    copies_ = copies_of(all);
    for (auto& figure : all) {
      figures_.index.emplace(figure.id, pack_.figures.size());
      pack_.figures.push_back({std::move(figure), FigureRole::excluded, {}, {}, {}, {}, {}});
    }
  }

  /// Returns an empty list, and reports the mistakes, if the figures cannot be read.
  std::vector<PublishedFigure> published(const PackForm& form) {
    const auto path = report_.beside(form.published.text);
    try {
      return load_published(path);
    } catch (const InputErrors& errors) {
      for (const auto& error : errors.diagnostics()) {
        const bool whole = error.file == path && error.line == 0;
        const auto at = form.published.position.line > 0 ? form.published.position : report_.document().root.position;
        if (whole)
          report_(at, "/published", fmt::format("{}: {}", json_string(path), error.message));
        else
          elsewhere_.push_back(error);
      }
    }
    return {};
  }

  void fits(const PackForm& form) {
    std::vector<bool> fitted(pack_.parameters.size());
    for (std::size_t i = 0; i < form.fits.size(); ++i) {
      const auto pointer = fmt::format("/fits/{}", i);
      const auto before = report_.count();
      PackFit fit;
      for_each_text(form.fits[i].parameters, form.fits[i].keys, pointer + "/parameters", report_,
                    [&](const std::string& name, Position at, const std::string& here) {
                      const auto p = index_of(parameters_, name, at, here, report_);
                      if (!p) return report_.set_unread("fits");
                      if (fitted[*p]) report_(at, here, fmt::format("{} is fitted twice", json_string(name)));
                      fitted[*p] = true;
                      fit.parameters.push_back(*p);
                    });
      fit.figures = ids(form.fits[i].to, form.fits[i].keys, pointer + "/to");
      if (report_.count() == before && fit.figures.size() < fit.parameters.size())
        report_(form.fits[i].to.front().position, pointer + "/to",
                fmt::format("{} parameters need at least as many figures, but the fit has {}", fit.parameters.size(),
                            fit.figures.size()));
      pack_.fits.push_back(std::move(fit));
    }
    if (report_.unread("fits")) return;
    for (std::size_t p = 0; p < fitted.size(); ++p)
      if (!fitted[p])
        report_(form.fitted[p].name.position, pack_.parameters[p].pointer + "/name",
                fmt::format("no entry of \"fits\" contains \"{}\"; every fitted number needs one",
                            pack_.parameters[p].name));
  }

  std::vector<std::size_t> ids(const std::vector<Node>& texts, const ForKeys& keys, const std::string& pointer) {
    std::vector<std::size_t> found;
    for_each_text(texts, keys, pointer, report_, [&](const std::string& id, Position at, const std::string& here) {
      if (const auto figure = index_of(figures_, id, at, here, report_)) found.push_back(*figure);
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
                fmt::format("\"{}\" is below 0; a fit needs figures above 0", pack_.figures[figure].published.id));
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
          report_(
              form.name.position, pointer + "/predict",
              fmt::format("this transfer fits to \"{}\", so it cannot predict it", pack_.figures[figure].published.id));
    }
    pack_.transfers.push_back(std::move(transfer));
  }

  /// Returns the figures that a fit can use and predict.
  std::vector<std::size_t> scored(const std::vector<Node>& texts, const ForKeys& keys, const std::string& pointer) {
    auto found = ids(texts, keys, pointer);
    const bool unsure = report_.unread("figures") || report_.unread("fits");
    for (const auto index : found) {
      const auto& figure = pack_.figures[index];
      if (figure.scored() || unsure || figure.is_wrong()) continue;
      report_(texts.front().position, pointer,
              fmt::format("\"{}\" is {}; a transfer takes only predicted and fitted figures", figure.published.id,
                          role_name(figure.role)));
    }
    return found;
  }

  PackReport report_;
  std::vector<Diagnostic>& elsewhere_;
  Pack pack_;
  Copies copies_;
  PackNames figures_{"a published figure of this paper", "published", {}};
  PackNames parameters_{"a fitted number of this pack", "fitted", {}};
};

/// Returns the top-level keys with mistakes, and the missing ones.
std::set<std::string> unread_keys(const Document& document) {
  std::set<std::string> keys;
  for (const auto& problem : document.problems)
    keys.insert(problem.pointer.substr(0, problem.pointer.find('/', 1)).erase(0, 1));
  for (const auto& field : pack_table().info.fields)
    if (field.required && document.root.find(field.key) == nullptr) keys.insert(field.key);
  return keys;
}

} // namespace

const FileForm& pack_file() {
  static const FileForm form = object_form(pack_table().info);
  return form;
}

Pack read_pack(Document document, const std::string& path, std::vector<Diagnostic>& errors) {
  if (!document.complete) refuse(document);
  Decoder decoder(document.problems);
  const auto form = pack_table().read_partly(document.root, decoder);
  if (document.root.kind != Node::Kind::object) refuse(document);
  std::vector<Diagnostic> elsewhere;
  auto pack = PackReader(document, unread_keys(document), elsewhere).read(form, path);
  auto content = document.root;
  for (const auto* key : {"given", "choices"}) content.erase(key); // fits do not depend on them
  if (auto* fitted = content.find("fitted"))
    for (auto& parameter : fitted->items) parameter.erase("uncertainty");
  pack.content = json_text_sorted(content);
  errors = document.sources.diagnostics(std::move(document.problems));
  errors.insert(errors.end(), elsewhere.begin(), elsewhere.end());
  pack.sources = std::move(document.sources);
  return pack;
}

Pack read_pack(const std::string& path, std::vector<Diagnostic>& errors) {
  return read_pack(read_document(path, {&pack_file()}), path, errors);
}

Pack decode_pack(Document document, const std::string& path) {
  std::vector<Diagnostic> errors;
  auto pack = read_pack(std::move(document), path, errors);
  if (!errors.empty()) throw InputErrors(std::move(errors));
  return pack;
}

Pack load_pack(const std::string& path) { return decode_pack(read_document(path, {&pack_file()}), path); }

} // namespace gradflight
