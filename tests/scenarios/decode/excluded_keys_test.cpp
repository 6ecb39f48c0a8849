// A key that a setting excludes is rejected, for any order of the fields in their table. Tries every pair of a key with
// a condition and a setting that the condition's words exclude.
#include "scenarios/language/decode/decode.hpp"
#include "scenarios/language/packs/pack_tables.hpp"
#include "scenarios/language/sweeps/sweep_tables.hpp"
#include "tests/scenarios/support.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <source_dir.hpp>

using namespace gradflight;
using namespace gradflight::test;

namespace {

using Settings = std::map<std::string, std::string>; ///< keys, and their values as JSON
constexpr const char* list_item = "[]";              ///< an item of a list in a path

struct TableAt {
  const TableInfo* table;
  std::vector<std::string> path;
};

/// Finds each table once, at its first position.
void find_tables(const Shape& shape, const std::vector<std::string>& path, std::vector<TableAt>& places) {
  const auto below = [&](std::string token) {
    auto longer = path;
    longer.push_back(std::move(token));
    return longer;
  };
  for (const auto& part : shape.parts)
    find_tables(part, shape.kind == Shape::Kind::list ? below(list_item) : path, places);
  const auto known = [&](const TableAt& place) { return place.table == shape.table; };
  if (shape.table == nullptr || std::ranges::any_of(places, known)) return;
  places.push_back({shape.table, path});
  for (const auto& field : shape.table->fields) find_tables(field.shape, below(field.key), places);
}

std::vector<TableAt> tables_of(const FileForm& form) {
  std::vector<TableAt> places;
  find_tables(form.shape, {}, places);
  return places;
}

std::string json_of(const Settings& settings) {
  std::string text;
  for (const auto& [key, value] : settings) text += (text.empty() ? "\"" : ", \"") + key + "\": " + value;
  return "{" + text + "}";
}

/// Whether the key is rejected as one without effect, in a scenario with these settings of the object at `place`.
bool is_refused(const TableAt& place, const std::string& key, Settings settings) {
  settings.emplace(key, "true"); // the condition is checked before the value
  if (place.path.empty()) {      // the scenario itself
    std::vector<std::string> sets;
    for (const auto& [name, value] : settings) sets.push_back(name + "=" + value);
    return errors_with(sets).find(": /" + key + ": \"" + key + "\" has no effect here") != std::string::npos;
  }
  auto text = json_of(settings);
  std::string pointer;
  for (std::size_t i = place.path.size(); i-- > 1;)
    text = place.path[i] == list_item ? "[" + text + "]" : json_of({{place.path[i], text}});
  for (const auto& token : place.path) pointer += token == list_item ? "/0" : "/" + token;
  const auto errors = errors_with({place.path.front() + "=" + text});
  return errors.find(": " + pointer + "/" + key + ": \"" + key + "\" has no effect here") != std::string::npos;
}

const std::string captured_tensors = "\"" GF_SOURCE_DIR "/tests/scenarios/data/gradients/version-1\"";

/// Returns a setting of `key`, with the other keys that it needs.
Settings choosing(const std::string& key, const std::string& value) {
  Settings settings{{key, "\"" + value + "\""}};
  if (key == "codec") settings.emplace("tensors", captured_tensors);
  if (key == "at") settings.emplace("on", "\"gpu\"");
  if (key == "consistency") settings.emplace("algorithm", "\"parameter_server\"");
  return settings;
}

/// Returns the choices of a text in its place; null if it has no choices.
const Shape* choice_of(const FieldInfo& field) {
  const auto is_choice = [](const Shape& shape) { return shape.kind == Shape::Kind::choice; };
  if (is_choice(field.shape)) return &field.shape;
  if (field.shape.kind != Shape::Kind::any) return nullptr;
  const auto found = std::ranges::find_if(field.shape.parts, is_choice);
  return found == field.shape.parts.end() ? nullptr : &*found;
}

/// "KEY a or b", with KEY a choice of the same table: its settings that the condition allows, and the others.
struct ByChoice {
  const FieldInfo* decides = nullptr;
  std::vector<Settings> allowed, excluded;
};
ByChoice by_choice(const TableInfo& table, const std::string& condition) {
  const auto blank = std::min(condition.find(' '), condition.size());
  const auto* decides = field_of(table, condition.substr(0, blank));
  const Shape* shape = decides == nullptr ? nullptr : choice_of(*decides);
  if (shape == nullptr) return {};
  std::set<std::string> names;
  for (auto rest = condition.substr(std::min(blank + 1, condition.size())); !rest.empty();) {
    const auto end = std::min(rest.find(" or "), rest.size());
    names.insert(rest.substr(0, end));
    rest.erase(0, end + 4);
  }
  ByChoice found{decides, {}, {}};
  for (const auto& choice : shape->choices)
    (names.erase(choice) > 0 ? found.allowed : found.excluded).push_back(choosing(decides->key, choice));
  return names.empty() ? found : ByChoice{}; // a word that is not a choice: the condition has another form
}

/// Conditions in other forms, with settings that they exclude.
const std::map<std::string, std::vector<Settings>>& in_words() {
  const std::string machine = R"({ "gpus": 2, "gpu": "A100", "nic": { "bandwidth": "1GB/s" } })";
  const std::string size = "\"1MB\"", time = "\"1s\"", rate = "\"1TFLOP/s\"", server = "\"parameter_server\"";
  const std::string one_job = R"([{ "count": 1, "workload": { "tensors": [{ "bytes": "4B" }] },
    "training": { "exchange": { "algorithm": "ring" } } }])";
  const Settings with_library = {{"algorithm", "\"sharded\""}, {"library", "\"nccl\""}};
  static const std::map<std::string, std::vector<Settings>> all{
      {"a topology other than graph", {{{"topology", "\"graph\""}}}},
      {"a scenario without \"jobs\", as each job has its own", {{{"jobs", one_job}}}},
      {"a scenario without \"jobs\", which have placements of their own", {{{"jobs", one_job}}}},
      {"a job without \"ranks\"", {{{"ranks", "[0]"}}}},
      {"placement \"random\"", {{{"placement", "\"packed\""}}}},
      {"a platform without \"node\", which says \"gpus\"", {{{"node", machine}}}},
      {"a platform without \"node\", which says \"intra\"", {{{"node", machine}}}},
      {"intra other than pcie", {{}, choosing("intra", "pcie")}},
      {"gpus_per_switch above 0", {{}, {{"gpus_per_switch", "0"}}}},
      {"two sockets or more", {{}, {{"sockets", "1"}}}},
      {"gpudirect false or peer_to_peer false", {{}, {{"gpudirect", "true"}}}},
      {"rails", {{}, {{"rails", "false"}}}},
      {"links", {{}, {{"links", "0"}}}},
      {"mttr", {{}}},
      {"policy resend, reroute or restart", {choosing("policy", "wait")}},
      {"arrivals periodic, poisson or on_off", {choosing("arrivals", "once")}},
      {"arrivals once, periodic or poisson", {choosing("arrivals", "on_off")}},
      {"something to draw: arrivals poisson or on_off, sizes, a permutation, or arrivals at several nodes", {{}}},
      {"racks without uplink", {{{"uplink", R"({ "bandwidth": "1Gbps" })"}}}},
      {"an override of nodes", {{{"link", "\"node0.up\""}}}},
      {"an override without link", {{{"link", "\"node0.up\""}}}},
      {"a cost that is not at messages", {choosing("at", "message_send"), choosing("at", "message_receive")}},
      {"ddp_bucket", {{}, {{"segments", "2"}}, {{"fusion_threshold", size}}}},
      {"a workload without compute",
       {{{"layers", R"([{ "flops_forward": 1, "tensors": [{ "elements": 1 }] }])"},
         {"compute", R"({ "total": "1s" })"}}}},
      {"gpu, without step and compute", {{}, {{"gpu", R"("A100")"}, {"step", R"("1s")"}}}},
      {"a workload without layers", {{{"layers", R"([{ "tensors": [{ "elements": 1 }] }])"}}}},
      {"gpu_rate", {{}, {{"total", time}}}},
      {"compute without gpu_rate", {{{"gpu_rate", rate}}}},
      {"neither gpu_rate nor total", {{{"gpu_rate", rate}}, {{"total", time}}}},
      {"a workload without tensors, because tensors determine the wire size", {{{"tensors", captured_tensors}}}},
      {"ratio or codec, because nothing else is compressed", {{{"tensors", captured_tensors}}}},
      {"algorithm parameter_server and consistency synchronous",
       {choosing("algorithm", "ring"), choosing("consistency", "asynchronous"),
        choosing("consistency", "bounded_staleness")}},
      {"synchronous exchanges without backup workers",
       {choosing("consistency", "asynchronous"),
        choosing("consistency", "bounded_staleness"),
        {{"algorithm", server}, {"backup_workers", "1"}}}},
      {"algorithm parameter_server, or sharded and stage 1 or 2",
       {choosing("algorithm", "ring"), choosing("algorithm", "sharded")}},
      {"algorithm sharded and stage 3",
       {choosing("algorithm", "ring"), {{"algorithm", "\"sharded\""}, {"stage", "2"}}}},
      {"algorithm sharded and stage 2 or 3",
       {choosing("algorithm", "ring"), {{"algorithm", "\"sharded\""}, {"stage", "1"}}}},
      {"algorithm hierarchical, or sharded and group_size",
       {choosing("algorithm", "ring"), choosing("algorithm", "sharded")}},
      {"operation broadcast, reduce, gather or scatter",
       {{{"operation", R"("all_reduce")"}, {"ranks", "1"}, {"steps", "[[]]"}}}},
      {"algorithm sharded without library", {choosing("algorithm", "ring"), with_library}},
      {"algorithm topk_allgather or sharded without library", {choosing("algorithm", "ring"), with_library}},
      {"algorithm hierarchical without levels, or sharded without library",
       {{{"algorithm", "\"ring\""}},
        {{"algorithm", server}},
        with_library,
        {{"algorithm", "\"hierarchical\""}, {"levels", R"([{ "group_size": 2 }])"}}}},
  };
  return all;
}

/// Of several keys that exclude each other, one is rejected.
const std::map<std::string, std::vector<std::string>> exclusive{
    {"exactly one of elements, bytes and shape", {"elements", "bytes", "shape"}},
    {"exactly one of fusion_threshold, ddp_bucket and segments", {"fusion_threshold", "ddp_bucket", "segments"}},
};

const Settings sample_values{{"elements", "1"},         {"bytes", "\"4B\""},
                             {"shape", "[1]"},          {"fusion_threshold", "\"1MB\""},
                             {"ddp_bucket", "\"1MB\""}, {"segments", "2"}};

void check_exclusive(const TableAt& place, const std::vector<std::string>& keys) {
  for (const auto& key : keys)
    for (const auto& other : keys)
      if (key != other) {
        INFO(key << " with " << other);
        CHECK((is_refused(place, key, {{other, sample_values.at(other)}}) ||
               is_refused(place, other, {{key, sample_values.at(key)}})));
      }
}

} // namespace

TEST_CASE("a key is refused with every setting that its documentation excludes") {
  std::set<std::string> met;
  int pairs = 0;
  for (const auto& place : tables_of(scenario_file())) {
    for (const auto& field : place.table->fields) {
      if (field.only.empty()) continue;
      INFO(place.table->name << "." << field.key << " needs " << field.only);
      met.insert(field.only);
      if (const auto found = exclusive.find(field.only); found != exclusive.end()) {
        check_exclusive(place, found->second);
        continue;
      }
      const auto words = in_words().find(field.only);
      const auto choice = by_choice(*place.table, field.only);
      if (choice.decides == nullptr && words == in_words().end()) {
        FAIL_CHECK("say here which settings this condition excludes");
        continue;
      }
      for (const auto& settings : choice.decides != nullptr ? choice.excluded : words->second) {
        INFO(json_of(settings));
        CHECK(is_refused(place, field.key, settings));
        ++pairs;
      }
      for (const auto& settings : choice.allowed) {
        INFO("allowed: " << json_of(settings));
        CHECK_FALSE(is_refused(place, field.key, settings));
      }
    }
  }
  CHECK(pairs > 150);
  for (const auto& [condition, settings] : in_words()) CHECK(met.contains(condition));
  for (const auto& [condition, keys] : exclusive) CHECK(met.contains(condition));
}

TEST_CASE("only a scenario's tables have keys with conditions") { // otherwise more tables need tests
  const auto tried = tables_of(scenario_file());
  for (const auto* form : {&sweep_file(), &pack_file(), &fits_file(), &published_file(), &measured_pack_file()})
    for (const auto& place : tables_of(*form)) {
      if (std::ranges::find(tried, place.table, &TableAt::table) != tried.end()) continue;
      for (const auto& field : place.table->fields) {
        INFO(place.table->name << "." << field.key);
        CHECK(field.only.empty());
      }
    }
}
