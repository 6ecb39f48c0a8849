#include "scenarios/language/packs/published.hpp"

#include "scenarios/language/decode/decode.hpp"
#include "scenarios/language/packs/pack_tables.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace gradflight {
namespace {

using Places = std::map<std::string, std::size_t, std::less<>>;

/// Returns the figures with the name `name`: the one with that id, else those in the group with that name.
std::vector<std::size_t> meant(const std::string& name, const std::vector<PublishedFigure>& figures,
                               const Places& places) {
  if (const auto found = places.find(name); found != places.end()) return {found->second};
  std::vector<std::size_t> group;
  for (std::size_t i = 0; i < figures.size(); ++i)
    if (figures[i].id.starts_with(name + ".")) group.push_back(i);
  return group;
}

Places places_of(const std::vector<PublishedFigure>& figures) {
  Places places;
  for (std::size_t i = 0; i < figures.size(); ++i) places.emplace(figures[i].id, i);
  return places;
}

} // namespace

std::string value_text(const PublishedValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return Node::of(*number).text;
  if (const auto* range = std::get_if<std::array<double, 2>>(&value))
    return fmt::format("[{}, {}]", Node::of((*range)[0]).text, Node::of((*range)[1]).text);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  return std::get<std::string>(value);
}

const FileForm& published_file() {
  static const FileForm form{"published", published_value().shape};
  return form;
}

std::vector<PublishedFigure> load_published(const std::string& path) {
  auto document = read_document(path, {&published_file()});
  return decode_published(document);
}

std::vector<PublishedFigure> decode_published(Document& document) {
  auto figures = decode(document, published_value());
  const auto report = [&](std::size_t i, const char* key, std::string message) {
    const auto pointer = fmt::format("/{}/{}", i, key);
    document.problems.push_back({locate(document.root, pointer).position, pointer, std::move(message)});
  };
  const auto places = places_of(figures);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const auto& figure = figures[i];
    if (places.find(figure.id)->second != i) report(i, "id", fmt::format("\"{}\" appears twice", figure.id));
    if (figure.duplicate_of.empty()) continue;
    const auto originals = meant(figure.duplicate_of, figures, places);
    if (originals.empty()) report(i, "dup_of", fmt::format("unknown figure \"{}\"", figure.duplicate_of));
    if (std::ranges::find(originals, i) != originals.end())
      report(i, "dup_of", "a figure cannot be a duplicate of itself");
  }
  if (!document.problems.empty()) refuse(document);
  return figures;
}

Copies copies_of(const std::vector<PublishedFigure>& figures) {
  const auto places = places_of(figures);
  Copies copies{std::vector<std::vector<std::size_t>>(figures.size()), {}};
  copies.groups = copies.same;
  std::vector<std::size_t> measurement(figures.size());
  std::iota(measurement.begin(), measurement.end(), 0);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (figures[i].duplicate_of.empty()) continue;
    auto originals = meant(figures[i].duplicate_of, figures, places);
    if (!places.contains(figures[i].duplicate_of)) {
      copies.groups[i] = std::move(originals);
      continue;
    }
    const auto from = measurement[i], to = measurement[originals.front()];
    std::ranges::replace(measurement, from, to);
  }
  for (std::size_t i = 0; i < figures.size(); ++i)
    for (std::size_t k = 0; k < figures.size(); ++k)
      if (i != k && measurement[i] == measurement[k]) copies.same[i].push_back(k);
  return copies;
}

} // namespace gradflight
