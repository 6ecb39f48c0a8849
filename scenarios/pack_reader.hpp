// The steps from a pack as written to what it means (pack.cpp, pack_parameters.cpp, pack_roles.cpp).
#pragma once

#include "scenarios/pack_tables.hpp"
#include "scenarios/pack_template.hpp"

#include <functional>
#include <map>

namespace gradflight {

/// Problems with the pack, at places in it.
class PackReport {
public:
  explicit PackReport(Document& document) : document_(document) {}
  void operator()(Position at, std::string pointer, std::string message) {
    document_.problems.push_back({at, std::move(pointer), std::move(message)});
  }
  [[nodiscard]] Document& document() { return document_; }
  /// `path` as written in the pack, seen from the working directory.
  [[nodiscard]] std::string beside(const std::string& path) const;

private:
  Document& document_;
};

using PackIndex = std::map<std::string, std::size_t, std::less<>>;

/// Calls `use(binding)` for every combination of `keys`.
template <class Use> void for_each_binding(const ForKeys& keys, Use use) {
  for (const auto& binding : bindings(keys)) use(binding);
}

/// The literals, their kinds and bounds; entries that are wrong are left out.
std::vector<PackParameter> read_parameters(const std::vector<ParameterForm>& forms, PackReport& report);

/// `texts` with their {keys} replaced by every combination of those keys of `keys` that each uses. `use` gets the text
/// and its place.
void for_each_text(const std::vector<Node>& texts, const ForKeys& keys, const std::string& pointer, PackReport& report,
                   const std::function<void(const std::string& text, Position at, const std::string& pointer)>& use);

/// Gives each figure its role, and refuses what would count twice.
void assign_roles(Pack& pack, const PackForm& form, const PackIndex& figures, const Copies& copies, PackReport& report);

/// The index of `name`, or a complaint at `at`.
std::optional<std::size_t> index_of(const PackIndex& names, const std::string& name, const std::string& noun,
                                    Position at, const std::string& pointer, PackReport& report);

} // namespace gradflight
