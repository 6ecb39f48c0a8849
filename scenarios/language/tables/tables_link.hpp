// The keys of a cable, for any object that contains one.
#pragma once

#include "platforms/code/spec/link_spec.hpp"
#include "scenarios/language/fields/table.hpp"

namespace gradflight {

/// The default latency of a cable.
enum class LatencyKey { none, of_another };

template <class T, class Get> void link_fields(Table<T>& table, Get link, LatencyKey otherwise = LatencyKey::none) {
  table.required(
      "bandwidth", [link](auto& t) -> auto& { return link(t).bandwidth; }, positive<ByteRate>(),
      "Bytes per second in each direction. The two directions are independent (full duplex).");
  const bool inherits = otherwise == LatencyKey::of_another;
  table.template custom<Seconds>(
      "latency", quantity<Seconds>(), [link](T& t, Seconds latency) { link(t).latency = latency; },
      [link, inherits](const T& t) {
        const auto& latency = link(t).latency;
        return latency || inherits ? latency : Seconds();
      },
      std::string("One-way latency. Alpha is the sum of the latencies along a route plus message_overhead.") +
          (inherits ? " Absent: that of the cable that this one replaces." : ""));
  if (!inherits) table.info.fields.back().default_text = "\"0s\"";
  table.maybe(
      "egress_bandwidth", [link](auto& t) -> auto& { return link(t).egress; }, positive<ByteRate>(),
      "Bandwidth away from the node (in a graph: towards `to`), if it differs. Absent: `bandwidth`.");
  table.maybe(
      "ingress_bandwidth", [link](auto& t) -> auto& { return link(t).ingress; }, positive<ByteRate>(),
      "Bandwidth towards the node (in a graph: from `to`), if it differs. Absent: `bandwidth`.");
}

/// A full-duplex cable.
const Table<LinkSpec>& cable_table();
/// A cable that replaces a standard one. Its default latency is that of the standard one.
const Table<LinkSpec>& special_link_table();

} // namespace gradflight
