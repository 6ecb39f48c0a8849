#include "scenarios/language/import/kineto_trace.hpp"

#include "base/finite_text.hpp"
#include "base/other_file.hpp"
#include "scenarios/language/import/gzip_text.hpp"
#include "scenarios/language/import/kineto_event.hpp"
#include "scenarios/language/json/diagnostics.hpp"
#include "scenarios/language/json/json_mistake.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

namespace gradflight {
namespace {

/// Limit for one collective. Larger values are cut to it, and rejected where they are used.
constexpr std::int64_t most_elements = INT64_MAX >> 2;

/// The part of the trace that the current JSON value belongs to.
enum class Where { root, events, event, args, dims, types, distributed, devices, device, skipped };

struct Scalar {
  enum class Kind { none, integer, number, text } kind = Kind::none;
  std::int64_t integer = 0;
  double number = 0;
  const std::string* text = nullptr;
};

/// The SAX interface of nlohmann/json. A callback that returns false stops the parser; `problem` gives the reason.
class KinetoReader : public nlohmann::json_sax<nlohmann::json> {
public:
  KinetoReader(GzipText& text, const KinetoLimits& limits) : text_(text), limits_(limits) {}

  bool null() override { return scalar({}); }
  bool boolean(bool) override { return scalar({}); }
  bool number_integer(number_integer_t v) override { return integer(v); }
  bool number_unsigned(number_unsigned_t v) override {
    return v <= INT64_MAX ? integer(static_cast<std::int64_t>(v))
                          : scalar({Scalar::Kind::number, 0, static_cast<double>(v), nullptr});
  }
  bool number_float(number_float_t v, const string_t&) override {
    return scalar({Scalar::Kind::number, 0, v, nullptr});
  }
  bool string(string_t& v) override { return scalar({Scalar::Kind::text, 0, 0, &v}); }
  bool binary(binary_t&) override { return true; }
  bool key(string_t& v) override {
    text_.mark();
    key_ = std::move(v);
    return true;
  }
  bool start_object(std::size_t) override { return enter(true); }
  bool start_array(std::size_t) override { return enter(false); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    return fail((text_.at_end() ? "the JSON ends early: " : "not valid JSON: ") + json_mistake(error.what()));
  }

  void stop(const std::string& why) { fail(why); }

  std::string problem, pointer;
  KinetoEvents events;
  std::uint64_t count = 0;
  bool has_events = false; ///< the file has "traceEvents"

private:
  bool fail(const std::string& message) {
    problem = message;
    const bool inside = stack_.size() > 1 && stack_[1] == Where::events;
    pointer = inside ? fmt::format("/traceEvents/{}", count) : "";
    return false;
  }
  bool wrong(const char* wanted) { return fail(fmt::format("\"{}\" should be {}", key_, wanted)); }

  bool integer(std::int64_t v) { return scalar({Scalar::Kind::integer, v, static_cast<double>(v), nullptr}); }

  bool enter(bool object) {
    if (stack_.empty()) {
      if (!object) return fail("a profiler trace is an object with \"traceEvents\"");
      stack_.push_back(Where::root);
      return true;
    }
    const Where next = next_place(object);
    if (next == Where::skipped && wants_other(object)) return false;
    if (stack_.size() >= 100) return fail("nested more than 100 deep");
    stack_.push_back(next);
    if (next == Where::events) has_events = true;
    if (next == Where::event) event_ = {};
    if (next == Where::dims) product_ = -1;
    return true;
  }

  [[nodiscard]] Where next_place(bool object) const {
    const Where here = stack_.back();
    switch (here) {
    case Where::root:
      if (!object && key_ == "traceEvents") return Where::events;
      if (object && key_ == "distributedInfo") return Where::distributed;
      if (!object && key_ == "deviceProperties") return Where::devices;
      break;
    case Where::events:
      if (object) return Where::event;
      break;
    case Where::event:
      if (object && key_ == "args") return Where::args;
      break;
    case Where::args:
      if (!object && key_ == "Input Dims") return Where::dims;
      if (!object && key_ == "Input type") return Where::types;
      break;
    case Where::dims:
      if (!object) return Where::dims;
      break;
    case Where::devices:
      if (object) return Where::device;
      break;
    default: break;
    }
    return Where::skipped;
  }

  /// Whether the position of an object or array requires another type.
  bool wants_other(bool object) {
    const Where here = stack_.back();
    if (here == Where::root && key_ == "traceEvents") return !wrong("a list of events");
    if (here == Where::events) return !fail("an event should be an object");
    if (here == Where::event && key_ == "args" && !object) return !wrong("an object");
    for (const char* name : {"ph", "cat", "name", "ts", "dur"})
      if (here == Where::event && key_ == name) return !wrong("a text or number");
    return false;
  }

  bool leave() {
    const Where left = stack_.back();
    stack_.pop_back();
    if (left == Where::dims && product_ >= 0) {
      const auto sum = std::max<std::int64_t>(event_.dims_elements, 0) + std::exchange(product_, -1);
      event_.dims_elements = std::min(sum, most_elements);
    }
    if (left != Where::event) return true;
    const std::string error = events.add(event_);
    if (!error.empty()) return fail(error);
    ++count;
    if (events.records() > limits_.records)
      return fail(fmt::format("the trace has more than {} operators and kernels: record fewer steps", limits_.records));
    return true;
  }

  bool scalar(const Scalar& v) {
    text_.mark();
    if (stack_.empty()) return fail("a profiler trace is an object with \"traceEvents\"");
    switch (stack_.back()) {
    case Where::root:
      if (key_ == "traceEvents") return wrong("a list of events");
      return true;
    case Where::events: return fail("an event should be an object");
    case Where::event: return event_member(v);
    case Where::args: return args_member(v);
    case Where::dims:
      if (v.kind == Scalar::Kind::integer && v.integer >= 0) {
        const auto before = product_ < 0 ? 1 : product_;
        product_ = v.integer != 0 && before > most_elements / v.integer ? most_elements : before * v.integer;
      }
      return true;
    case Where::types:
      if (v.kind == Scalar::Kind::text && event_.first_type.empty() && dtype_bytes(*v.text) > 0)
        event_.first_type = *v.text;
      return true;
    case Where::distributed:
      if (key_ == "rank" || key_ == "world_size") {
        if (v.kind != Scalar::Kind::integer || v.integer < 0 || v.integer > 1'000'000) return wrong("a count");
        (key_ == "rank" ? events.trace().rank : events.trace().world_size) = static_cast<int>(v.integer);
      }
      return true;
    case Where::device:
      if (key_ == "name" && v.kind == Scalar::Kind::text && events.trace().device.empty())
        events.trace().device = *v.text;
      return true;
    default: return true;
    }
  }

  bool event_member(const Scalar& v) {
    if (key_ == "ph") return text(v, event_.phase);
    if (key_ == "cat") return text(v, event_.category);
    if (key_ == "name") return v.kind != Scalar::Kind::text || text(v, event_.name);
    if (key_ == "ts") {
      double time = 0;
      if (!number(v, time)) return false;
      event_.time = time;
      return true;
    }
    if (key_ == "dur") return number(v, event_.duration.emplace());
    if (key_ == "pid" || key_ == "tid") { // ids such as "Spans" and "Traces" are not threads
      if (v.kind == Scalar::Kind::integer) (key_ == "pid" ? event_.process : event_.thread) = v.integer;
      return true;
    }
    if (key_ == "args") return wrong("an object");
    return true;
  }

  bool args_member(const Scalar& v) {
    if (key_ == "correlation") return integer(v, event_.correlation);
    if (key_ == "Sequence number") return integer(v, event_.sequence);
    if (key_ == "Fwd thread id") return integer(v, event_.forward_thread);
    // ROCm's runtime calls identify a stream by its address, "0x0"; its kernels by its number.
    if (key_ == "stream") return v.kind == Scalar::Kind::text || integer(v, event_.stream);
    if (key_ == "device") return integer(v, event_.device);
    if (key_ == "In msg nelems") return integer(v, event_.elements);
    if (key_ == "Group size") return integer(v, event_.group);
    if (key_ == "Collective name") return text(v, event_.collective);
    if (key_ == "dtype") return text(v, event_.dtype);
    if (key_ == "Process Group Name") return text(v, event_.group_name);
    return true;
  }

  bool text(const Scalar& v, std::string& to) {
    if (v.kind != Scalar::Kind::text) return wrong("a text");
    to = *v.text;
    return true;
  }
  bool integer(const Scalar& v, std::int64_t& to) {
    if (v.kind != Scalar::Kind::integer) return wrong("a whole number");
    to = v.integer;
    return true;
  }
  bool number(const Scalar& v, double& to) {
    if ((v.kind != Scalar::Kind::number && v.kind != Scalar::Kind::integer) || !std::isfinite(v.number))
      return wrong("a number of microseconds");
    to = v.number;
    return true;
  }

  GzipText& text_;
  KinetoLimits limits_;
  std::vector<Where> stack_;
  std::string key_;
  KinetoEvent event_;
  std::int64_t product_ = -1; ///< product of the sizes in the innermost "Input Dims" list; -1: none yet
};

std::string first_bytes(const std::string& path) {
  std::string begin(4096, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  return begin;
}

/// Returns a description of a known file that is not a trace; empty if unknown.
std::string known_as(const std::string& begin) {
  const auto has = [&](const char* part) { return begin.find(part) != std::string::npos; };
  if (has("\"traceEvents\"") || has("\"ph\":") || begin.starts_with("\x1f\x8b")) return {}; // a damaged trace
  const std::string other = other_file(begin);
  return other.empty() ? benchmark_log(begin) : other;
}

} // namespace

RecordedTrace read_kineto(const std::string& path, const KinetoLimits& limits) {
  const auto refuse = [&](const std::string& message, int line, int column, const std::string& pointer) {
    throw InputErrors({Diagnostic{path, line, column, pointer, message}});
  };
  try {
    GzipText text(path, limits.value_bytes);
    FiniteText finite(text);
    KinetoReader reader(text, limits);
    bool whole = false;
    try {
      whole = nlohmann::json::sax_parse(FiniteCursor(finite), FiniteCursor<GzipText>(), &reader);
    } catch (const UnreadableFile& error) {
      reader.stop(error.what());
    }
    const std::string begin = first_bytes(path);
    if (begin.starts_with(timeline_opening)) refuse(other_file(begin), 0, 0, "");
    if (!whole || !reader.has_events)
      if (const std::string other = known_as(begin); !other.empty()) refuse(other, 0, 0, "");
    if (!whole)
      refuse(fmt::format("{} (at byte {})", reader.problem, text.offset()), text.line(), text.column(), reader.pointer);
    // nlohmann/json treats a NUL byte as the end of the text.
    if (!text.at_end())
      refuse(fmt::format("the file contains a NUL byte; is it damaged? (at byte {})", text.offset()), text.line(),
             text.column(), "");
    if (!reader.has_events) refuse("the file has no \"traceEvents\": it is not a profiler trace", 0, 0, "");
    RecordedTrace result{reader.events.take(), text.offset(), reader.count, finite.replaced()};
    return result;
  } catch (const UnreadableFile& error) {
    refuse(error.what(), 0, 0, "");
    throw;
  }
}

} // namespace gradflight
