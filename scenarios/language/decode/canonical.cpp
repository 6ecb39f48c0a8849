#include "scenarios/language/decode/canonical.hpp"

#include "base/digest.hpp"
#include "scenarios/language/decode/inherit.hpp"
#include "scenarios/language/tables/tables.hpp"
#include "scenarios/language/tables/training/gradient_index.hpp"

#include <map>

namespace gradflight {

std::string canonical_json(const Scenario& scenario) { return json_text_sorted(scenario_table().show(scenario)); }

std::string workload_json(const Workload& workload) { return json_text_ordered(workload_value().show(workload)); }

namespace {

void shorten_quantities(Node& node, const Shape& shape) {
  if (shape.kind == Shape::Kind::quantity)
    node = Node::of(format_quantity(parse_quantity(node.text, shape.dimension), shape.dimension));
  if (shape.kind == Shape::Kind::list)
    for (Node& item : node.items) shorten_quantities(item, shape.parts.front());
  if (shape.table == nullptr) return;
  for (const FieldInfo& field : shape.table->fields)
    if (Node* value = node.find(field.key)) shorten_quantities(*value, field.shape);
}

/// Removes empty texts and lists, which are defaults.
void drop_empty(Node& node) {
  std::erase_if(node.members, [](Member& member) {
    drop_empty(member.value);
    const bool is_list = member.value.kind == Node::Kind::list;
    return is_list ? member.value.items.empty() : member.value.kind == Node::Kind::text && member.value.text.empty();
  });
  for (Node& item : node.items) drop_empty(item);
}

/// Removes keys that cannot change a time, and replaces the paths of folders by identifiers of their content.
void keep_relevant_keys(Node& object, const TableInfo& table, const std::map<std::string, std::string>& content) {
  for (const auto& field : table.fields) {
    if (field.for_people) object.erase(field.key);
    if (!field.shape.folder) continue;
    auto* folder = object.find(field.key);
    if (folder != nullptr && folder->kind == Node::Kind::text) folder->text = content.at(folder->text);
  }
}

std::string relevant_json(const Scenario& scenario) {
  auto node = scenario_table().show(scenario);
  std::map<std::string, std::string> content;
  const auto read_folders = [&](const std::vector<Phase>& phases) {
    for (const Phase& phase : phases)
      if (const auto& files = phase.training.compression.tensors;
          !files.directory.empty() && !content.contains(files.directory))
        content[files.directory] = gradient_content(files);
  };
  read_folders(scenario.phases);
  for (const JobSpec& job : scenario.jobs) read_folders(job.phases);
  for_each_object(node, object(scenario_table()).shape,
                  [&](Node& part, const TableInfo& table, bool) { keep_relevant_keys(part, table, content); });
  return json_text_sorted(node);
}

} // namespace

std::string platform_json(const PlatformSpec& platform) {
  const auto value = object(platform_table());
  Node node = value.show(platform);
  shorten_quantities(node, value.shape);
  drop_empty(node);
  return json_text_ordered(node);
}

std::string scenario_id(const Scenario& scenario) {
  return digest(relevant_json(scenario) + std::string(model_version));
}

std::string scenario_digest(const Scenario& scenario) { return digest(relevant_json(scenario)); }

} // namespace gradflight
