#include "scenarios/language/decode/checks_elements.hpp"

#include "scenarios/language/types/training.hpp"
#include "workloads/code/workload.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace gradflight {

void check_elements(const Workload& workload, const TrainingSpec& training, const std::string& at,
                    std::vector<Violation>& found) {
  const auto element = workload.element();
  if (element == Element::fp32) return;
  const std::string types = fmt::format("{}", fmt::join(workload.element_names(), " and "));
  const auto refuse = [&](bool wrong, const char* key, const char* why) {
    if (wrong) found.push_back({at + key, fmt::format("{}; the tensors of the workload are {}", why, types)});
  };
  const CompressionSpec& c = training.compression;
  refuse(!c.tensors.directory.empty(), "/compression/tensors",
         "recorded gradients are fp32: leave \"element\" out, or give a \"ratio\"");
  refuse(c.in_nic(), "/compression/placement", "the codec in a NIC reads fp32 only: use \"gpu\" or \"cpu\"");
  if (element) return;
  refuse(c.ratio_of_codec, "/compression/codec",
         "the ratio of a codec depends on the element type, which must be one for all tensors: give a \"ratio\"");
  refuse(!c.even(), "/compression",
         "\"except\", \"except_below\" and \"tensor_overhead\" need tensors of one element type");
  refuse(training.selection.has_value(), "/selection",
         "a chunk may span several tensors, so all tensors need one element type");
  refuse(training.granularity.kind == Granularity::Kind::segments, "/granularity/segments",
         "a segment may span several tensors, so all tensors need one element type");
}

} // namespace gradflight
