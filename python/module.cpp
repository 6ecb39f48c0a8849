// The library's calls for Python, which python/gradflight/__init__.py gives their shape. Nothing is decided here. What
// simulates lets other Python threads run meanwhile.
#include <gradflight/gradflight.hpp>

#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace py = pybind11;

namespace {

using Unlocked = py::call_guard<py::gil_scoped_release>;

/// The classes are Python's own, so that they can be documented and derived from there.
void raise(const char* kind, const py::tuple& arguments) {
  const py::object error = py::module_::import("gradflight._errors").attr(kind);
  PyErr_SetObject(error.ptr(), error(*arguments).ptr());
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const gradflight::InputError& error) {
    py::list mistakes;
    for (const gradflight::Mistake& m : error.mistakes())
      mistakes.append(py::make_tuple(m.file, m.line, m.column, m.pointer, m.message));
    raise("InputError", py::make_tuple(error.what(), mistakes));
  } catch (const gradflight::SimulationError& error) {
    raise("SimulationError", py::make_tuple(error.what()));
  } catch (const gradflight::OutputError& error) {
    raise("OutputError", py::make_tuple(error.what()));
  }
}

/// What Python is told goes wrong there does not stop the simulation.
gradflight::Progress told(py::object progress) {
  if (progress.is_none()) return {};
  return [progress = std::move(progress)](double part) {
    const py::gil_scoped_acquire lock;
    try {
      progress(part);
    } catch (py::error_already_set& error) {
      error.discard_as_unraisable("gradflight: progress");
    }
  };
}

gradflight::SweepSummary sweep(const std::filesystem::path& file, const std::filesystem::path& directory, int jobs,
                               bool retry, py::object progress) {
  gradflight::SweepOptions options;
  options.jobs = jobs;
  options.retry = retry;
  options.progress = told(std::move(progress));
  gradflight::SweepSummary summary;
  {
    const py::gil_scoped_release unlocked;
    summary = gradflight::sweep(file, directory, options);
  }
  return summary; // the callable, a Python object, goes with the lock held
}

} // namespace

PYBIND11_MODULE(_gradflight, m) {
  m.doc() = "The shared library's calls; use the package gradflight.";
  py::register_exception_translator(&translate);

  py::class_<gradflight::Scenario>(m, "Scenario")
      .def_property_readonly("name", &gradflight::Scenario::name)
      .def_property_readonly("json", &gradflight::Scenario::json);
  py::class_<gradflight::Result>(m, "Result")
      .def_property_readonly("time_s", &gradflight::Result::time_s)
      .def_property_readonly("iteration_time_s", &gradflight::Result::iteration_time_s)
      .def_property_readonly("json", &gradflight::Result::json)
      .def_property_readonly("summary", &gradflight::Result::summary);
  py::class_<gradflight::SweepSummary>(m, "SweepSummary")
      .def_readonly("points", &gradflight::SweepSummary::points)
      .def_readonly("missing", &gradflight::SweepSummary::missing)
      .def_readonly("failed", &gradflight::SweepSummary::failed)
      .def_readonly("csv", &gradflight::SweepSummary::csv);

  m.def("version", &gradflight::version);
  m.def("load", &gradflight::load, Unlocked());
  m.def("parse", &gradflight::parse, Unlocked());
  m.def(
      "run", [](const gradflight::Scenario& scenario) { return gradflight::run(scenario); }, Unlocked());
  m.def("compare", &gradflight::compare, Unlocked());
  m.def(
      "scale",
      [](const gradflight::Scenario& scenario, const std::string& path, const std::vector<std::string>& values,
         double threshold, bool strong, int jobs) {
        return gradflight::scale(scenario, path, values, {threshold, strong, jobs});
      },
      Unlocked());
  m.def(
      "advise",
      [](const gradflight::Scenario& scenario, double budget_s, int jobs) {
        return gradflight::advise(scenario, {budget_s, jobs});
      },
      Unlocked());
  m.def(
      "collective",
      [](const std::string& operation, const std::string& platform, const gradflight::Settings& settings, int ranks,
         int nodes, int gpus_per_node, double begin, double end, double factor, const std::vector<double>& sizes,
         int element_size, const std::string& algorithm, const std::string& protocol, int channels) {
        return gradflight::collective(operation, platform,
                                      {settings, ranks, nodes, gpus_per_node, begin, end, factor, sizes, element_size,
                                       algorithm, protocol, channels});
      },
      Unlocked());
  m.def("sweep", &sweep);
}
