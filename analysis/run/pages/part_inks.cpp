#include "analysis/run/pages/part_inks.hpp"

namespace gradflight {

Ink part_ink(Part part) {
  switch (part) {
  case Part::compute:
  case Part::interference: return Ink::series2;
  case Part::update: return Ink::series6;
  case Part::alpha: return Ink::series3;
  case Part::beta: return Ink::series0;
  case Part::contention:
  case Part::traffic: return Ink::series1;
  case Part::outage: return Ink::bad;
  case Part::nic_pipeline:
  case Part::nic_engine:
  case Part::codec: return Ink::series4;
  case Part::gamma:
  case Part::merge: return Ink::series5;
  case Part::host:
  case Part::queue: return Ink::series7;
  }
  return Ink::muted;
}

Ink bounding_ink(Bounding what) {
  switch (what) {
  case Bounding::compute: return Ink::series2;
  case Bounding::latency: return Ink::series3;
  case Bounding::nic: return Ink::series0;
  case Bounding::uplink: return Ink::series1;
  case Bounding::intra_node:
  case Bounding::host_links: return Ink::series6;
  case Bounding::pcie: return Ink::series4;
  case Bounding::reducer:
  case Bounding::server: return Ink::series5;
  case Bounding::straggler:
  case Bounding::outage: return Ink::bad;
  case Bounding::traffic:
  case Bounding::sharing: return Ink::series1;
  case Bounding::codec: return Ink::series4;
  case Bounding::protocol:
  case Bounding::host: return Ink::series7;
  }
  return Ink::muted;
}

Ink activity_ink(Activity activity) {
  switch (activity) {
  case Activity::forward:
  case Activity::backward: return part_ink(Part::compute);
  case Activity::update: return part_ink(Part::update);
  case Activity::reduce:
  case Activity::merge: return part_ink(Part::gamma);
  case Activity::encode:
  case Activity::decode: return part_ink(Part::codec);
  case Activity::cost: return part_ink(Part::host);
  case Activity::exchange: return part_ink(Part::beta);
  }
  return Ink::muted;
}

const char* activity_word(Activity activity) {
  switch (activity) {
  case Activity::forward:
  case Activity::backward: return "passes";
  case Activity::update: return "update";
  case Activity::reduce:
  case Activity::merge: return "sums";
  case Activity::encode:
  case Activity::decode: return "codec";
  case Activity::cost: return "host work";
  case Activity::exchange: return "exchange";
  }
  return "";
}

} // namespace gradflight
