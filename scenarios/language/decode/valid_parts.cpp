#include "scenarios/language/decode/valid_parts.hpp"

#include "base/parse_number.hpp"
#include "scenarios/language/tables/tables.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace gradflight {

bool is_clean(const std::vector<Problem>& problems, std::string_view pointer) {
  return std::ranges::none_of(problems, [&](const Problem& problem) {
    const std::string_view at = problem.pointer;
    return at.starts_with(pointer) && (at.size() == pointer.size() || at[pointer.size()] == '/');
  });
}

ValidParts::ValidParts(const Document& document) : problems_(document.problems) {
  const auto clean = [&](std::string_view pointer) { return is_clean(problems_, pointer); };
  const auto holds = [&](std::string_view pointer) {
    return node_at(document.root, pointer) != nullptr && clean(pointer);
  };
  Node root = document.root;
  leave_out_items(root);
  std::vector<Problem> known;
  Decoder unreported(known);
  scenario_ = scenario_table().read_partly(root, unreported);
  if (!clean("/failures") || !clean("/changes")) scenario_.recovery.reset(); // it depends on them

  const bool several = root.find("jobs") != nullptr;
  const bool job = clean("/jobs") && (!scenario_.jobs.empty() || (holds("/workload") && holds("/training")));
  const Node* training = root.find("training");
  const bool exchange = holds("/training/exchange") && clean("/training/warmup") && training != nullptr;
  if (!several && !job && exchange) scenario_.phases = phases_of(training_table().read_partly(*training, unreported));
  std::vector<Problem> elsewhere = problems_;
  std::erase_if(elsewhere, [](const Problem& problem) { return problem.pointer.starts_with("/platform/overrides/"); });
  const bool platform = node_at(document.root, "/platform") != nullptr && is_clean(elsewhere, "/platform");
  has_cluster_ = platform && clean("/failures") && clean("/recovery") && (job || (!several && exchange));
  has_job_ = has_cluster_ && job && clean("/engine") && clean("/placement") && clean("/traffic") && clean("/changes") &&
             clean("/limits");
}

void ValidParts::leave_out_items(Node& root) {
  for (const char* at : {"/platform/overrides", "/traffic", "/changes", "/expect"}) {
    Node* list = node_at(root, at);
    if (list == nullptr || list->kind != Node::Kind::list || is_clean(problems_, at)) continue;
    std::vector<Node> items;
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      if (!is_clean(problems_, fmt::format("{}/{}", at, i))) continue;
      items.push_back(std::move(list->items[i]));
      kept_[at].push_back(i);
    }
    list->items = std::move(items);
  }
}

std::string ValidParts::place(const std::string& pointer) const {
  for (const auto& [list, places] : kept_) {
    if (!pointer.starts_with(list + '/')) continue;
    const std::size_t begin = list.size() + 1, end = std::min(pointer.find('/', begin), pointer.size());
    const auto item = parse_number<std::size_t>(pointer.substr(begin, end - begin));
    if (item && *item < places.size()) return fmt::format("{}/{}{}", list, places[*item], pointer.substr(end));
  }
  return pointer;
}

} // namespace gradflight
