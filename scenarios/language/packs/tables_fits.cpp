#include "scenarios/language/packs/pack_tables.hpp"

namespace gradflight {
namespace {

Value<double> error() { return number(0, unlimited); }

const Table<FittedValue>& value_table() {
  static const auto table = [] {
    Table<FittedValue> t("fitted_value", "A parameter as it was fitted.");
    t.required("name", &FittedValue::name, text(), "Of the pack's `fitted`.");
    t.required("value", &FittedValue::value, text(), "With its unit.");
    return t;
  }();
  return table;
}

const Table<TransferResult>& transfer_result_table() {
  static const auto table = [] {
    const auto count = integer64(0, 1'000'000);
    Table<TransferResult> t("transfer_result", "What a transfer of the pack gave.");
    t.required("name", &TransferResult::name, text(), "That of the pack's `transfer`.");
    t.required("fitted", &TransferResult::fitted, count, "Figures that were fitted to.");
    t.required("predicted", &TransferResult::predicted, count, "Figures that were predicted.");
    t.required("median_abs_error", &TransferResult::median, error(), "Of the predicted, as a fraction.");
    t.required("p90_abs_error", &TransferResult::p90, error(), "Their 90th percentile.");
    t.required("parameters", &TransferResult::parameters, list(object(value_table())), "Those that were fitted.");
    t.defaulted("held", &TransferResult::held, list(text()),
                "Parameters that keep the pack's value: no figure that was fitted to depends on them.");
    t.defaulted("left_out", &TransferResult::left_out, list(text()),
                "Figures that are not predicted, because a held parameter was fitted to them.");
    return t;
  }();
  return table;
}

const Table<CrossValidation>& cross_validation_table() {
  static const auto table = [] {
    Table<CrossValidation> t("cross_validation", "Fits on random sets of figures, each predicting all others.");
    t.required("seed", &CrossValidation::seed, integer64(0, 2'000'000'000), "Of the draw.");
    t.required("size", &CrossValidation::size, integer64(1, 1'000'000), "Figures in a set.");
    t.required("of", &CrossValidation::of, integer64(1, 1'000'000), "Figures to draw from.");
    t.required("median_abs_error", &CrossValidation::medians, list(error(), 1), "Of each set.");
    t.required("p90_abs_error", &CrossValidation::p90s, list(error(), 1), "Of each set.");
    return t;
  }();
  return table;
}

} // namespace

const Table<PackFits>& fits_table() {
  static const auto table = [] {
    Table<PackFits> t("pack_fits", "Written by `gradflight calibrate PACK --write`, beside the pack.");
    t.info.kind = kind_field("fits");
    t.required("digest", &PackFits::digest, text(), "Of the pack that it was made with: another one makes it stale.");
    t.defaulted("transfers", &PackFits::transfers, list(object(transfer_result_table())), "`--transfer`.");
    t.maybe("cross_validation", &PackFits::cross_validation, object(cross_validation_table()),
            "`--cross-validate`. Absent: not made.");
    return t;
  }();
  return table;
}

} // namespace gradflight
