#include "analysis/explore/answers/recorded_steps.hpp"

#include "base/other_file.hpp"
#include "scenarios/language/decode/model_version.hpp"
#include "scenarios/language/json/json_reader.hpp"

#include <fmt/format.h>

namespace gradflight {
namespace {

constexpr std::size_t begin_bytes = 65536, most_bytes = std::size_t{1} << 30;

constexpr const char* run_again = "run its scenario again with this version (gradflight run SCENARIO --json)";

std::optional<Bounding> bounding_named(const std::string& what, const std::string& noun) {
  std::optional<Bounding> found;
  for (int i = 0; i < bounding_count; ++i) {
    const auto bounding = static_cast<Bounding>(i);
    if (what != bounding_name(bounding)) continue;
    // Several kinds of links within nodes share a name.
    if (!found || noun == bounding_noun(bounding)) found = bounding;
  }
  return found;
}

/// Reads one result; adds mistakes to `problems` with their places.
class ResultReader {
public:
  ResultReader(const Node& result, std::string pointer, std::vector<Problem>& problems)
      : result_(result), pointer_(std::move(pointer)), problems_(problems) {}

  RecordedStep read() {
    if (result_.kind != Node::Kind::object) {
      fail(result_, "",
           fmt::format("expected a result as `gradflight run --json` prints it, got {}", kind_text(result_)));
      return {};
    }
    RecordedStep recorded{text(result_, "scenario", ""), {}};
    if (const Node* error = result_.find("error")) {
      fail(*error, "/error",
           fmt::format("the run of \"{}\" has no result ({}): leave it out, or run it again", recorded.name,
                       error->text));
      return recorded;
    }
    if (!same_version()) return recorded;
    if (result_.find("jobs") != nullptr) {
      fail(*result_.find("jobs"), "/jobs", "compare takes results of one job, but this one has several");
      return recorded;
    }
    TrainedStep& step = recorded.step;
    step.time = amount(result_, "time_s", "");
    step.iteration_time = amount(result_, "iteration_time_s", "");
    step.compute_time = amount(result_, "compute_time_s", "");
    step.communication_time = amount(result_, "communication_time_s", "");
    step.exposed_communication_time = amount(result_, "exposed_communication_time_s", "");
    step.messages = amount(result_, "messages", "");
    step.wire_bytes = amount(result_, "wire_bytes", "");
    step.verdict = text(result_, "verdict", "");
    const Node* mean = result_.find("mean_step");
    step.may_differ = step.differ = mean != nullptr;
    step.mean_time = mean == nullptr ? step.iteration_time : amount(*mean, "time_s", "/mean_step");
    step.mean_path =
        mean == nullptr ? path(result_, "iteration_breakdown", "") : path(*mean, "breakdown", "/mean_step");
    step.bounds = mean == nullptr ? bounds(result_, "") : bounds(*mean, "/mean_step");
    const double steps = amount(result_, "iteration_count", "");
    step.calm_time = step.mean_time;
    if (result_.find("mean_iteration_time_s") != nullptr)
      step.set_own_pace(amount(result_, "mean_iteration_time_s", ""));
    if (const Node* failures = result_.find("failures")) read_failures(*failures, step, steps);
    return recorded;
  }

private:
  void fail(const Node& at, const std::string& where, const std::string& message) {
    problems_.push_back({at.position, pointer_ + where, message});
  }

  bool same_version() {
    const Node* version = result_.find("model_version");
    if (version == nullptr)
      fail(result_, "", fmt::format("the result has no model_version: an older version wrote it; {}", run_again));
    else if (version->kind != Node::Kind::text || version->text != model_version)
      fail(*version, "/model_version",
           fmt::format(
               "{} wrote this result, and this version of gradflight has {}: their times cannot be compared; {}",
               version->kind == Node::Kind::text ? version->text : brief_text(*version), model_version, run_again));
    else
      return true;
    return false;
  }

  const Node* member(const Node& object, const std::string& key, Node::Kind kind, const char* expected,
                     const std::string& where) {
    const Node* node = object.find(key);
    if (node == nullptr)
      fail(object, where, fmt::format("\"{}\" is missing: the result is incomplete; {}", key, run_again));
    else if (node->kind != kind && !(kind == Node::Kind::number && node->kind == Node::Kind::integer))
      fail(*node, where + '/' + key, fmt::format("expected {}, got {}", expected, kind_text(*node)));
    else
      return node;
    return nullptr;
  }
  double number(const Node& object, const std::string& key, const std::string& where) {
    const Node* node = member(object, key, Node::Kind::number, "a number", where);
    return node == nullptr ? 0 : node->number;
  }
  double amount(const Node& object, const std::string& key, const std::string& where) {
    const double value = number(object, key, where);
    if (value < 0)
      fail(*object.find(key), where + '/' + key,
           fmt::format("expected a number of at least 0, got {}: the result was changed; {}",
                       brief_text(*object.find(key)), run_again));
    return value;
  }
  std::string text(const Node& object, const std::string& key, const std::string& where) {
    const Node* node = member(object, key, Node::Kind::text, "a text", where);
    return node == nullptr ? std::string() : node->text;
  }

  Path path(const Node& of, const std::string& key, const std::string& where) {
    Path parts{};
    if (const Node* object = member(of, key, Node::Kind::object, "an object", where))
      for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i] = number(*object, std::string(part_name(static_cast<Part>(i))) + "_s", where + "/" + key);
    return parts;
  }

  void read_failures(const Node& failures, TrainedStep& step, double steps) {
    if (failures.kind != Node::Kind::object)
      return fail(failures, "/failures", fmt::format("expected an object, got {}", kind_text(failures)));
    if (const double mean = number(failures, "goodput_mean", "/failures"); mean > 0) step.goodput = mean;
    // A run that restarts is simulated without failures; only then are iterations left to repeat.
    const bool restarts = number(failures, "simulated_iterations", "/failures") > 0;
    if (step.differ && !restarts && !step.own_pace) step.calm_time = number(failures, "useful_s", "/failures") / steps;
  }

  std::vector<Bound> bounds(const Node& of, const std::string& in) {
    std::vector<Bound> all;
    const Node* list = member(of, "bound_by", Node::Kind::list, "a list", in);
    if (list == nullptr) return all;
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      const Node& bound = list->items[i];
      const std::string where = fmt::format("{}/bound_by/{}", in, i);
      if (bound.kind != Node::Kind::object) {
        fail(bound, where, fmt::format("expected an object, got {}", kind_text(bound)));
        continue;
      }
      const std::string noun = text(bound, "name", where);
      const std::string what = text(bound, "what", where);
      const std::optional<Bounding> found = bounding_named(what, noun);
      if (!found && !what.empty())
        fail(*bound.find("what"), where + "/what",
             fmt::format("\"{}\" is not a cause that results name; {}", what, run_again));
      all.push_back({found.value_or(Bounding::compute), number(bound, "share", where), noun});
    }
    return all;
  }

  const Node& result_;
  std::string pointer_;
  std::vector<Problem>& problems_;
};

} // namespace

std::optional<std::vector<RecordedStep>> recorded_steps(const ScenarioSource& source) {
  FileText content;
  if (source.text) {
    content.text = *source.text;
  } else {
    content = read_file(source.path, begin_bytes);
    // The reader of scenarios reports unreadable files.
    if (!content.error.empty() || !is_run_result(content.text)) return std::nullopt;
    content = read_file(source.path, most_bytes);
  }
  if (!is_run_result(std::string_view(content.text).substr(0, begin_bytes))) return std::nullopt;

  Sources sources;
  std::vector<Problem> problems;
  std::vector<RecordedStep> steps;
  const int file = sources.add(source.path.string());
  if (const std::optional<Node> root = parse_json(content.text, file, problems)) {
    if (root->kind == Node::Kind::list)
      for (std::size_t i = 0; i < root->items.size(); ++i)
        steps.push_back(ResultReader(root->items[i], fmt::format("/{}", i), problems).read());
    else
      steps.push_back(ResultReader(*root, "", problems).read());
  }
  if (!problems.empty()) throw InputErrors(sources.diagnostics(std::move(problems)));
  return steps;
}

} // namespace gradflight
