#include "sim/data/chunk_data.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace gradflight {
namespace {

double l1(std::span<const float> values) {
  double sum = 0;
  for (const float v : values) sum += std::abs(static_cast<double>(v));
  return sum;
}

} // namespace

ChunkData::ChunkData(const Job& job, Memory memory)
    : job_(job), chunks_(job.workload, job.training, job.buckets.size()),
      momentum_(static_cast<float>(job.training.selection->momentum.value_or(ChunkSelection::default_momentum))),
      gradients_(at(job.ranks.workers())), histories_(std::move(memory.history)),
      exchanges_(at(job.ranks.workers()), -1), norms_(std::move(memory.norms)) {
  histories_.resize(at(job.ranks.workers()));
  for (std::vector<float>& history : histories_) history.resize(pool().elements, 0.0F);
  const bool known = norms_.size() == pool().chunks();
  chunks_.choose(0, known ? codec::csc::select(norms_, job.training.selection->share) : chunks_.evenly());
}

void ChunkData::start(int worker, int bucket, std::int64_t exchange, std::span<const float> gradient,
                      std::vector<float>& values) {
  const ChunkSteps::Step& step = chunks_.step(exchange);
  std::vector<float>& own = gradients_[at(worker)];
  if (exchanges_[at(worker)] != exchange) {
    exchanges_[at(worker)] = exchange;
    own.assign(gradient.begin(), gradient.end());
    codec::csc::correct_momentum(pool(), step.important, momentum_, own, histories_[at(worker)]);
    whole_mass_ += l1(own);
    sent_mass_ += l1(codec::csc::gather(pool(), step.important, own));
  }
  values = step.buckets[bucket].norms ? codec::csc::chunk_norms(pool(), step.important, at(job_.ranks.workers()), own)
                                      : codec::csc::gather(pool(), step.chunks[at(bucket)], own);
}

void ChunkData::reduced(int worker, int bucket, std::int64_t exchange, std::span<const float> values) {
  codec::csc::scatter(pool(), chunks_.step(exchange).chunks[at(bucket)], values, gradients_[at(worker)]);
}

void ChunkData::choose(std::int64_t exchange, std::span<const float> norms) {
  if (chosen_ == exchange + 1) {
    const auto same = [](float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    if (!std::ranges::equal(norms, norms_, same)) throw std::logic_error("ranks disagree on the norms of the chunks");
    return;
  }
  chosen_ = exchange + 1;
  norms_.assign(norms.begin(), norms.end());
  chunks_.choose(chosen_, codec::csc::select(norms_, job_.training.selection->share));
}

std::vector<float> ChunkData::aggregate(int worker, std::int64_t exchange) const {
  const codec::csc::Chunks& important = chunks_.step(exchange).important;
  std::vector<float> values = gradients_[at(worker)];
  for (std::size_t chunk = 0; chunk < pool().chunks(); ++chunk)
    if (!important[chunk])
      std::fill(values.begin() + static_cast<std::ptrdiff_t>(pool().begin(chunk)),
                values.begin() + static_cast<std::ptrdiff_t>(pool().end(chunk)), 0.0F);
  return values;
}

} // namespace gradflight
