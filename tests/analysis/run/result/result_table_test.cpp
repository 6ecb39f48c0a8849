#include "analysis/run/result/fields/result_fields.hpp"

#include "analysis/run/files/result_json.hpp"
#include "analysis/run/result/fields/result_path.hpp"
#include "analysis/run/text/result_reference.hpp"
#include "scenarios/language/describe/describe.hpp"
#include "scenarios/language/json/json_reader.hpp"
#include "tests/analysis/run/result/outcome_example.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <source_dir.hpp>

using namespace gradflight;
using Json = nlohmann::ordered_json;

namespace {

std::string committed(const std::string& file) { return read_file(std::string(GF_SOURCE_DIR) + "/" + file).text; }

void collect(const ResultTableInfo& table, std::set<const ResultTableInfo*>& all) {
  if (!all.insert(&table).second) return;
  for (const auto& row : table.rows)
    if (row.table != nullptr) collect(*row.table, all);
}
std::set<const ResultTableInfo*> tables() {
  std::set<const ResultTableInfo*> all;
  collect(result_table(), all);
  return all;
}

/// Checks that all required keys exist, that no other keys do, and that null occurs only where it is allowed.
void require_fit(const Json& object, const ResultTableInfo& table, std::set<std::string>& seen) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& field = table.info.fields[i];
    INFO(table.info.name << "." << field.key);
    const bool is_there = keys.erase(field.key) == 1;
    CHECK((is_there || !field.only.empty()));
    if (!is_there) continue;
    seen.insert(table.info.name + '.' + field.key);
    const Json& value = object[field.key];
    CHECK((!value.is_null() || field.shape.nullable));
    if (table.rows[i].table == nullptr || value.is_null()) continue;
    if (field.shape.kind == Shape::Kind::object) require_fit(value, *table.rows[i].table, seen);
    if (field.shape.kind == Shape::Kind::list)
      for (const Json& item : value) require_fit(item, *table.rows[i].table, seen);
  }
  CHECK(keys.empty());
}

} // namespace

// After a change of the table, test_run "[.generate]" writes both files again.
TEST_CASE("generate the schema of results and their reference page", "[.generate]") {
  std::ofstream(std::string(GF_SOURCE_DIR) + "/scenarios/result.schema.json")
      << schema_text(result_table().info, failed_run_table().info);
  std::ofstream(std::string(GF_SOURCE_DIR) + "/docs/result-reference.md") << result_reference();
  SUCCEED("written");
}

TEST_CASE("the committed schema of results is that of the table") {
  CHECK(committed("scenarios/result.schema.json") == schema_text(result_table().info, failed_run_table().info));
}

TEST_CASE("the committed result reference is that of the table") {
  CHECK(committed("docs/result-reference.md") == result_reference());
}

TEST_CASE("a number's name says its unit") {
  const std::map<std::string, std::string> endings = {{"s", "_s"}, {"bytes", "bytes"}, {"bytes/s", "_bytes_per_s"}};
  for (const auto* table : tables()) {
    if (table->info.name == "lost_time") continue; // the object's key contains it: lost_time_s
    for (const auto& field : table->info.fields) {
      INFO(table->info.name << "." << field.key);
      const bool number = field.shape.kind == Shape::Kind::number || field.shape.kind == Shape::Kind::integer;
      CHECK(number != field.unit.empty());
      if (const auto ending = endings.find(field.unit); ending != endings.end()) {
        CHECK(field.key.ends_with(ending->second));
      } else if (field.shape.kind != Shape::Kind::object) {
        for (const auto& [unit, other] : endings) CHECK_FALSE(field.key.ends_with(other));
      }
      CHECK(field.doc.ends_with('.'));
    }
  }
}

TEST_CASE("tables have names of their own, and rows keys of their own") {
  std::set<std::string> names;
  for (const auto* table : tables()) {
    CHECK(names.insert(table->info.name).second);
    std::set<std::string> keys;
    for (const auto& field : table->info.fields) CHECK(keys.insert(field.key).second);
  }
}

TEST_CASE("a result has the keys that its table says, and only those") {
  std::set<std::string> seen;
  require_fit(Json::parse(result_json(testing::outcome_with_everything())), result_table(), seen);
  auto without = testing::example_outcome();
  without.form = {{}, "asynchronous servers"};
  require_fit(Json::parse(result_json(without)), result_table(), seen);
  require_fit(Json::parse(result_json(testing::outcome_of_jobs())), result_table(), seen);
  require_fit(Json::parse(result_json(testing::outcome_of_list())), result_table(), seen);
  std::size_t rows = 0;
  for (const auto* table : tables()) rows += table->rows.size();
  CHECK(seen.size() == rows); // together they contain all rows
}

TEST_CASE("what a name reads is what the object holds there") {
  const std::vector<Outcome> examples = {testing::outcome_with_everything(), testing::outcome_of_jobs(),
                                         testing::outcome_of_list()};
  std::vector<Json> flat_examples;
  for (const Outcome& outcome : examples) flat_examples.push_back(Json::parse(result_json(outcome)).flatten());
  const auto names = value_names(result_table(), NameKind::values);
  CHECK(names.size() > 80);
  for (const auto& name : names) {
    INFO(name);
    const auto found = find_name(result_table(), name, NameKind::values);
    REQUIRE(found.error.empty());
    std::string pointer = '/' + name;
    std::ranges::replace(pointer, '.', '/');
    const auto has_it = std::ranges::find_if(flat_examples, [&](const Json& flat) { return flat.contains(pointer); });
    const std::size_t example =
        has_it == flat_examples.end() ? 0 : static_cast<std::size_t>(has_it - flat_examples.begin());
    const Json& flat = flat_examples[example];
    const auto value = result_table().read(examples[example], found.path);
    if (!flat.contains(pointer)) {
      // The whole run of several jobs alone begins before its path.
      CHECK((name.ends_with("closed_form_missing") || name.ends_with("breakdown.before_start_s")));
      CHECK_FALSE(value);
    } else if (!value) {
      CHECK(flat[pointer].is_null());
    } else {
      CHECK(std::visit([](const auto& v) { return Json(v); }, *value) == flat[pointer]);
    }
  }
}

TEST_CASE("iterations beyond the bound go by their own numbers") {
  auto outcome = testing::example_outcome();
  outcome.result.iterations.clear();
  for (int i = 1; i <= 12'345; ++i) outcome.result.iterations.push_back({static_cast<double>(i), {}});
  const auto found = find_name(result_table(), "iterations.9000.end_s", NameKind::numbers);
  CHECK(result_table().read(outcome, found.path) == ResultValue(9'001.0));
}
