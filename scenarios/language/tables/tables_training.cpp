#include "models/schedules/parts/collective.hpp"
#include "scenarios/language/tables/tables.hpp"
#include "scenarios/language/tables/training/training_tables.hpp"

namespace gradflight {
namespace {

const Table<Granularity>& granularity_table() {
  static const auto table = [] {
    using Kind = Granularity::Kind;
    Table<Granularity> t(
        "granularity",
        "How gradients are fused or cut. Give exactly one of `fusion_threshold`, `ddp_bucket` and `segments`.");
    const auto sized = [&t](const char* key, Kind kind, const char* doc) {
      t.custom<Bytes>(
           key, positive<Bytes>(),
           [kind](Granularity& g, Bytes size) {
             g.kind = kind;
             g.bytes = size.value();
           },
           [kind](const Granularity& g) { return g.kind == kind ? std::optional(Bytes(g.bytes)) : std::nullopt; }, doc)
          .only([kind](const Granularity& g) { return g.kind == Kind::model || g.kind == kind; },
                "exactly one of fusion_threshold, ddp_bucket and segments");
    };
    sized("fusion_threshold", Kind::fusion,
          "Consecutive gradients are fused until the group's size exceeds this (GradientFlow's lazy all-reduce).");
    sized("ddp_bucket", Kind::ddp, "Buckets as in PyTorch: a bucket is full when it reaches this size.");
    t.custom<Bytes>(
         "first_bucket", positive<Bytes>(), [](Granularity& g, Bytes size) { g.first_bytes = size.value(); },
         [](const Granularity& g) { return std::optional(Bytes(g.first_bytes)); }, "Size of the first bucket.")
        .only([](const Granularity& g) { return g.kind == Kind::ddp; }, "ddp_bucket");
    t.info.fields.back().default_text = "\"1MiB\"";
    t.custom<int>(
         "segments", integer(1, 1'000'000),
         [](Granularity& g, int segments) {
           g.kind = Kind::segments;
           g.segments = segments;
         },
         [](const Granularity& g) { return g.kind == Kind::segments ? std::optional(g.segments) : std::nullopt; },
         "Number of equal parts into which the model's gradient is cut (Pipe-SGD Eq. 6).")
        .only([](const Granularity& g) { return g.kind == Kind::model || g.kind == Kind::segments; },
              "exactly one of fusion_threshold, ddp_bucket and segments");
    t.finally([](const Granularity& g, const Node& written, Decoder& decoder) {
      if (g.kind == Kind::model)
        decoder.fail(written.position, "expected exactly one key. Allowed: fusion_threshold, ddp_bucket, segments");
    });
    return t;
  }();
  return table;
}

Value<Granularity> granularity() {
  using Kind = Granularity::Kind;
  auto named = mapped<Kind, Granularity>(
      choice<Kind>("a granularity", {{"model", Kind::model}, {"tensor", Kind::tensor}, {"layer", Kind::layer}}),
      [](Kind kind) { return Granularity{.kind = kind}; }, [](const Granularity& g) { return g.kind; });
  return either<Granularity>(std::move(named), object(granularity_table()), is_text, [](const Granularity& g) {
    return g.kind != Kind::fusion && g.kind != Kind::ddp && g.kind != Kind::segments;
  });
}

const Table<Overlap>& pipelined_table() {
  static const auto table = [] {
    Table<Overlap> t("pipelined", "Overlap of iterations (Pipe-SGD).");
    t.custom<int>(
        "pipelined", integer(1, 1'000'000),
        [](Overlap& o, int k) {
          o = {OverlapKind::pipelined, k};
        },
        [](const Overlap& o) { return std::optional(o.k); },
        "K: an iteration applies the gradients of the iteration K - 1 before it. 1 is synchronous; 2 has staleness 1.");
    t.info.fields.back().required = true;
    return t;
  }();
  return table;
}

Value<Overlap> overlap() {
  auto named = mapped<OverlapKind, Overlap>(
      choice<OverlapKind>("an overlap", {{"none", OverlapKind::none}, {"layerwise", OverlapKind::layerwise}}),
      [](OverlapKind kind) { return Overlap{.kind = kind}; }, [](const Overlap& o) { return o.kind; });
  return either<Overlap>(std::move(named), object(pipelined_table()), is_text,
                         [](const Overlap& o) { return o.kind != OverlapKind::pipelined; });
}

const Table<CostSpec>& cost_table() {
  static const auto table = [] {
    Table<CostSpec> t("cost", "Extra work on the gradients: copies, conversions, selection.");
    const auto on_messages = [](const CostSpec& c) {
      return c.at == CostHook::message_send || c.at == CostHook::message_receive;
    };
    t.required("name", &CostSpec::name, text(), "Name of the work in the breakdown and the timeline.");
    t.required("at", &CostSpec::at,
               choice<CostHook>("a moment", {{"iteration", CostHook::iteration},
                                             {"before_exchange", CostHook::before_exchange},
                                             {"after_exchange", CostHook::after_exchange},
                                             {"selection", CostHook::selection},
                                             {"message_send", CostHook::message_send},
                                             {"message_receive", CostHook::message_receive}}),
               "When the work happens. iteration: once, before the forward pass. before_exchange, after_exchange: for "
               "each bucket. selection: once per exchange with chosen chunks, for the whole gradient, before the norms "
               "are sent. message_send, message_receive: for each message.");
    t.required(
        "on", &CostSpec::on,
        choice<CostResource>("a resource",
                             {{"gpu", CostResource::gpu}, {"cpu", CostResource::cpu}, {"pcie", CostResource::pcie}}),
        "The resource that the work occupies: the GPU of the rank (which cannot compute meanwhile), its CPU or its "
        "copy engine.");
    t.defaulted("per_byte", &CostSpec::per_byte, quantity<SecondsPerByte>(),
                "Time per byte of dense gradient; for messages, per byte of the message.");
    t.defaulted("per_element", &CostSpec::per_element, quantity<Seconds>(), "Time per gradient element.");
    t.defaulted("per_tensor", &CostSpec::per_tensor, quantity<Seconds>(),
                "Time per tensor in it (with chosen chunks, per chunk).")
        .only([on_messages](const CostSpec& c) { return !on_messages(c); }, "a cost that is not at messages");
    t.defaulted("per_message", &CostSpec::per_message, quantity<Seconds>(), "Time per message.")
        .only(on_messages, "at message_send or message_receive");
    t.defaulted("fixed", &CostSpec::fixed, quantity<Seconds>(), "Fixed time each time the work happens.");
    return t;
  }();
  return table;
}

const Table<ChunkSelection>& selection_table() {
  static const auto table = [] {
    Table<ChunkSelection> t("selection", "Exchange of only the important chunks of the gradient (GradientFlow's CSC).");
    t.required("chunk_share", &ChunkSelection::share, number(0, 1, true),
               "Share of the chunks to exchange, rounded up to whole chunks. With real tensors, those of largest L1 "
               "norm are chosen; otherwise they are assumed to be spread evenly over the model.");
    t.defaulted("chunk_elements", &ChunkSelection::chunk_elements, integer64(1, 1'000'000'000'000),
                "Number of gradient elements in a chunk.");
    t.maybe("momentum", &ChunkSelection::momentum, number(0, 1),
            "Factor by which an unsent gradient shrinks per step; needs real tensors. Absent: 0.9 with real tensors.");
    return t;
  }();
  return table;
}

/// The keys that the main phase and warm-up phases share; `spec` returns the TrainingSpec within T.
template <class T, class Get> void training_fields(Table<T>& t, Get spec) {
  const auto at = [spec](auto member) {
    return [ spec, member ](auto& form) -> auto& { return std::invoke(spec, form).*member; };
  };
  t.template custom<ExchangeSpec>(
      "exchange", object(exchange_table()),
      [spec](auto& form, ExchangeSpec exchange) {
        TrainingSpec& training = std::invoke(spec, form);
        // Default; the key "granularity" may change it.
        if (is_sharded(exchange)) training.granularity.kind = Granularity::Kind::layer;
        training.exchange = std::move(exchange);
      },
      [spec](const auto& form) { return std::optional(std::invoke(spec, form).exchange); },
      "How gradients are exchanged.");
  t.info.fields.back().required = true;
  t.defaulted("granularity", at(&TrainingSpec::granularity), granularity(),
              "How gradients are cut or fused into the vectors to exchange: the whole model, each tensor, each layer, "
              "or an object. Default of a sharded exchange: \"layer\".");
  t.info.fields.back().one_choice = true;
  t.defaulted("overlap", at(&TrainingSpec::overlap), overlap(),
              "none: the exchange follows the backward pass. layerwise: vectors are exchanged as their gradients "
              "become ready. { \"pipelined\": K }: exchanges overlap other iterations. `prefetch` controls how far "
              "ahead parameters are gathered.");
  t.info.fields.back().one_choice = true;
  t.defaulted("streams", at(&TrainingSpec::streams), integer(1, 1024),
              "Communication streams per rank. Vector i uses stream i mod streams; each stream works in order.");
  t.defaulted("every", at(&TrainingSpec::every), integer(1, 1'000'000),
              "Exchange only in every k-th step (local steps).");
  t.defaulted("accumulation", at(&TrainingSpec::accumulation), integer(1, 1'000'000),
              "Number of mini-batches (forward and backward passes) per step.");
  t.defaulted("costs", at(&TrainingSpec::costs), list(object(cost_table())), "Extra work on the gradients.");
  t.defaulted("compression", at(&TrainingSpec::compression), compression_value(),
              "Compression of the gradients: an object, or the name of a codec.");
  t.maybe("selection", at(&TrainingSpec::selection), object(selection_table()),
          "Exchange of only some chunks of the gradient. Absent: the whole gradient. Warm-up phases can increase the "
          "share in steps.");
}

const Table<Phase>& phase_table() {
  static const auto table = [] {
    Table<Phase> t("phase", "A phase before the main one. Keys that it leaves out are as in the rest of `training`.");
    t.info.partial = true;
    t.defaulted("name", &Phase::name, text(), "Name of the phase in results.");
    t.required(
        "iterations", [](auto& phase) -> auto& { return phase.training.iterations; }, integer64(1, max_iterations),
        "Number of training steps in this phase.");
    training_fields(t, &Phase::training);
    return t;
  }();
  return table;
}

/// Returns `over` in a form that gives `over` when merged over `base`: missing keys become null. `table` describes
/// both, or is null.
Node with_removals(const Node& base, Node over, const TableInfo* table) {
  if (base.kind != Node::Kind::object || over.kind != Node::Kind::object) return over;
  for (const auto& member : base.members) {
    auto* own = over.find(member.key);
    const auto* field = table == nullptr ? nullptr : field_of(*table, member.key);
    if (own == nullptr)
      over.set(member.key, {});
    else if (field == nullptr || !field->one_choice)
      *own = with_removals(member.value, *own, field == nullptr ? nullptr : field->shape.table);
  }
  return over;
}

} // namespace

const Table<TrainingForm>& training_table() {
  static const auto table = [] {
    Table<TrainingForm> t("training", "How the job trains.");
    training_fields(t, &TrainingForm::main);
    t.defaulted(
        "iterations", [](auto& form) -> auto& { return form.main.iterations; }, integer64(1, max_iterations),
        "Number of training steps in the main phase.");
    t.defaulted("warmup", &TrainingForm::warmup, list(object(phase_table())),
                "Phases before the main one; each begins when every rank has finished the one before.");
    t.info.fields.back().items_inherit_without = {"warmup", "iterations"};
    return t;
  }();
  return table;
}

Value<TrainingForm> training_value() {
  auto value = object(training_table());
  value.show = [](const TrainingForm& form) {
    auto node = training_table().show(form);
    auto base = node;
    base.erase("warmup");
    for (auto& phase : node.find("warmup")->items) phase = with_removals(base, phase, &phase_table().info);
    return node;
  };
  return value;
}

} // namespace gradflight
