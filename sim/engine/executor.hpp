// Carries out a plan: every stream of every rank runs its program, operation by operation, as time goes on.
//
// Knows nothing of SimGrid: a clock calls advance(), a Network moves bytes. Memory is O(streams + messages under way).
#pragma once

#include "sim/data/data_plane.hpp"
#include "sim/engine/accounts.hpp"
#include "sim/engine/calendar.hpp"
#include "sim/engine/link_ledger.hpp"
#include "sim/engine/messaging.hpp"
#include "sim/engine/nic_links.hpp"
#include "sim/engine/ring_shortcut.hpp"
#include "sim/engine/simulate.hpp"
#include "sim/training/job.hpp"

#include <array>
#include <memory>
#include <vector>

namespace gradflight {

class Executor final : public ArrivalSink {
public:
  /// Jobs run one after another: the next begins when every stream of the last has ended.
  Executor(const Scenario& scenario, const Platform& platform, const SimulateOptions& options);

  Calendar& calendar() { return calendar_; }
  MessagePool& messages() { return messages_; }
  LinkLedger& ledger() { return ledger_; }
  /// Of every link that messages name: the platform's, in its order, then the stages of NICs.
  [[nodiscard]] const std::vector<double>& capacities() const { return capacities_; }
  void use(Network& network) { network_ = &network; }
  [[nodiscard]] int place_of(int rank) const { return job_->place[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] int receiver_place(const Message& m) const;

  void start();
  /// The run ended before `now`, though not everything under way has: late backup workers are left behind.
  [[nodiscard]] bool over_before(double now) const { return over_ && now > end_; }
  [[nodiscard]] double next() const { return calendar_.next(); }
  /// Handles every event up to and including `now`.
  void advance(double now);
  void arrived(MessageId id, double now) override;
  void left(MessageId id, double now) override;
  /// After arrivals from outside advance() (the reference engine): runs what they have released.
  void settle(double now);

  /// Throws SimulationFailure where a stream has not ended or bytes are missing.
  RunResult finish();

private:
  enum class Stage : std::uint8_t {
    fetch,
    queued,
    working,
    lagging,
    encoding,
    receiving,
    taken,
    asking,
    decoding,
    combining,
    sending,
    counting,
    meeting,
    ended
  };
  static constexpr std::uint32_t nobody_yet = 0xffffffffu;
  struct Lag {
    double end = 0;
    Path path{};
  };
  struct Stream {
    std::unique_ptr<Program> program;
    Op op;
    [[nodiscard]] StepOp& step() { return *std::get_if<StepOp>(&op); }
    [[nodiscard]] const StepOp& step() const { return *std::get_if<StepOp>(&op); }
    Stage stage = Stage::fetch;
    std::int32_t rank = 0, index = 0;
    bool to_encode = false;  ///< asking for it
    bool expecting = false;  ///< the message of the receiving step is on its way
    std::int32_t unsent = 0; ///< messages posted and not yet arrived
    std::int64_t signals = 0;
    Path path{}; ///< critical path up to now
    MessageId inbox = no_message, inbox_last = no_message;
    double work_end = 0;
    double decode_seconds = 0; ///< of the message taken last; 0 once decoded
    std::vector<Lag> lags;     ///< the last lag() + 1 reductions under way
    Lag last_combine{};
    int route_to = -1; ///< place that `route` leads to
    Route route;
    double route_alpha = 0, route_bandwidth = 0;
    std::vector<LinkShare> route_back;      ///< under a protocol: what acknowledgements take
    std::uint32_t last_sender = nobody_yet; ///< stream of the message it took last
  };

  void load(std::size_t phase, double now);
  void run_ready(double now);
  void discard_late_gradients();
  void run(std::uint32_t s, double now);
  bool begin_op(std::uint32_t s, double now);
  bool begin(std::uint32_t s, const WorkOp& op, double now);
  bool begin(std::uint32_t s, const WaitOp& op);
  bool drain(std::uint32_t s, double now);
  bool begin_work(std::uint32_t s, double now);
  void end_work(std::uint32_t s, double now);
  bool begin_step(std::uint32_t s, double now);
  bool encode(std::uint32_t s, double now);
  void begin_encoding(std::uint32_t s, double now);
  bool ask(std::uint32_t s, double now);
  bool transfer(std::uint32_t s, double now);
  bool combine(std::uint32_t s, double now);
  bool treat(std::uint32_t s, double now);
  bool reduce(std::uint32_t s, double now);
  void grant(double now);
  bool sent(std::uint32_t s);
  void post(std::uint32_t s, double now);
  void find_route(Stream& stream, int to_place);
  void there(MessageId id, double now);
  void deliver(MessageId id, double now);
  void launch(MessageId id, double now);
  void find_way_back(Stream& stream, int to_place);
  void launch_offered(std::uint32_t s, double now);
  [[nodiscard]] bool cleared(MessageId id, double now);
  void set_out(MessageId id, double ahead, double now);
  void resume_blocked(MessageId id, double now);
  void sender_done(const Message& m, const Path& path);
  bool take_from_inbox(std::uint32_t s, double now);
  void put_in_inbox(Stream& receiver, MessageId id);
  void take(std::uint32_t s, MessageId id);
  bool meet(std::uint32_t s);
  void enter_collective(std::uint32_t s, const CollectiveOp& op, double now);
  void signal(std::uint32_t s, const SignalOp& op);
  void mark(std::uint32_t s, const MarkOp& op, double now);
  double occupy(Stream& stream, Resource resource, double seconds, double now, double& begin);
  double codec_work(Stream& stream, Activity activity, double seconds, double now, Path& path);
  [[nodiscard]] static bool matches(const StepOp& op, const Message& m);
  [[nodiscard]] std::string waiting_for(std::uint32_t s) const;
  void record(const Stream& stream, Activity activity, int label, std::int64_t iteration, double begin, double end);
  void record(const Message& m, double now);
  void name_records();
  ChunkData::Memory close_data();
  [[noreturn]] void fail(const std::string& what) const;

  const Scenario& scenario_;
  const Platform& platform_;
  const SimulateOptions& options_;
  Calendar calendar_;
  MessagePool messages_;
  bool placed_; ///< in some phase a codec has a place: messages may carry more than alpha and bytes
  NicLinks nics_;
  std::vector<double> capacities_;
  LinkLedger ledger_;
  Network* network_ = nullptr;
  Accounts accounts_;
  std::size_t phase_ = 0;
  std::unique_ptr<Job> job_;
  int streams_per_rank_ = 0;
  std::optional<Messaging> messaging_; ///< with platform.protocol
  std::optional<RingShortcut> ring_;
  std::unique_ptr<DataPlane> data_; ///< real tensors on the way; null without
  std::optional<DataResult> data_result_;
  std::vector<Stream> streams_;
  std::vector<std::array<double, resource_count>> busy_until_;
  double beside_compute_ = 1;           ///< Message::slowing of messages that set out beside compute
  std::vector<double> computing_until_; ///< of each rank, where beside_compute_ > 1: the end of the passes it is in
  std::vector<std::uint32_t> ready_;
  std::vector<std::vector<std::uint32_t>> met_; ///< per stream of a rank: workers at the barrier
  std::vector<std::uint32_t> asking_;           ///< streams that want to encode, decode or reduce at this instant
  std::vector<Event> due_;
  Weight weight_;                                   ///< of the message being posted
  int first_bucket_name_ = 0, first_cost_name_ = 0; ///< of this phase, in the timeline
  std::size_t ended_ = 0;
  bool over_ = false; ///< backup workers: the last update is done, late workers are left behind
  double end_ = 0;
  Path end_path_{};
};

} // namespace gradflight
