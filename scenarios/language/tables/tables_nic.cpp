#include "scenarios/language/tables/tables_nic.hpp"

#include <fmt/format.h>
#include <stdexcept>

namespace gradflight {

const Table<NicSpec>& nic_table() {
  static const auto table = [] {
    Table<NicSpec> t("nic",
                     "The compressor in every node's NIC (docs/nic.md). Defaults: INCEPTIONN, Sec. VI-A and VII-C.");
    t.defaulted("width_bits", &NicSpec::width_bits, integer(256, 8 * max_burst_bytes),
                "A burst of its bus: a multiple of 256.");
    t.custom<double>(
        "clock_mhz", number(0, 1e5, true), [](NicSpec& nic, double mhz) { nic.clock_hz = mhz * 1e6; },
        [](const NicSpec& nic) { return std::optional(nic.clock_hz / 1e6); }, "One burst a cycle passes at most.");
    t.info.fields.back().default_text = "100";
    t.defaulted("engines", &NicSpec::engines, integer(1, 1024), "Compressors, and as many decompressors.");
    t.defaulted("compress_cycles", &NicSpec::compress_cycles, integer(1, 1'000'000),
                "From a burst's entry into a compressor to its exit, beside two at the FIFO.");
    t.defaulted("decompress_cycles", &NicSpec::decompress_cycles, integer(0, 1'000'000),
                "From a burst's entry into a decompressor to its exit.");
    t.defaulted("transmit_whole_packets", &NicSpec::transmit_whole_packets, boolean(),
                "The MAC waits for a packet's last burst. false: cut-through.");
    t.defaulted("mtu_bytes", &NicSpec::mtu, integer(44, 9'600), "An IP packet before compression.");
    t.defaulted("ethernet_bytes", &NicSpec::ethernet_bytes, integer(14, 64), "Header in front of the IP packet.");
    t.defaulted("ip_tcp_bytes", &NicSpec::ip_tcp_bytes, integer(20, 120), "Headers inside the IP packet.");
    t.defaulted("framing_bytes", &NicSpec::framing_bytes, integer(0, 1'000),
                "On the wire only: preamble, frame check sequence, gap.");
    t.defaulted("min_frame_bytes", &NicSpec::min_frame_bytes, integer(0, 9'600), "Shorter frames are padded.");
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
