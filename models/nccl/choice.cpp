#include "base/letters.hpp"
#include "models/nccl/rccl_tables.hpp"
#include "models/nccl/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace gradflight::nccl {

namespace {

bool same_word(std::string_view a, std::string_view b) { return lower_case(a) == lower_case(b); }

template <class T, std::size_t n>
std::optional<T> named(const std::array<std::string_view, n>& names, std::string_view name) {
  for (std::size_t i = 0; i < n; ++i)
    if (same_word(names[i], name)) return static_cast<T>(i);
  return std::nullopt;
}

int most_threads(const Tuning& tuning, Algorithm a, Protocol p) {
  if (tuning.library == Library::rccl) return rccl_tables::block_threads;
  if (a != Algorithm::tree && a != Algorithm::ring) return 640;
  if (p == Protocol::ll128) return 640;
  return a == Algorithm::ring && p == Protocol::simple ? tuning.ring_simple_threads : 512;
}

/// Bytes per thread above which more threads and channels are used.
int threshold(const Tuning& tuning, Algorithm a, Protocol p) {
  if (a == Algorithm::collnet_direct || a == Algorithm::collnet_chain) return 512;
  if (p == Protocol::simple) return 64;
  return a == Algorithm::ring && p == Protocol::ll ? 8 * tuning.ranks : 8;
}

/// Uses fewer channels, then fewer threads, while each would have little data. Where LL spreads a call over up to four
/// times `channels`, the forced number bounds `most`. It must not take fewer than a quarter of it.
void set_width(const Tuning& tuning, double bytes, int forced, Choice& choice) {
  const Algorithm a = choice.algorithm;
  int channels = forced > 0 ? forced : tuning.channels, threads = most_threads(tuning, a, choice.protocol);
  int least = threshold(tuning, a, choice.protocol);
  const bool nvls = a == Algorithm::nvls || a == Algorithm::nvls_tree;
  if (nvls && forced == 0) {
    channels = a == Algorithm::nvls && tuning.nodes > 1 ? std::min(tuning.nvls_channels, tuning.channels)
                                                        : tuning.nvls_channels;
  } else if (a == Algorithm::collnet_direct && forced == 0) {
    bool little = true;
    for (int floor = 16; floor >= 1 && little; floor /= 2)
      while ((little = bytes < 1.0 * channels * threads * std::max(1, tuning.heads) * least) && channels > floor) {
        if (channels == floor + floor / 2) least /= 2;
        --channels;
      }
  } else if (forced == 0 || (choice.protocol == Protocol::ll && tuning.channel_rules.ll_spreads)) {
    const int fewest = forced > 0 ? (forced + 3) / 4 : 1;
    while (channels > fewest && bytes < 1.0 * channels * threads * least) --channels;
  }
  choice.channels = channels;
  choice.most = forced > 0 ? forced : nvls ? channels : tuning.channels;
  choice.threads = threads;
  if (tuning.library == Library::rccl) return; // all threads, for any size
  if (!nvls && a != Algorithm::collnet_direct)
    while (threads % 128 == 0 && bytes < 1.0 * channels * threads * least) threads /= 2;
  if (choice.protocol == Protocol::simple && a == Algorithm::ring) threads += 32; // a warp that only waits
  if (a == Algorithm::tree || a == Algorithm::pat) threads = 640;
  choice.threads = std::max(threads, 96);
}

std::string label(Algorithm a, Protocol p) { return fmt::format("{} {}", algorithm_name(a), protocol_name(p)); }

std::string refusal(const Tuning& tuning, Operation op, const Forced& forced) {
  if (forced.algorithm && forced.protocol)
    return fmt::format("{} cannot do {}: {}", label(*forced.algorithm, *forced.protocol), operation_name(op),
                       tuning.cost(op, *forced.algorithm, *forced.protocol).why_not);
  std::string why;
  for (std::size_t a = 0; a < algorithm_names.size(); ++a)
    for (std::size_t p = 0; p < protocol_names.size(); ++p) {
      const auto algorithm = static_cast<Algorithm>(a);
      const auto protocol = static_cast<Protocol>(p);
      if ((forced.algorithm && *forced.algorithm != algorithm) || (forced.protocol && *forced.protocol != protocol))
        continue;
      const bool simple_only = algorithm != Algorithm::tree && algorithm != Algorithm::ring;
      if (!forced.protocol && simple_only && protocol != Protocol::simple) continue; // nobody asked for its protocol
      const std::string_view reason = tuning.cost(op, algorithm, protocol).why_not;
      if (why.find(reason) == std::string::npos) why += fmt::format("{}{}", why.empty() ? "" : "; ", reason);
    }
  const std::string_view what = forced.algorithm  ? algorithm_name(*forced.algorithm)
                                : forced.protocol ? protocol_name(*forced.protocol)
                                                  : std::string_view("no algorithm");
  return fmt::format("{} {} do {}: {}", what, forced.algorithm || forced.protocol ? "cannot" : "can",
                     operation_name(op), why);
}

} // namespace

std::optional<Algorithm> algorithm_named(std::string_view name) { return named<Algorithm>(algorithm_names, name); }
std::optional<Protocol> protocol_named(std::string_view name) { return named<Protocol>(protocol_names, name); }

Choice choose(const Tuning& tuning, Operation op, double bytes, const Forced& forced) {
  Choice choice;
  if (forced.channels < 0 || forced.channels > most_channels) {
    choice.refused = fmt::format("{} channels: expected 1 to {}", forced.channels, most_channels);
    return choice;
  }
  std::optional<double> best, next;
  std::string next_label;
  for (std::size_t a = 0; a < algorithm_names.size(); ++a)
    for (std::size_t p = 0; p < protocol_names.size(); ++p) {
      const auto algorithm = static_cast<Algorithm>(a);
      const auto protocol = static_cast<Protocol>(p);
      if ((forced.algorithm && *forced.algorithm != algorithm) || (forced.protocol && *forced.protocol != protocol))
        continue;
      const std::optional<double> time = time_us(tuning, op, bytes, algorithm, protocol);
      if (!time) continue;
      if (!best || *time < *best) {
        if (best) next = best, next_label = label(choice.algorithm, choice.protocol);
        best = time;
        choice.algorithm = algorithm;
        choice.protocol = protocol;
      } else if (!next || *time < *next) {
        next = time;
        next_label = label(algorithm, protocol);
      }
    }
  if (!best) {
    choice.refused = refusal(tuning, op, forced);
    return choice;
  }
  choice.time_us = *best;
  choice.why = fmt::format("{}: {:.1f} us", label(choice.algorithm, choice.protocol), *best);
  if (forced.algorithm && forced.protocol)
    choice.why += ", as requested";
  else if (next)
    choice.why += fmt::format(" against {} {:.1f} us", next_label, *next);
  set_width(tuning, bytes, forced.channels, choice);
  return choice;
}

} // namespace gradflight::nccl
