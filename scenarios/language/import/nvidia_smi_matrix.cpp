// Reads the matrix of `nvidia-smi topo -m`: the kind of connection between devices. It contains neither rates nor GPU
// types.
#include "base/parse_number.hpp"
#include "scenarios/language/import/topology.hpp"
#include "scenarios/language/json/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

namespace gradflight {
namespace {

/// How many bytes of what underlines headers begin here, "\x1b[4m"; a page may have lost its first byte.
std::size_t style_at(std::string_view line, std::size_t at) {
  std::size_t end = at + (line[at] == '\x1b' ? 1 : 0);
  if (line.substr(end, 1) != "[") return 0;
  end = std::min(line.find_first_not_of("0123456789;", end + 1), line.size());
  return line.substr(end, 1) == "m" ? end + 1 - at : 0;
}

/// Apart by blanks, also those that do not break, and by the bars of a Markdown table. A launcher's label that ends
/// with ">:" or "]:" is a word of its own.
std::vector<std::string> words_in(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (const std::size_t style = i < line.size() ? style_at(line, i) : 0; style > 0) {
      i += style - 1;
      continue;
    }
    const bool apart = i == line.size() || line[i] == ' ' || line[i] == '\t' || line[i] == '\r' || line[i] == '|';
    const bool no_break = line.substr(std::min(i, line.size()), 2) == "\xc2\xa0";
    if (!apart && !no_break) word += line[i];
    const bool label = word.ends_with(">:") || word.ends_with("]:");
    if ((apart || no_break || label) && !word.empty()) words.push_back(std::exchange(word, {}));
    if (no_break) ++i;
  }
  return words;
}

/// Returns the number after a prefix, as in "GPU3" and "NV12"; -1 if the word has another form.
int number_behind(std::string_view prefix, std::string_view word) {
  if (!word.starts_with(prefix)) return -1;
  return parse_number<int>(word.substr(prefix.size())).value_or(-1);
}

class Matrix {
public:
  explicit Matrix(std::string path) : path_(std::move(path)) {}

  ImportedTopology read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      ++number_;
      line(words_in(text.substr(0, end)));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!errors_.empty()) throw InputErrors(std::move(errors_));
    if (gpus_ < 1 || gpus_ > NodeSpec::max_gpus) refuse("the matrix lists no GPU");
    if (rows_.empty()) refuse("the matrix has no row of a GPU, only its header");
    if (matrices_ > 1) notes_.push_back(fmt::format("The file has {} equal matrices: one of them is used.", matrices_));
    if (std::ssize(rows_) < gpus_)
      notes_.push_back(
          fmt::format("The matrix has rows for {} of its {} GPUs: pairs without an entry are assumed to have no link.",
                      rows_.size(), gpus_));
    return take();
  }

private:
  [[noreturn]] void refuse(std::string why) const { throw InputErrors({{path_, 0, 0, "", std::move(why)}}); }

  [[noreturn]] void refuse_second(const std::string& difference) const {
    throw InputErrors({{path_, number_, 1, "",
                        fmt::format("the file has two matrices, which differ in {}: keep one of them", difference)}});
  }

  /// Takes the columns of the first header. Returns whether the words are a header, or above the first one.
  bool header(const std::vector<std::string>& words) {
    const auto first = std::ranges::find(words, "GPU0");
    // A row also begins with the name of its GPU.
    const auto is_gpu = [](const std::string& word) { return number_behind("GPU", word) >= 0; };
    if (first == words.end() || first - words.begin() > most_label_words || std::any_of(words.begin(), first, is_gpu) ||
        std::any_of(first, words.end(), known))
      return columns_.empty();
    // Columns such as "CPU Affinity" come last.
    const auto last = std::find_if(
        first, words.end(), [](const std::string& word) { return word == "CPU" || word == "NUMA" || word == "GPU"; });
    const std::vector<std::string> columns(first, last);
    const auto gpus = std::ranges::count_if(columns, is_gpu);
    if (!columns_.empty()) {
      if (columns != columns_ && gpus < 2) return false; // a row that is cut off or wrong
      if (columns != columns_) refuse_second("their columns");
      ++matrices_;
      return true;
    }
    columns_ = columns;
    label_ = first - words.begin(); // number of words that a launcher or a page puts before each line
    gpus_ = static_cast<int>(gpus);
    nics_ = static_cast<int>(std::ssize(columns_)) - gpus_;
    matrices_ = 1;
    return true;
  }

  void line(std::vector<std::string> words) {
    if (words.empty()) return;
    if (header(words)) return;
    if (static_cast<std::ptrdiff_t>(words.size()) <= label_) return;
    words.erase(words.begin(), words.begin() + label_);
    const int row = number_behind("GPU", words.front());
    if (row < 0 || row >= gpus_) return;
    if (words.size() <= columns_.size()) {
      errors_.push_back(
          {path_, number_, 1, "",
           fmt::format("GPU{}: the row has {} of {} entries; is it cut off?", row, words.size() - 1, columns_.size())});
      return;
    }
    if (const auto [found, added] = rows_.try_emplace(row, words); !added) {
      if (found->second != words) refuse_second(fmt::format("the row of GPU{}", row));
      return;
    }
    int nic = 0;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string& entry = words[i + 1];
      if (!known(entry))
        errors_.push_back(
            {path_, number_, 1, "",
             fmt::format("GPU{}, {}: \"{}\" is not a connection; expected X, NV1 to NV{}, PIX, PXB, PHB, NODE or SYS",
                         row, columns_[i], entry, most_links_of_pair)});
      if (const int other = number_behind("GPU", columns_[i]); other >= 0) {
        const auto [found, added] = joined_.try_emplace(std::minmax(row, other), entry);
        if (!added && found->second != entry)
          errors_.push_back({path_, number_, 1, "",
                             fmt::format("GPU{}, {}: \"{}\" contradicts the row of GPU{}, which has \"{}\"", row,
                                         columns_[i], entry, other, found->second)});
      } else {
        to_nic_[{row, nic++}] = entry;
      }
    }
    if (words.size() > columns_.size() + 1) affinity_[row] = words[columns_.size() + 1];
  }

  /// "SOC" is the name of SYS in drivers before 2017; "X" is the GPU itself.
  [[nodiscard]] static bool known(const std::string& entry) {
    constexpr std::array names = {"X", "SYS", "SOC", "NODE", "PHB", "PXB", "PIX"};
    const int links = number_behind("NV", entry);
    return std::ranges::find(names, entry) != names.end() || (links > 0 && links <= most_links_of_pair);
  }
  [[nodiscard]] static bool one_switch(const std::string& entry) { return entry == "PIX" || entry == "PXB"; }

  ImportedTopology take() {
    NodeSpec node;
    node.gpus = gpus_;
    links(node);
    switches(node);
    std::vector<int> sockets = sockets_of_gpus();
    if (!sockets.empty()) node.sockets = *std::ranges::max_element(sockets) + 1;
    seat_gpus(node, std::move(sockets), notes_);
    node.pcie.latency = Seconds(0.3e-6);
    if (node.sockets > 1) {
      node.socket_link =
          NodeLink{ByteRate(22e9), Seconds(0.3e-6), "NCCL's figure for Intel's processors; latency: general knowledge"};
      notes_.emplace_back(
          "The matrix does not give the bandwidth between sockets: 22 GB/s is assumed, NCCL's value for Intel.");
    }
    nics(node);
    notes_.emplace_back("The matrix has no latencies, processor vendor or network: one node on a star is assumed; set "
                        "node.cpu, nodes, network and rails.");
    node.source = "nvidia-smi topo -m; rates and latencies: general knowledge";
    ImportedTopology result;
    result.listed_nics = nics_;
    result.platform.name = imported_platform_name;
    result.platform.nodes = 1;
    result.platform.gpus_per_node = gpus_;
    result.platform.node = std::move(node);
    result.notes = std::move(notes_);
    return result;
  }

  /// Returns the socket of each GPU, numbered by their first GPUs: where the processors' affinity is the same, or,
  /// without affinities, where the path between two GPUs does not cross sockets. Empty: it is not known of all GPUs.
  [[nodiscard]] std::vector<int> sockets_of_gpus() const {
    std::vector<int> sockets, first; // first: GPU of each socket
    const auto shares = [this](int a, int b) {
      if (!affinity_.empty()) return affinity_.at(a) == affinity_.at(b);
      const auto found = joined_.find(std::minmax(a, b));
      return found == joined_.end() || (found->second != "SYS" && found->second != "SOC");
    };
    if (!affinity_.empty() && std::ssize(affinity_) < gpus_) return {};
    for (int gpu = 0; gpu < gpus_; ++gpu) {
      const auto socket = std::ranges::find_if(first, [&](int other) { return shares(other, gpu); });
      sockets.push_back(static_cast<int>(socket - first.begin()));
      if (socket == first.end()) first.push_back(gpu);
    }
    return sockets;
  }

  void links(NodeSpec& node) {
    std::map<int, int> of_gpu;
    std::set<int> counts;
    for (const auto& [pair, entry] : joined_)
      if (const int links = number_behind("NV", entry); links > 0 && pair.first != pair.second) {
        node.pairs.push_back({pair.first, pair.second, links});
        counts.insert(links);
        of_gpu[pair.first] += links;
        of_gpu[pair.second] += links;
      }
    int most = 0;
    for (const auto& [gpu, links] : of_gpu) most = std::max(most, links);
    const bool all = static_cast<int>(node.pairs.size()) == gpus_ * (gpus_ - 1) / 2;
    constexpr int most_links = 18; // largest number on any GPU so far
    if (all && gpus_ > 2 && counts.size() == 1 && most > most_links) {
      node.intra = NodeFabric::nvswitch;
      most = *counts.begin();
      node.pairs.clear();
    } else if (!node.pairs.empty()) {
      node.intra = NodeFabric::nvlink_mesh;
    }
    if (node.intra != NodeFabric::pcie) node.link.latency = Seconds(0.25e-6);
    using enum GpuGeneration;
    const GpuGeneration generation = most == 18 ? hopper : most == 6 ? volta : ampere;
    node.gpu = gpu_like(generation, most);
    node.nvls = node.intra == NodeFabric::nvswitch && generation == hopper;
    notes_.push_back(fmt::format("The matrix does not name the GPU type: {} with {} is assumed; set node.gpu.",
                                 node.gpu.name.empty() ? "a GPU of Ampere" : node.gpu.name,
                                 most > 0 ? fmt::format("{} NVLinks", most) : "PCIe alone"));
  }

  void switches(NodeSpec& node) {
    if (gpus_ < 2) return;
    const auto together = [&](int a, int b) {
      const auto found = joined_.find(std::minmax(a, b));
      return found != joined_.end() && one_switch(found->second);
    };
    int each = 1;
    while (each < gpus_ && together(0, each)) ++each;
    if (each == 1 || gpus_ % each != 0) return;
    for (int a = 0; a < gpus_; ++a)
      for (int b = a + 1; b < gpus_; ++b)
        if (together(a, b) != (a / each == b / each)) {
          notes_.emplace_back("The PCIe switches have unequal numbers of GPUs: the switches are left out.");
          return;
        }
    node.gpus_per_switch = each;
  }

  void nics(NodeSpec& node) {
    node.nic.bandwidth = ByteRate(100e9 / 8);
    node.nic.latency = Seconds(0.6e-6);
    node.nic_source = "assumed: nvidia-smi does not say what NICs attain";
    node.nics = std::clamp(nics_, 1, NodeSpec::max_gpus);
    notes_.push_back(
        nics_ == 0
            ? std::string("The matrix lists no NIC: one of 100 Gbps is assumed; set node.nics and node.nic.")
            : fmt::format(
                  "The matrix does not give the rate of its NIC{}: 100 Gbps are assumed; set node.nic.bandwidth.",
                  nics_ == 1 ? "" : "s"));
    if (nics_ == 0) return;
    constexpr std::array nearness = {"PIX", "PXB", "PHB", "NODE", "SYS", "SOC"};
    for (int gpu = 0; gpu < gpus_; ++gpu) {
      std::vector<int> best;
      for (const char* kind : nearness) {
        for (int k = 0; k < nics_; ++k)
          if (const auto found = to_nic_.find({gpu, k}); found != to_nic_.end() && found->second == kind)
            best.push_back(k);
        if (!best.empty()) break;
      }
      if (best.empty()) best.push_back(gpu * nics_ / gpus_);
      const auto found = to_nic_.find({gpu, best.front()});
      if (found == to_nic_.end() || !one_switch(found->second))
        best = {best[static_cast<std::size_t>(gpu) % best.size()]};
      node.near.push_back(std::move(best));
    }
    leave_out_unused_nics(node, notes_);
  }

  static constexpr int most_links_of_pair = 64;

  std::string path_;
  std::vector<std::string> columns_, notes_;
  std::vector<Diagnostic> errors_;
  int gpus_ = 0, nics_ = 0, matrices_ = 0, number_ = 0;
  std::map<int, std::vector<std::string>> rows_; ///< the words of each GPU's row
  std::ptrdiff_t label_ = 0;
  static constexpr std::ptrdiff_t most_label_words = 4;
  std::map<std::pair<int, int>, std::string> joined_, to_nic_;
  std::map<int, std::string> affinity_;
};

} // namespace

ImportedTopology nvidia_smi_matrix(std::string_view text, const std::string& path) { return Matrix(path).read(text); }

} // namespace gradflight
