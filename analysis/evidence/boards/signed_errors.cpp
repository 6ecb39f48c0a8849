#include "analysis/evidence/boards/signed_errors.hpp"

#include "base/percentile.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string>

namespace gradflight {

namespace {

constexpr double kib = 1024, mib = 1024 * kib;

struct SizeClass {
  const char* name;
  double most; ///< bytes, inclusive
};
/// Sizes are whole bytes, so 64 KiB is the smallest size of the second class.
constexpr SizeClass size_classes[] = {{"below 64 KiB", 64 * kib - 1},
                                      {"64 KiB to 1 MiB", mib},
                                      {"1 MiB to 16 MiB", 16 * mib},
                                      {"16 MiB to 256 MiB", 256 * mib},
                                      {"above 256 MiB", std::numeric_limits<double>::infinity()}};

using Errors = std::vector<double>;

SignedGroup signed_group(std::string name, const Errors& errors) {
  return {std::move(name), errors.size(), errors.empty() ? std::nullopt : std::optional(percentile(errors, 0.5))};
}

} // namespace

SignedErrors signed_errors(const std::vector<BoardPack>& packs) {
  Errors by_size[std::size(size_classes)];
  std::vector<std::pair<std::string, Errors>> by_operation;
  std::map<std::string, Errors> by_choice;
  for (const BoardPack& pack : packs)
    for (const BoardTable& table : pack.tables) {
      if (!table.is_collective() || table.role != MeasuredRole::scored) continue;
      for (const BoardCase& one : table.cases) {
        const auto error = one.error();
        if (!error) continue;
        const auto* size =
            std::ranges::find_if(size_classes, [&](const SizeClass& each) { return one.size_bytes <= each.most; });
        by_size[size - std::begin(size_classes)].push_back(*error);
        auto operation = std::ranges::find(by_operation, table.what, &std::pair<std::string, Errors>::first);
        if (operation == by_operation.end()) operation = by_operation.insert(operation, {table.what, {}});
        operation->second.push_back(*error);
        by_choice[one.chosen()].push_back(*error);
      }
    }
  SignedErrors all;
  for (std::size_t i = 0; i < std::size(size_classes); ++i)
    all.sizes.push_back(signed_group(size_classes[i].name, by_size[i]));
  for (const auto& [name, errors] : by_operation) all.operations.push_back(signed_group(name, errors));
  for (const auto& [name, errors] : by_choice) all.choices.push_back(signed_group(name, errors));
  return all;
}

std::vector<SignedPair> signed_pairs(const std::vector<SignedGroup>& left_out,
                                     const std::vector<SignedGroup>& in_place) {
  std::vector<SignedPair> pairs;
  for (const SignedGroup& group : left_out) {
    const auto same = std::ranges::find(in_place, group.name, &SignedGroup::name);
    pairs.push_back({group, same == in_place.end() ? SignedGroup{group.name} : *same});
  }
  for (const SignedGroup& group : in_place)
    if (std::ranges::find(left_out, group.name, &SignedGroup::name) == left_out.end())
      pairs.push_back({{group.name}, group});
  return pairs;
}

} // namespace gradflight
