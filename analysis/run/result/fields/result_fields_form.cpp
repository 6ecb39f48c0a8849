// A closed form in comparison with its run, and its assumptions.
#include "analysis/run/result/comparison.hpp"
#include "analysis/run/result/fields/result_tables.hpp"

namespace gradflight {
namespace {

const ResultTable<FormTerms>& terms_table() {
  static const auto table = [] {
    using T = const FormTerms&;
    ResultTable<FormTerms> t("form_terms", "The terms of a closed form over the whole run; they sum to its time.");
    t.number("time_s", "s", "The form's time for the whole run.", [](T f) { return f.time; });
    t.number("alpha_s", "s", "Latencies and overheads.", [](T f) { return f.alpha; });
    t.number("beta_s", "s", "Bytes over bandwidth.", [](T f) { return f.beta; });
    t.number("gamma_s", "s", "Time of reductions.", [](T f) { return f.gamma; });
    t.number("compute_s", "s", "Time of forward, backward and update that no communication hides.",
             [](T f) { return f.compute; });
    t.number("other_s", "s", "Host costs of the scenario, and merges.", [](T f) { return f.other; });
    return t;
  }();
  return table;
}

const ResultTable<Assumption>& assumption_table() {
  static const auto table = [] {
    using A = const Assumption&;
    ResultTable<Assumption> t("assumption", "An assumption of a closed form about the scenario.");
    std::vector<std::string> ids;
    for (const AssumptionInfo& assumption : assumption_ids()) ids.emplace_back(assumption.name);
    t.choice("id", ids, "Identifier for programs; docs/closed-forms.md explains each.",
             [](A a) { return std::string(name(a.id)); });
    t.text("text", "The assumption as a text.", [](A a) { return a.text; });
    t.truth("holds", "Whether the assumption holds.", [](A a) { return a.holds; });
    t.text("detail", "What in the scenario violates it; empty if it holds.", [](A a) { return a.detail; });
    return t;
  }();
  return table;
}

const ResultTable<PaperForm>& paper_form_table() {
  static const auto table = [] {
    using P = const PaperForm&;
    ResultTable<PaperForm> t("paper_form",
                             "A closed form as a paper prints it, if no schedule meets it exactly; shown in addition.");
    t.text("name", "Its name.", [](P p) { return p.name; });
    t.include(terms_table(), [](P p) -> const FormTerms& { return p.terms; });
    t.text("source", "Where it is printed.", [](P p) { return p.source; });
    t.text("why_not_gated", "Why `check` does not compare with this form.", [](P p) { return p.why; });
    return t;
  }();
  return table;
}

std::string no_paper_form(const PlannedRun& run) {
  const auto answer = closed_form(run.scenario, run.platform);
  return answer.form && !answer.form->paper ? "no paper prints a form other than " + answer.form->name : "";
}

} // namespace

const ResultTable<RunForm>& closed_form_table() {
  static const auto table = [] {
    using F = const RunForm&;
    const auto comparison = [](F f) { return compare(simulated(f.outcome), f.outcome.form); };
    ResultTable<RunForm> t(
        "closed_form", "The closed form of a scenario (docs/closed-forms.md), and the difference of the run from it.");
    t.text("name", "Its name: \"ring_allreduce\", \"parameter_server\", ...", [](F f) { return f.form.name; });
    t.include(terms_table(), [](F f) -> const FormTerms& { return f.form.terms; });
    t.text("formula", "The formula as a text.", [](F f) { return f.form.formula; });
    t.text("source", "Paper, section, equation.", [](F f) { return f.form.source; });
    t.list("assumptions", "", assumption_table(), "The assumptions of the form, and whether the scenario meets them.",
           ResultList<RunForm, const Assumption&>{
               .size = [](F f) { return f.form.assumptions.size(); },
               .item = [](F f, std::size_t i) -> const Assumption& { return f.form.assumptions[i]; }});
    t.number("relative_error", "1", "(simulated - form) / form; null if the form is 0 s and the simulation is not.",
             [comparison](F f) { return comparison(f).relative_error; })
        .or_null();
    t.text("cause",
           "Causes of the difference, largest first: shared links with their cost, and assumptions that fail; or "
           "\"unexplained\". null: no difference to explain.",
           [comparison](F f) -> std::optional<std::string> {
             auto cause = comparison(f).cause;
             return cause.empty() ? std::nullopt : std::optional(std::move(cause));
           })
        .or_null();
    t.object("paper_form", paper_form_table(),
             "The form that the paper prints, if the run is compared with another one.",
             [](F f) { return f.form.paper ? &*f.form.paper : nullptr; })
        .only("a form that a paper prints differently")
        .why_none(no_paper_form);
    return t;
  }();
  return table;
}

} // namespace gradflight
