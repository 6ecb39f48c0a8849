// The codec and traffic data of real gradients.
#include "analysis/run/result/fields/result_tables.hpp"

namespace gradflight {
namespace {

struct OneWay {
  double payload, wire; ///< bytes
};
std::optional<OneWay> push(const LegBytes& bytes) { return OneWay{bytes.push_payload, bytes.push_wire}; }
std::optional<OneWay> pull(const LegBytes& bytes) { return OneWay{bytes.pull_payload, bytes.pull_wire}; }

const ResultTable<OneWay>& one_way_table() {
  static const auto table = [] {
    using L = const OneWay&;
    ResultTable<OneWay> t("leg", "Bytes of the gradients in one direction, before and after the codec.");
    t.count("payload_bytes", "bytes", "Bytes before the codec.", [](L l) { return l.payload; });
    t.count("wire_bytes", "bytes", "Bytes after the codec.", [](L l) { return l.wire; });
    t.number("ratio", "1", "Dense bytes over encoded bytes; null if nothing is sent.", [](L l) {
       return l.wire > 0 ? std::optional(l.payload / l.wire) : std::nullopt;
     }).or_null();
    return t;
  }();
  return table;
}

const ResultTable<LegBytes>& exchange_table() {
  static const auto table = [] {
    using B = const LegBytes&;
    ResultTable<LegBytes> t("exchange_bytes", "The bytes of an iteration's exchanges.");
    t.count("iteration", "1", "Its number, from 0 over all phases.", [](B b) { return b.iteration; });
    t.object("push", one_way_table(), "To the servers; without servers, all bytes.", push);
    t.object("pull", one_way_table(), "From the servers.", pull);
    return t;
  }();
  return table;
}

const ResultTable<SelectionResult>& selection_table() {
  static const auto table = [] {
    using S = const SelectionResult&;
    ResultTable<SelectionResult> t("selection",
                                   "What a selection sent, as shares of L1 norms over all workers and exchanges.");
    t.number("selected_mass_share", "1", "Share of gradient and residual that was selected.",
             [](S s) { return s.selected_mass_share; });
    t.number("shared_index_share", "1", "Share of the result's indices that the exact top-k of the sum also has.",
             [](S s) { return s.shared_index_share; })
        .only("gTop-k");
    t.number("lost_mass_share", "1",
             "Share of the selection that is neither in the result nor returned to the residual.",
             [](S s) { return s.lost_mass_share; })
        .only("gTop-k");
    return t;
  }();
  return table;
}

} // namespace

const ResultTable<DataResult>& data_table() {
  static const auto table = [] {
    using D = const DataResult&;
    ResultTable<DataResult> t(
        "data", "What happened to the real gradients (docs/data-plane.md), in the last phase that has any.");
    t.object("push", one_way_table(), "Bytes of all exchanges to the servers; without servers, all bytes.",
             [](D d) { return push(total(d)); });
    t.object("pull", one_way_table(), "Bytes of all exchanges from the servers.", [](D d) { return pull(total(d)); });
    t.number(
         "aggregate_max_error", "gradient",
         "Largest difference between an element of a worker's aggregate and the exact sum of all gradients; null if "
         "any of these values is not finite.",
         [](D d) { return d.max_error; })
        .or_null();
    t.number(
         "aggregate_relative_l2_error", "1",
         "|aggregate - exact| / |exact|, over all workers and exchanges; null if any value is not finite, or if only "
         "|exact| is 0.",
         [](D d) { return d.relative_l2_error; })
        .or_null();
    t.number("aggregate_bias", "gradient", "The mean of aggregate - exact; null if any value is not finite.", [](D d) {
       return d.bias;
     }).or_null();
    t.list("exchanges", "", exchange_table(), "Each iteration with an exchange, in order.",
           ResultList<DataResult, const LegBytes&>{
               .size = [](D d) { return d.steps.size(); },
               .item = [](D d, std::size_t i) -> const LegBytes& { return d.steps[i]; }});
    t.object("selection", selection_table(), "The selected part of the gradients.", [](D d) {
       return d.selection ? &*d.selection : nullptr;
     }).only("top-k exchanges and chosen chunks");
    return t;
  }();
  return table;
}

} // namespace gradflight
