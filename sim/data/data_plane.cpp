#include "sim/data/data_plane.hpp"

#include "models/codecs/catalogue.hpp"
#include "models/codecs/selection/gtopk.hpp"
#include "models/codecs/selection/sparse.hpp"
#include "models/schedules/parts/collective.hpp"
#include "sim/engine/streams/failure.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gradflight {

namespace {

constexpr double list_header_bytes = 4, entry_bytes = 8; // docs/codecs.md, topk: u32 k, then indices and values

/// Returns what `read` returns; a file that cannot be read fails the simulation.
template <class Read> auto readable(const Read& read) {
  try {
    return read();
  } catch (const GradientError& error) {
    throw SimulationFailure(error.what(), {});
  }
}

} // namespace

DataPlane::DataPlane(const Job& job, std::int64_t exchanges_before, ChunkData::Memory memory)
    : job_(job), exchanges_before_(exchanges_before), gradients_(job.training.compression.tensors, job.workload) {
  const CompressionSpec& c = job.training.compression;
  const Collective& exchange = collective(job.training.exchange.algorithm);
  topk_ = exchange.unit == Unit::lists && !exchange.one_list;
  gtopk_ = exchange.unit == Unit::lists && exchange.one_list;
  if (c.codec) codec_ = codec::make_codec(*c.codec);
  if (topk_ || gtopk_) audit_.emplace(job.ranks.workers());
  if (job.training.selection) chunks_.emplace(job, std::move(memory));
  states_.resize(at(job.ranks.size()) * at(job.buckets.size()));
  std::int64_t first = 0;
  for (const Bucket& bucket : job.buckets.all()) {
    first_element_.push_back(first);
    first += bucket.elements;
  }
}

DataPlane::~DataPlane() = default;

std::size_t DataPlane::point(std::int64_t iteration) const {
  return at(exchanges_before_ + iteration / job_.training.every) % gradients_.points();
}

std::size_t DataPlane::entries(int bucket) const {
  return codec::selected_entries(job_.training.exchange.density, at(job_.buckets.plan(bucket).elements));
}

/// Returns the state of a bucket's exchange. A new exchange closes the previous one.
DataPlane::State& DataPlane::open(int rank, int bucket, std::int64_t iteration) {
  State& state = states_[at(rank) * at(job_.buckets.size()) + at(bucket)];
  if (state.iteration == iteration) return state;
  if (state.iteration >= 0) close(rank, bucket, state);
  state.iteration = iteration;
  start(rank, bucket, state);
  return state;
}

void DataPlane::start(int rank, int bucket, State& state) {
  const std::int64_t exchange = state.iteration / job_.training.every;
  const std::size_t n = at(job_.buckets_in(exchange).plan(bucket).elements);
  state.pulled.clear();
  state.lists.clear();
  if (job_.ranks.is_helper(rank)) {
    state.values.assign(n, 0.0F);
    return;
  }
  if (chunks_) {
    chunks_->start(rank, bucket, exchange, gradient(state.iteration, rank), state.values);
    return;
  }
  const auto own = gradient(state.iteration, rank).subspan(at(first_element_[at(bucket)]), n);
  state.values.assign(own.begin(), own.end());
  if (!topk_ && !gtopk_) return;
  state.residual.resize(n, 0.0F);
  state.selected = codec::select_and_keep(own, state.residual, entries(bucket), codec::Implementation::simd);
  audit_->selected(bucket, state.iteration, state.selected, state.residual);
  state.lists.resize(topk_ ? at(job_.ranks.workers()) : 1);
  state.lists[topk_ ? at(rank) : 0] = state.selected;
}

std::span<const float> DataPlane::gradient(std::int64_t iteration, int worker) {
  return readable([&] { return gradients_.worker(point(iteration), worker); });
}

std::span<const double> DataPlane::exact_sum(std::int64_t iteration) {
  return readable([&] { return gradients_.sum(point(iteration), job_.ranks.workers()); });
}

/// Compares a worker's result with the exact sum.
void DataPlane::close(int rank, int bucket, State& state) {
  if (job_.ranks.is_helper(rank) || chunks_) return;
  if (topk_ || gtopk_) {
    std::fill(state.values.begin(), state.values.end(), 0.0F);
    for (const codec::SparseVector& list : state.lists)
      for (std::size_t i = 0; i < list.size(); ++i) state.values[list.indices[i]] += list.values[i];
    if (gtopk_) codec::gtopk::put_back(state.selected, state.lists[0], state.residual);
    if (gtopk_) audit_->received(bucket, state.iteration, state.lists[0]);
  }
  const auto exact = exact_sum(state.iteration);
  compare(state.values, exact.subspan(at(first_element_[at(bucket)]), state.values.size()));
}

void DataPlane::finished(int rank, int bucket, std::int64_t iteration) {
  if (!chunks_) return;
  const State& state = open(rank, bucket, iteration);
  const std::int64_t exchange = iteration / job_.training.every;
  if (!job_.buckets[bucket].norms) {
    if (!job_.ranks.is_helper(rank)) chunks_->reduced(rank, bucket, exchange, state.values);
    return;
  }
  chunks_->choose(exchange, state.values);
  if (!job_.ranks.is_helper(rank)) compare(chunks_->aggregate(rank, exchange), exact_sum(iteration));
}

void DataPlane::compare(std::span<const float> aggregate, std::span<const double> exact) {
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double error = static_cast<double>(aggregate[i]) - exact[i];
    max_error_ = std::max(max_error_, std::abs(error));
    error_squares_ += error * error;
    exact_squares_ += exact[i] * exact[i];
    error_sum_ += error;
  }
  compared_ += static_cast<double>(exact.size());
}

void DataPlane::count(std::int64_t iteration, bool pull, double payload, double wire) {
  auto& steps = result_.steps;
  auto step = std::find_if(steps.rbegin(), steps.rend(), [&](const LegBytes& s) { return s.iteration <= iteration; });
  if (step == steps.rend() || step->iteration != iteration) {
    steps.insert(step.base(), LegBytes{iteration, 0, 0, 0, 0});
    step = std::find_if(steps.rbegin(), steps.rend(), [&](const LegBytes& s) { return s.iteration == iteration; });
  }
  (pull ? step->pull_payload : step->push_payload) += payload;
  (pull ? step->pull_wire : step->push_wire) += wire;
}

/// Passes values through the codec; returns the encoded bytes.
std::size_t DataPlane::encode(std::span<const float> values, std::span<float> residual, std::span<float> decoded) {
  codec_->encode(values, residual, bytes_, encoded_++);
  if (const auto status = codec_->decode(bytes_, decoded); !status.problem.empty())
    throw std::logic_error("a codec cannot decode its own output: " + std::string(status.problem));
  return bytes_.size();
}

/// Like encode(), where `parts_` leaves tensors out: the other elements go through the codec as one stream.
double DataPlane::encode_parts(std::span<const float> values, std::span<float> residual, std::span<float> decoded) {
  const auto compressed = [&](auto visit) {
    for (const WireWeight::Run& run : parts_.runs)
      if (run.compressed) visit(at(run.elements.first), at(run.elements.count));
  };
  gathered_.clear();
  gathered_residual_.clear();
  compressed([&](std::size_t first, std::size_t count) {
    const auto part = values.subspan(first, count);
    gathered_.insert(gathered_.end(), part.begin(), part.end());
    if (residual.empty()) return;
    const auto kept = residual.subspan(first, count);
    gathered_residual_.insert(gathered_residual_.end(), kept.begin(), kept.end());
  });
  std::copy(values.begin(), values.end(), decoded.begin());
  double wire = static_cast<double>(values.size() - gathered_.size()) * element_bytes;
  if (gathered_.empty()) return wire;
  passed_.resize(gathered_.size());
  wire += static_cast<double>(encode(gathered_, gathered_residual_, passed_)) + parts_.overhead_bytes;
  std::size_t next = 0;
  compressed([&](std::size_t first, std::size_t count) {
    std::copy_n(passed_.begin() + static_cast<std::ptrdiff_t>(next), count, decoded.subspan(first).begin());
    if (!residual.empty())
      std::copy_n(gathered_residual_.begin() + static_cast<std::ptrdiff_t>(next), count,
                  residual.subspan(first).begin());
    next += count;
  });
  return wire;
}

DataPlane::Shared DataPlane::encode(const StepOp& op, State& state) {
  const Range range = op.transfer.out;
  const auto values = std::span<float>(state.values).subspan(at(range.first), at(range.count));
  auto content = std::make_shared<Content>();
  if (!op.encoded) {
    content->values.assign(values.begin(), values.end());
    content->wire = static_cast<double>(values.size()) * element_bytes;
    return content;
  }
  std::span<float> residual;
  if (codec_->keeps_residual()) {
    state.residual.resize(state.values.size(), 0.0F);
    residual = std::span<float>(state.residual).subspan(at(range.first), at(range.count));
  }
  content->values.resize(values.size());
  if (job_.weights.blocks().even()) {
    content->wire = static_cast<double>(encode(values, residual, content->values));
  } else {
    job_.weights.blocks().parts(op.bucket, range, parts_);
    content->wire = encode_parts(values, residual, content->values);
  }
  return content;
}

double DataPlane::send(const StepOp& op, int rank, std::uint32_t message) {
  State& state = open(rank, op.bucket, op.iteration);
  const Range range = op.transfer.out;
  const bool pull = job_.parameter_server && !job_.ranks.is_helper(op.transfer.to);
  Shared content;
  if (topk_ || gtopk_) {
    auto lists = std::make_shared<Content>();
    for (std::int64_t i = 0; i < (gtopk_ ? 1 : range.count); ++i) {
      const auto& list = state.lists[gtopk_ ? 0 : at((range.first + i) % job_.ranks.workers())];
      lists->lists.push_back(list);
      lists->wire += list_header_bytes + entry_bytes * static_cast<double>(list.size());
    }
    content = lists;
  } else if (pull && !job_.training.compression.in_nic()) {
    Shared& shared = state.pulled[range.first]; // encoded or received once; all further receivers share these bytes
    if (!shared) shared = encode(op, state);
    content = shared;
  } else {
    content = encode(op, state);
  }
  under_way_[message] = content;
  count(op.iteration, pull, job_.weights.payload(op.bucket, range), content->wire);
  return content->wire;
}

void DataPlane::receive(const StepOp& op, int rank, std::uint32_t message) {
  const auto found = under_way_.find(message);
  const Shared content = found->second;
  under_way_.erase(found);
  State& state = open(rank, op.bucket, op.iteration);
  const Range range = op.transfer.in;
  if (gtopk_) {
    codec::SparseVector& mine = state.lists[0];
    const codec::SparseVector& other = content->lists[0];
    mine = op.transfer.combine == Combine::merge ? codec::gtopk::merge(mine, other, entries(op.bucket)) : other;
    return;
  }
  if (topk_) {
    for (std::size_t i = 0; i < content->lists.size(); ++i)
      state.lists[(at(range.first) + i) % at(job_.ranks.workers())] = content->lists[i];
    return;
  }
  const auto mine = std::span<float>(state.values).subspan(at(range.first), at(range.count));
  if (op.transfer.combine == Combine::reduce)
    std::transform(mine.begin(), mine.end(), content->values.begin(), mine.begin(), std::plus<>());
  else
    std::copy(content->values.begin(), content->values.end(), mine.begin());
  if (job_.parameter_server && !job_.ranks.is_helper(rank) && !job_.training.compression.in_nic())
    state.pulled[range.first] = content;
}

void DataPlane::set_errors() {
  const bool finite = std::isfinite(error_squares_); // an error that is not a number stays in the sum
  result_.max_error = finite ? std::optional(max_error_) : std::nullopt;
  result_.relative_l2_error.reset();
  if (finite && exact_squares_ > 0) result_.relative_l2_error = std::sqrt(error_squares_ / exact_squares_);
  if (error_squares_ == 0) result_.relative_l2_error = 0; // also of sums that are all 0
  result_.bias = finite ? std::optional(compared_ > 0 ? error_sum_ / compared_ : 0) : std::nullopt;
}

DataResult DataPlane::finish() {
  for (int rank = 0; rank < job_.ranks.size(); ++rank)
    for (int bucket = 0; bucket < job_.buckets.size(); ++bucket) {
      State& state = states_[at(rank) * at(job_.buckets.size()) + at(bucket)];
      if (state.iteration >= 0) close(rank, bucket, state);
    }
  set_errors();
  if (audit_) result_.selection = audit_->result();
  if (chunks_) {
    result_.selection.emplace();
    const double whole = chunks_->whole_mass();
    result_.selection->selected_mass_share = whole > 0 ? chunks_->sent_mass() / whole : 1;
  }
  return result_;
}

} // namespace gradflight
