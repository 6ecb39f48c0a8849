// Python bindings of the library; python/gradflight/__init__.py defines the Python interface. This file makes no
// decisions. Other Python threads can run during a simulation.
#include <gradflight/gradflight.hpp>

#include <pybind11/functional.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>
#include <string_view>

namespace py = pybind11;

namespace {

using Unlocked = py::call_guard<py::gil_scoped_release>;

/// The exception classes are defined in Python, so that Python code can document and extend them.
void raise(const char* kind, const py::tuple& arguments) {
  const py::object error = py::module_::import("gradflight._errors").attr(kind);
  PyErr_SetObject(error.ptr(), error(*arguments).ptr());
}

/// Returns text for Python. Names of files need not be UTF-8; what Python cannot take becomes U+FFFD.
py::str decoded(std::string_view text) {
  PyObject* made = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (made == nullptr) throw py::error_already_set();
  return py::reinterpret_steal<py::str>(made);
}

void translate(std::exception_ptr thrown) {
  try {
    if (thrown) std::rethrow_exception(thrown);
  } catch (const gradflight::InputError& error) {
    py::list mistakes;
    for (const gradflight::Mistake& m : error.mistakes())
      mistakes.append(py::make_tuple(decoded(m.file), m.line, m.column, decoded(m.pointer), decoded(m.message)));
    raise("InputError", py::make_tuple(decoded(error.what()), mistakes));
  } catch (const gradflight::SimulationError& error) {
    raise("SimulationError", py::make_tuple(decoded(error.what())));
  } catch (const gradflight::OutputError& error) {
    raise("OutputError", py::make_tuple(decoded(error.what())));
  }
}

/// Reports progress to Python, and lets Ctrl-C end a call: Python handles a signal only on request. Other exceptions of
/// `tell` do not stop the simulation.
class Watch {
public:
  /// `tell`: a callable, or None.
  explicit Watch(const py::object& tell) : tell_(tell) {}

  /// The returned function refers to this object. It is created and destroyed with Python's lock held.
  [[nodiscard]] gradflight::Progress progress() const {
    return [this](double part) {
      const py::gil_scoped_acquire lock;
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      if (tell_.is_none()) return;
      try {
        tell_(part);
      } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_Exception)) throw;
        error.discard_as_unraisable("gradflight: progress");
      }
    };
  }

private:
  const py::object tell_;
};

/// Returns the result of `call`; other Python threads run meanwhile.
template <class Call> auto unlocked(const Call& call) {
  const py::gil_scoped_release lock;
  return call();
}

} // namespace

PYBIND11_MODULE(_gradflight, m) {
  m.doc() = "The shared library's calls; use the package gradflight.";
  py::register_exception_translator(&translate);

  py::class_<gradflight::Scenario>(m, "Scenario")
      .def_property_readonly("name", [](const gradflight::Scenario& scenario) { return decoded(scenario.name()); })
      .def_property_readonly("json", &gradflight::Scenario::json);
  py::class_<gradflight::Result>(m, "Result")
      .def_property_readonly("time_s", &gradflight::Result::time_s)
      .def_property_readonly("iteration_time_s", &gradflight::Result::iteration_time_s)
      .def_property_readonly("json", &gradflight::Result::json)
      .def_property_readonly("summary", [](const gradflight::Result& result) { return decoded(result.summary()); });
  py::class_<gradflight::SweepSummary>(m, "SweepSummary")
      .def_readonly("points", &gradflight::SweepSummary::points)
      .def_readonly("missing", &gradflight::SweepSummary::missing)
      .def_readonly("failed", &gradflight::SweepSummary::failed)
      .def_readonly("csv", &gradflight::SweepSummary::csv);

  m.def("version", &gradflight::version);
  m.def("load", &gradflight::load, Unlocked());
  m.def("parse", &gradflight::parse, Unlocked());
  m.def("run", [](const gradflight::Scenario& scenario) {
    const Watch watch{py::none()};
    return unlocked([&] { return gradflight::run(scenario, watch.progress()); });
  });
  m.def("compare", [](const std::vector<gradflight::Scenario>& scenarios, int jobs, const py::object& tell) {
    const Watch watch(tell);
    return unlocked([&] { return gradflight::compare(scenarios, jobs, watch.progress()); });
  });
  m.def("scale",
        [](const gradflight::Scenario& scenario, const std::string& path, const std::vector<std::string>& values,
           double threshold, bool strong, int jobs, const py::object& tell) {
          const Watch watch(tell);
          return unlocked([&] {
            return gradflight::scale(scenario, path, values, {threshold, strong, jobs, watch.progress()});
          });
        });
  m.def("advise", [](const gradflight::Scenario& scenario, double budget_s, int jobs, const py::object& tell) {
    const Watch watch(tell);
    return unlocked([&] { return gradflight::advise(scenario, {budget_s, jobs, watch.progress()}); });
  });
  m.def("collective", [](const std::string& operation, const std::filesystem::path& platform,
                         const gradflight::Settings& settings, int ranks, int nodes, int gpus_per_node, double begin,
                         double end, double factor, const std::vector<double>& sizes, int element_size,
                         const std::string& algorithm, const std::string& protocol, int channels, bool interruptible) {
    const Watch watch{py::none()};
    return unlocked([&] {
      return gradflight::collective(operation, platform.string(),
                                    {settings, ranks, nodes, gpus_per_node, begin, end, factor, sizes, element_size,
                                     algorithm, protocol, channels, interruptible ? watch.progress() : nullptr});
    });
  });
  m.def("sweep", [](const std::filesystem::path& file, const std::filesystem::path& directory, int jobs, bool retry,
                    const py::object& tell) {
    const Watch watch(tell);
    return unlocked([&] { return gradflight::sweep(file, directory, {jobs, retry, watch.progress()}); });
  });
}
