#include "analysis/run/files/result_json.hpp"

#include "analysis/run/files/json_text.hpp"

#include <nlohmann/json.hpp>

namespace gradflight {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const std::optional<ResultValue>& value) {
  if (!value) return nullptr;
  return std::visit([](const auto& v) { return Json(v); }, *value);
}

/// Builds a tree. Only the innermost value grows, so pointers to the outer values stay valid.
class JsonSink : public ResultSink {
public:
  Json root = Json::object();

  void value(const std::string& key, const std::optional<ResultValue>& value) override { put(key, json_of(value)); }
  void begin_object(const std::string& key) override { open_.push_back(&put(key, Json::object())); }
  void begin_list(const std::string& key) override { open_.push_back(&put(key, Json::array())); }
  void end() override { open_.pop_back(); }

private:
  Json& put(const std::string& key, Json value) {
    Json& parent = *open_.back();
    if (parent.is_object()) return parent[key] = std::move(value);
    return parent.emplace_back(std::move(value));
  }
  std::vector<Json*> open_{&root};
};

} // namespace

Json result_object(const Outcome& outcome) {
  JsonSink sink;
  result_table().write(outcome, sink);
  return std::move(sink.root);
}

std::string result_json(const Outcome& outcome) { return json_text(result_object(outcome)); }

std::string failed_run_json(const FailedRun& run) {
  JsonSink sink;
  failed_run_table().write(run, sink);
  return json_text(sink.root);
}

std::string json_list(const std::vector<std::string>& entries) {
  std::string list = "[\n";
  for (const std::string& entry : entries) {
    if (&entry != &entries.front()) list += ",\n";
    list.append(entry, 0, entry.size() - 1);
  }
  return list + "\n]\n";
}

} // namespace gradflight
