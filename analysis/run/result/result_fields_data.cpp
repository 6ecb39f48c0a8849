// What real gradients went through.
#include "analysis/run/result/result_tables.hpp"

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
    ResultTable<OneWay> t("leg", "Bytes of the gradients that travel one way, as the codec sees them.");
    t.count("payload_bytes", "bytes", "Dense.", [](L l) { return l.payload; });
    t.count("wire_bytes", "bytes", "As encoded.", [](L l) { return l.wire; });
    t.number("ratio", "1", "Dense over encoded; null where nothing travels.", [](L l) {
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
    t.object("push", one_way_table(), "To the servers; everything where there are none.", push);
    t.object("pull", one_way_table(), "From the servers.", pull);
    return t;
  }();
  return table;
}

const ResultTable<SelectionResult>& selection_table() {
  static const auto table = [] {
    using S = const SelectionResult&;
    ResultTable<SelectionResult> t("selection",
                                   "What a selection sent, in shares of L1 norms over all workers and exchanges.");
    t.number("selected_mass_share", "1", "Of gradient and residual: what was selected to be sent.",
             [](S s) { return s.selected_mass_share; });
    t.number("shared_index_share", "1", "Of the indices in the result: those that the exact top-k of the sum has, too.",
             [](S s) { return s.shared_index_share; })
        .only("gTop-k");
    t.number("lost_mass_share", "1", "Of what was selected: neither in the result nor put back.", [](S s) {
       return s.lost_mass_share;
     }).only("gTop-k");
    return t;
  }();
  return table;
}

} // namespace

const ResultTable<DataResult>& data_table() {
  static const auto table = [] {
    using D = const DataResult&;
    ResultTable<DataResult> t("data",
                              "What real gradients went through (docs/data-plane.md); of the last phase that has any.");
    t.object("push", one_way_table(), "All exchanges: to the servers; everything where there are none.",
             [](D d) { return push(total(d)); });
    t.object("pull", one_way_table(), "All exchanges: from the servers.", [](D d) { return pull(total(d)); });
    t.number("aggregate_max_error", "gradient",
             "Of any element of any worker's aggregate against the exact sum of all gradients.",
             [](D d) { return d.max_error; });
    t.number("aggregate_relative_l2_error", "1", "|aggregate - exact| / |exact|, over all workers and exchanges.",
             [](D d) { return d.relative_l2_error; });
    t.number("aggregate_bias", "gradient", "The mean of aggregate - exact.", [](D d) { return d.bias; });
    t.list("exchanges", "", exchange_table(), "Each iteration with an exchange, in order.",
           ResultList<DataResult, const LegBytes&>{
               .size = [](D d) { return d.steps.size(); },
               .item = [](D d, std::size_t i) -> const LegBytes& { return d.steps[i]; }});
    t.object("selection", selection_table(), "What was selected of the gradients.", [](D d) {
       return d.selection ? &*d.selection : nullptr;
     }).only("top-k exchanges and chosen chunks");
    return t;
  }();
  return table;
}

} // namespace gradflight
