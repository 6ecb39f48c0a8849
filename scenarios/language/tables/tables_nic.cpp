#include "scenarios/language/tables/tables.hpp"

#include <fmt/format.h>
#include <stdexcept>

namespace gradflight {

const Table<NicSpec>& nic_table() {
  static const auto table = [] {
    Table<NicSpec> t("nic",
                     "The compressor in every node's NIC (docs/nic.md). Defaults: INCEPTIONN, Sec. VI-A and VII-C.");
    t.defaulted("width_bits", &NicSpec::width_bits, integer(256, 8 * max_burst_bytes),
                "Width of a burst on its bus, a multiple of 256.");
    t.custom<double>(
        "clock_mhz", number(0, 1e5, true), [](NicSpec& nic, double mhz) { nic.clock_hz = mhz * 1e6; },
        [](const NicSpec& nic) { return std::optional(nic.clock_hz / 1e6); },
        "Clock rate; at most one burst passes per cycle.");
    t.info.fields.back().default_text = "100";
    t.defaulted("engines", &NicSpec::engines, integer(1, 1024), "Number of compressors, and of decompressors.");
    t.defaulted("compress_cycles", &NicSpec::compress_cycles, integer(1, 1'000'000),
                "Cycles of a burst in a compressor, without the two cycles at the FIFO.");
    t.defaulted("decompress_cycles", &NicSpec::decompress_cycles, integer(0, 1'000'000),
                "Cycles of a burst in a decompressor.");
    t.defaulted("transmit_whole_packets", &NicSpec::transmit_whole_packets, boolean(),
                "true: the MAC waits for the last burst of a packet. false: cut-through.");
    t.defaulted("mtu_bytes", &NicSpec::mtu, integer(44, 9'600), "Size of an IP packet before compression.");
    t.defaulted("ethernet_bytes", &NicSpec::ethernet_bytes, integer(14, 64),
                "Bytes of the Ethernet header, in front of the IP packet.");
    t.defaulted("ip_tcp_bytes", &NicSpec::ip_tcp_bytes, integer(20, 120), "Bytes of the headers inside the IP packet.");
    t.defaulted("framing_bytes", &NicSpec::framing_bytes, integer(0, 1'000),
                "Bytes on the wire only: preamble, frame check sequence and gap.");
    t.defaulted("min_frame_bytes", &NicSpec::min_frame_bytes, integer(0, 9'600),
                "Least size of a frame; shorter frames are padded.");
    t.finally([](const NicSpec& nic, const Node& written, Decoder& decoder) {
      try {
        check(nic);
      } catch (const std::invalid_argument& problem) {
        decoder.fail(written.position, fmt::format("this NIC cannot be built: {}", problem.what()));
      }
    });
    return t;
  }();
  return table;
}

} // namespace gradflight
