#include "analysis/runs/result_bytes.hpp"

#include <cstring>
#include <stdexcept>
#include <type_traits>

namespace gradflight {
namespace {

/// Both directions from one list of fields (`visit`), so that they cannot differ.
class Writer {
public:
  std::string out;
  template <class T> void plain(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(const std::string& value) {
    plain(value.size());
    out += value;
  }
  template <class List> void resize(const List& list) { plain(list.size()); }
};

class Reader {
public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}
  template <class T> void plain(T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
  }
  void text(std::string& value) {
    std::size_t size = 0;
    plain(size);
    value = take(size);
  }
  template <class List> void resize(List& list) {
    std::size_t size = 0;
    plain(size);
    if (size > rest_.size()) throw std::runtime_error("a result of the wrong length"); // each item has bytes
    list.resize(size);
  }
  [[nodiscard]] bool done() const { return rest_.empty(); }

private:
  std::string_view take(std::size_t size) {
    if (size > rest_.size()) throw std::runtime_error("a result of the wrong length");
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::string_view rest_;
};

template <class Direction, class Result> void visit(Direction& d, Result& r) {
  d.plain(r.time);
  d.plain(r.iteration_time);
  d.plain(r.compute_time);
  d.plain(r.communication_time);
  d.plain(r.exposed_communication_time);
  d.plain(r.messages);
  d.plain(r.payload_bytes);
  d.plain(r.wire_bytes);
  d.plain(r.received_bytes);
  d.plain(r.path);
  d.plain(r.iteration_path);
  d.plain(r.dropped_gradients);
  d.resize(r.iterations);
  for (auto& iteration : r.iterations) d.plain(iteration);
  d.resize(r.links);
  for (auto& link : r.links) {
    d.text(link.name);
    d.plain(link.bytes);
    d.plain(link.busy);
    d.plain(link.bandwidth);
  }
}

} // namespace

std::string to_bytes(const RunResult& result) {
  Writer writer;
  visit(writer, result);
  return std::move(writer.out);
}

RunResult from_bytes(std::string_view bytes) {
  Reader reader(bytes);
  RunResult result;
  visit(reader, result);
  if (!reader.done()) throw std::runtime_error("a result of the wrong length");
  return result;
}

} // namespace gradflight
