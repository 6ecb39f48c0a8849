// The steps from a pack as written to what it means (pack.cpp, pack_parameters.cpp, pack_values.cpp,
// pack_roles.cpp).
#pragma once

#include "scenarios/language/packs/pack_tables.hpp"
#include "scenarios/language/packs/pack_template.hpp"

#include <functional>
#include <map>
#include <set>

namespace gradflight {

/// Problems with the pack, at places in it.
class PackReport {
public:
  /// `unread`: top-level keys that could not be read whole. What such a key would have said is unknown, so nothing is
  /// said to be missing for want of it: one mistake is told once.
  PackReport(Document& document, std::set<std::string> unread) : document_(document), unread_(std::move(unread)) {}
  void operator()(Position at, std::string pointer, std::string message) {
    document_.problems.push_back({at, std::move(pointer), std::move(message)});
  }
  [[nodiscard]] Document& document() { return document_; }
  [[nodiscard]] std::size_t count() const { return document_.problems.size(); }
  /// `path` as written in the pack, seen from the working directory.
  [[nodiscard]] std::string beside(const std::string& path) const;
  [[nodiscard]] bool unread(const std::string& key) const { return unread_.contains(key); }
  void set_unread(const std::string& key) { unread_.insert(key); }

private:
  Document& document_;
  std::set<std::string> unread_;
};

/// Things of one kind by name.
struct PackNames {
  std::string noun; ///< "an experiment of this pack"
  std::string key;  ///< the pack's key that they stand under
  std::map<std::string, std::size_t, std::less<>> index;
};

/// The index of `name`, or a complaint at `at`.
std::optional<std::size_t> index_of(const PackNames& names, const std::string& name, Position at,
                                    const std::string& pointer, PackReport& report);

/// Calls `use(binding)` for every combination of `keys`.
template <class Use> void for_each_binding(const ForKeys& keys, Use use) {
  for (const auto& binding : bindings(keys)) use(binding);
}

/// `texts` with their {keys} replaced by every combination of those keys of `keys` that each uses. `use` gets the text
/// and its place.
void for_each_text(const std::vector<Node>& texts, const ForKeys& keys, const std::string& pointer, PackReport& report,
                   const std::function<void(const std::string& text, Position at, const std::string& pointer)>& use);

/// The literals, their kinds and bounds; entries that are wrong are left out.
std::vector<PackParameter> read_parameters(const std::vector<ParameterForm>& forms, PackReport& report);

/// JSON files that literals stand in, each read once.
class PackFiles {
public:
  /// Null where it cannot be read, which is told at `at` the first time.
  const Node* find(const std::string& path, const Node& at, const std::string& pointer, PackReport& report);

private:
  std::map<std::string, std::optional<Node>> files_;
};

/// A number or a quantity as it stands in a file; nothing where `node` is neither.
struct Literal {
  double value = 0;
  std::optional<Dimension> dimension;
  std::string unit;
};
std::optional<Literal> literal_of(const Node& node);

/// What went in, and what was chosen (pack_given.cpp). Choices name the pack's experiments.
std::vector<PackGiven> read_given(const std::vector<GivenForm>& forms, PackReport& report);
std::vector<PackChoice> read_choices(const std::vector<ChoiceForm>& forms, const Pack& pack, PackReport& report);

/// A member of "set" with its {keys} replaced.
Setting setting_of(const Member& member, const Binding& binding, const std::string& pointer, const std::string& source,
                   PackReport& report);

/// The experiments, and what figures (by `ids`) are worked out from them.
void read_values(Pack& pack, const PackForm& form, const PackNames& ids, PackReport& report);

/// Gives each figure its role, and refuses what would count twice.
void assign_roles(Pack& pack, const PackForm& form, const PackNames& ids, const Copies& copies, PackReport& report);

} // namespace gradflight
