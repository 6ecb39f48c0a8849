#include "scenarios/language/packs/pack_tables.hpp"

namespace gradflight {
namespace {

Value<double> error() { return number(0, unlimited); }

const Table<FittedValue>& value_table() {
  static const auto table = [] {
    Table<FittedValue> t("fitted_value", "A fitted parameter.");
    t.required("name", &FittedValue::name, text(), "Its name in the pack's `fitted`.");
    t.required("value", &FittedValue::value, text(), "Its value with the unit.");
    return t;
  }();
  return table;
}

const Table<TransferResult>& transfer_result_table() {
  static const auto table = [] {
    const auto count = integer64(0, 1'000'000);
    Table<TransferResult> t("transfer_result", "The result of a transfer of the pack.");
    t.required("name", &TransferResult::name, text(), "Its name in the pack's `transfer`.");
    t.required("fitted", &TransferResult::fitted, count, "Number of figures that the fit used.");
    t.required("predicted", &TransferResult::predicted, count, "Number of figures that were predicted.");
    t.required("median_abs_error", &TransferResult::median, error(),
               "Median relative error of the predicted figures, as a fraction.");
    t.required("p90_abs_error", &TransferResult::p90, error(), "90th percentile of the relative errors.");
    t.required("parameters", &TransferResult::parameters, list(object(value_table())), "The fitted parameters.");
    t.defaulted("held", &TransferResult::held, list(text()),
                "Parameters that keep the pack's value, because no figure of the fit depends on them.");
    t.defaulted("left_out", &TransferResult::left_out, list(text()),
                "Figures that are not predicted, because a held parameter was fitted to them.");
    return t;
  }();
  return table;
}

const Table<CrossValidation>& cross_validation_table() {
  static const auto table = [] {
    Table<CrossValidation> t("cross_validation", "Fits to random sets of figures; each predicts all other figures.");
    t.required("seed", &CrossValidation::seed, integer64(0, 2'000'000'000), "Seed of the random sets.");
    t.required("size", &CrossValidation::size, integer64(1, 1'000'000), "Number of figures in a set.");
    t.required("of", &CrossValidation::of, integer64(1, 1'000'000),
               "Total number of figures. Each set is drawn from them.");
    t.required("median_abs_error", &CrossValidation::medians, list(error(), 1), "Median relative error of each set.");
    t.required("p90_abs_error", &CrossValidation::p90s, list(error(), 1),
               "90th percentile of the relative errors of each set.");
    return t;
  }();
  return table;
}

} // namespace

const Table<PackFits>& fits_table() {
  static const auto table = [] {
    Table<PackFits> t("pack_fits",
                      "Results of fits, which `gradflight calibrate PACK --write` stores next to the pack.");
    t.info.kind = kind_field("fits");
    t.required(
        "digest", &PackFits::digest, text(),
        "Digest of the pack that the results were computed with. They are stale if the pack has another digest.");
    t.defaulted("transfers", &PackFits::transfers, list(object(transfer_result_table())), "Results of `--transfer`.");
    t.maybe("cross_validation", &PackFits::cross_validation, object(cross_validation_table()),
            "Results of `--cross-validate`. Absent: it was not run.");
    return t;
  }();
  return table;
}

} // namespace gradflight
