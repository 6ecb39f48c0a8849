// The steps from the JSON form of a pack to its meaning (pack.cpp, pack_parameters.cpp, pack_values.cpp,
// pack_roles.cpp).
#pragma once

#include "scenarios/language/packs/pack_tables.hpp"
#include "scenarios/language/packs/pack_template.hpp"

#include <functional>
#include <map>
#include <set>

namespace gradflight {

/// Collects problems of the pack, with their positions.
class PackReport {
public:
  /// `unread`: top-level keys that could not be read completely. Their content is unknown, so entries that may be there
  /// are not reported as missing. Each mistake is reported once.
  PackReport(Document& document, std::set<std::string> unread) : document_(document), unread_(std::move(unread)) {}
  void operator()(Position at, std::string pointer, std::string message) {
    document_.problems.push_back({at, std::move(pointer), std::move(message)});
  }
  [[nodiscard]] Document& document() { return document_; }
  [[nodiscard]] std::size_t count() const { return document_.problems.size(); }
  /// Returns `path`, which is relative to the pack, relative to the working directory.
  [[nodiscard]] std::string beside(const std::string& path) const;
  [[nodiscard]] bool unread(const std::string& key) const { return unread_.contains(key); }
  void set_unread(const std::string& key) { unread_.insert(key); }

private:
  Document& document_;
  std::set<std::string> unread_;
};

/// Entries of one kind by name.
struct PackNames {
  std::string noun; ///< "an experiment of this pack"
  std::string key;  ///< the pack's key that contains them
  std::map<std::string, std::size_t, std::less<>> index;
};

/// Returns the index of `name`; reports a problem at `at` if it does not exist.
std::optional<std::size_t> index_of(const PackNames& names, const std::string& name, Position at,
                                    const std::string& pointer, PackReport& report);

/// Calls `use(binding)` for every combination of `keys`.
template <class Use> void for_each_binding(const ForKeys& keys, Use use) {
  for (const auto& binding : bindings(keys)) use(binding);
}

/// Replaces the {keys} in each of `texts` with every combination of the keys that the text uses. Calls `use` with the
/// text and its position.
void for_each_text(const std::vector<Node>& texts, const ForKeys& keys, const std::string& pointer, PackReport& report,
                   const std::function<void(const std::string& text, Position at, const std::string& pointer)>& use);

/// Reads the literals, their kinds and bounds; leaves out entries with mistakes.
std::vector<PackParameter> read_parameters(const std::vector<ParameterForm>& forms, PackReport& report);

/// The JSON files that contain the literals; each is read once.
class PackFiles {
public:
  /// Returns null if the file cannot be read, and reports this at `at` the first time.
  const Node* find(const std::string& path, const Node& at, const std::string& pointer, PackReport& report);

private:
  std::map<std::string, std::optional<Node>> files_;
};

/// A number or a quantity in a file; literal_of() returns nothing for other nodes.
struct Literal {
  double value = 0;
  std::optional<Dimension> dimension;
  std::string unit;
};
std::optional<Literal> literal_of(const Node& node);

/// Reads the inputs and the modelling decisions (pack_input_numbers.cpp). Decisions name the pack's experiments.
std::vector<InputNumbers> read_input_numbers(const std::vector<InputNumbersForm>& forms, PackReport& report);
std::vector<PackChoice> read_choices(const std::vector<ChoiceForm>& forms, const Pack& pack, PackReport& report);

/// Returns a member of "set" with its {keys} replaced.
Setting setting_of(const Member& member, const Binding& binding, const std::string& pointer, const std::string& source,
                   PackReport& report);

/// Reads the experiments, and the values of figures (found by `ids`) that use them.
void read_values(Pack& pack, const PackForm& form, const PackNames& ids, PackReport& report);

/// Assigns a role to each figure, and rejects figures that would count twice.
void assign_roles(Pack& pack, const PackForm& form, const PackNames& ids, const Copies& copies, PackReport& report);

} // namespace gradflight
