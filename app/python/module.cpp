// SPDX-License-Identifier: GPL-3.0-or-later
// kernscope._core: the facade for Python. What people call is in the package around it.
#include "core/facade/facade.h"
#include "resources/sample.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace py = pybind11;

namespace kernscope::python {

namespace {

using facade::Weights;

[[noreturn]] void raise(const Error &given)
{
    const Error error = withNearest(given);
    const auto number = [](const auto &quantity) -> py::object {
        return quantity ? py::object(py::int_(quantity->value)) : py::object(py::none());
    };
    const auto text = [](const std::string &words) {
        return py::reinterpret_steal<py::object>(
            PyUnicode_DecodeUTF8(words.data(), static_cast<Py_ssize_t>(words.size()), "replace"));
    };
    py::module_::import("kernscope.errors")
        .attr("raise_error")(text(error.code), text(error.message), text(error.file),
                             number(error.offset), number(error.length), text(error.field),
                             text(error.expected), text(error.found));
    throw py::error_already_set(); // raise_error() has raised
}

template <class T>
T required(Result<T> result)
{
    if (!result)
        raise(result.error());
    if constexpr (!std::is_void_v<T>)
        return *std::move(result);
}

/// Does long work on a thread of its own, without the interpreter's lock. Meanwhile this one, that
/// of the caller, looks for signals such as Ctrl-C and tells `callback` how far it is, 0 to 1.
/// Whatever either of them raises stops the work and is the caller's.
template <class Work>
auto run(const py::object &callback, Work work)
{
    using namespace std::chrono_literals;
    Progress progress;
    std::optional<decltype(work(progress))> answer;
    std::exception_ptr failure, stopped;
    std::mutex mutex;
    std::condition_variable wake;
    bool done = false;
    std::thread worker([&] {
        try {
            answer.emplace(work(progress));
        } catch (...) {
            failure = std::current_exception();
        }
        const std::lock_guard lock(mutex);
        done = true;
        wake.notify_one();
    });
    for (bool ended = false; !ended;) {
        {
            const py::gil_scoped_release release;
            std::unique_lock lock(mutex);
            ended = wake.wait_for(lock, 50ms, [&done] { return done; });
        }
        if (ended || stopped)
            continue;
        try {
            if (PyErr_CheckSignals() != 0)
                throw py::error_already_set();
            if (!callback.is_none())
                callback(progress.fraction());
        } catch (...) {
            stopped = std::current_exception();
            progress.cancel();
        }
    }
    worker.join();
    if (stopped)
        std::rethrow_exception(stopped);
    if (failure)
        std::rethrow_exception(failure);
    if (!callback.is_none() && *answer)
        callback(1.0);
    return required(*std::move(answer));
}

py::list diagnosticsOf(const Diagnostics &diagnostics)
{
    py::list rows;
    for (const Diagnostic &row : diagnostics) {
        py::dict object;
        object["severity"] = std::string(severityName(row.severity));
        object["code"] = row.error.code;
        object["file"] = py::bytes(row.error.file).attr("decode")("utf-8", "replace");
        object["offset"] = row.error.offset ? py::object(py::int_(row.error.offset->value))
                                            : py::object(py::none());
        object["expected"] = py::bytes(row.error.expected).attr("decode")("utf-8", "replace");
        object["found"] = py::bytes(row.error.found).attr("decode")("utf-8", "replace");
        object["message"] = py::bytes(row.error.message).attr("decode")("utf-8", "replace");
        rows.append(std::move(object));
    }
    return rows;
}

/// What NumPy has of the element types; others are given as bytes.
const char *numpyType(const std::string &type)
{
    static const std::map<std::string, const char *> types{
        {"fp16", "<f2"}, {"fp32", "<f4"},   {"fp64", "<f8"},   {"bool", "?"},
        {"int8", "i1"},  {"int16", "<i2"},  {"int32", "<i4"},  {"int64", "<i8"},
        {"uint8", "u1"}, {"uint16", "<u2"}, {"uint32", "<u4"}, {"uint64", "<u8"}};
    const auto found = types.find(type);
    return found == types.end() ? nullptr : found->second;
}

/// A read-only view of bytes of the mapped file, which stays mapped as long as the view lives.
py::array viewOf(const Weights &weights, const facade::StoredPart &part,
                 std::span<const std::byte> bytes)
{
    const char *name = part.ordered && part.runs.size() == 1 ? numpyType(part.type) : nullptr;
    std::vector<py::ssize_t> shape;
    std::size_t elements = 1;
    for (const std::uint64_t extent : part.shape) {
        shape.push_back(static_cast<py::ssize_t>(extent));
        elements *= static_cast<std::size_t>(extent);
    }
    py::dtype type = py::dtype::from_args(py::str(name ? name : "u1"));
    // Masks and indices may be declared as other elements than are stored: bytes as they are.
    if (!name || elements * static_cast<std::size_t>(type.itemsize()) != bytes.size()) {
        type = py::dtype::from_args(py::str("u1"));
        shape.assign(1, static_cast<py::ssize_t>(bytes.size()));
    }
    const py::capsule owner(new Weights(weights),
                            [](void *kept) { delete static_cast<Weights *>(kept); });
    py::array view(type, shape, bytes.data(), owner);
    view.attr("setflags")(py::arg("write") = false);
    return view;
}

py::list storedOf(const Weights &weights, std::size_t weight)
{
    py::list parts;
    for (const facade::StoredPart &part : weights.stored(weight)) {
        py::dict object;
        object["role"] = part.role;
        object["type"] = part.type;
        object["shape"] = py::tuple(py::cast(part.shape));
        object["bits"] = part.bits;
        object["file"] = part.file;
        object["offset"] = part.offset;
        py::list views;
        for (const auto &run : part.runs)
            views.append(viewOf(weights, part, run));
        object["views"] = std::move(views);
        parts.append(std::move(object));
    }
    return parts;
}

py::array_t<float> valuesOf(const Weights &weights, std::size_t weight, const py::object &callback)
{
    const auto extents = weights.shape(weight);
    py::array_t<float> values(std::vector<py::ssize_t>(extents.begin(), extents.end()));
    const std::span<float> out(values.mutable_data(), static_cast<std::size_t>(values.size()));
    run(callback, [&](Progress &progress) { return weights.values(weight, out, &progress); });
    return values;
}

py::dict savedOf(const facade::Saved &saved)
{
    py::list ranges;
    for (const facade::SavedRange &range : saved.ranges) {
        py::dict object;
        object["file"] = range.file;
        object["offset"] = range.offset;
        object["bytes"] = range.bytes;
        ranges.append(std::move(object));
    }
    py::list backups;
    for (const auto &path : saved.backups)
        backups.append(path.string());
    py::dict object;
    object["ranges"] = std::move(ranges);
    object["bytes_written"] = saved.bytesWritten;
    object["verified"] = saved.verified;
    object["backups"] = std::move(backups);
    object["warnings"] = diagnosticsOf(saved.warnings);
    return object;
}

py::list coverageOf(const Weights &weights)
{
    py::list rows;
    for (const facade::Coverage &row : weights.coverage()) {
        py::dict object;
        object["name"] = row.name;
        object["form"] = row.form;
        object["elements"] = row.elements;
        object["stored_bytes"] = row.storedBytes;
        object["bits"] = row.bits;
        rows.append(std::move(object));
    }
    return rows;
}

py::dict sample()
{
    py::dict bundles;
    for (const sample::SampleBundle &bundle : sample::bundles()) {
        py::dict files;
        for (const auto &[path, content] : bundle.files)
            files[py::str(path)] =
                py::bytes(reinterpret_cast<const char *>(content.data()), content.size());
        bundles[py::str(bundle.name)] = std::move(files);
    }
    return bundles;
}

py::tuple madeOf(facade::Made made)
{
    return py::make_tuple(std::move(made.document), std::move(made.bundle));
}

void addWeights(py::module_ &module)
{
    py::class_<Weights>(module, "Weights")
        .def_property_readonly("name", &Weights::name)
        .def_property_readonly("path", &Weights::path)
        .def_property_readonly("kind", &Weights::kind)
        .def_property_readonly("modified", &Weights::modified)
        .def("diagnostics", [](const Weights &self) { return diagnosticsOf(self.diagnostics()); })
        .def("names", &Weights::names)
        .def("index", [](const Weights &self,
                         const std::string &name) { return required(self.index(name)); })
        .def("shape", &Weights::shape)
        .def("info",
             [](const Weights &self, std::size_t weight, bool figures, const py::object &callback) {
                 return run(callback, [&](Progress &progress) {
                     return self.info(weight, figures, &progress);
                 });
             })
        .def("values", &valuesOf)
        .def("stored", &storedOf)
        .def("picture",
             [](const Weights &self, std::size_t weight, const py::object &callback) {
                 const auto png = run(
                     callback, [&](Progress &progress) { return self.picture(weight, &progress); });
                 return py::bytes(reinterpret_cast<const char *>(png.data()), png.size());
             })
        .def("inspect",
             [](const Weights &self, bool findings, const py::object &callback) {
                 return run(callback,
                            [&](Progress &progress) { return self.inspect(findings, &progress); });
             })
        .def("coverage", &coverageOf)
        .def("find",
             [](const Weights &self, const facade::Search &search, const py::object &callback) {
                 return run(callback,
                            [&](Progress &progress) { return self.find(search, &progress); });
             })
        .def("check_unchanged", [](const Weights &self) { required(self.checkUnchanged()); })
        .def("save",
             [](const Weights &self, const facade::SaveTarget &target, const py::object &callback) {
                 return savedOf(run(
                     callback, [&](Progress &progress) { return self.save(target, &progress); }));
             });
}

/// Structures of options: each member is an attribute.
void addOptions(py::module_ &module)
{
    py::class_<facade::Search>(module, "Search")
        .def(py::init<>())
        .def_readwrite("what", &facade::Search::what)
        .def_readwrite("pattern", &facade::Search::pattern)
        .def_readwrite("width", &facade::Search::width)
        .def_readwrite("big_endian", &facade::Search::bigEndian)
        .def_readwrite("tolerance", &facade::Search::tolerance)
        .def_readwrite("count", &facade::Search::count)
        .def_readwrite("weight", &facade::Search::weight)
        .def_readwrite("limit", &facade::Search::limit);
    py::class_<facade::SaveTarget>(module, "SaveTarget")
        .def(py::init<>())
        .def_readwrite("in_place", &facade::SaveTarget::inPlace)
        .def_readwrite("output", &facade::SaveTarget::output)
        .def_readwrite("replace", &facade::SaveTarget::replace)
        .def_readwrite("backup", &facade::SaveTarget::backup)
        .def_readwrite("break_links", &facade::SaveTarget::breakLinks);
    py::class_<facade::DiffWanted>(module, "DiffWanted")
        .def(py::init<>())
        .def_readwrite("values", &facade::DiffWanted::values)
        .def_readwrite("forms", &facade::DiffWanted::forms)
        .def_readwrite("rules", &facade::DiffWanted::rules)
        .def_readwrite("max_abs", &facade::DiffWanted::maxAbs)
        .def_readwrite("min_cosine", &facade::DiffWanted::minCosine)
        .def_readwrite("min_snr", &facade::DiffWanted::minSnr)
        .def_readwrite("same_program", &facade::DiffWanted::sameProgram);
    py::class_<facade::PlanWanted>(module, "PlanWanted")
        .def(py::init<>())
        .def_readwrite("chips", &facade::PlanWanted::chips)
        .def_readwrite("tolerance", &facade::PlanWanted::tolerance)
        .def_readwrite("total_tolerance", &facade::PlanWanted::totalTolerance)
        .def_readwrite("max_bytes", &facade::PlanWanted::maxBytes)
        .def_readwrite("minimise", &facade::PlanWanted::minimise)
        .def_readwrite("forms", &facade::PlanWanted::forms)
        .def_readwrite("forced", &facade::PlanWanted::forced)
        .def_readwrite("batch", &facade::PlanWanted::batch)
        .def_readwrite("make", &facade::PlanWanted::make);
}

void addFunctions(py::module_ &module)
{
    module.def("version", &facade::version);
    module.def("sample", &sample);
    module.def("open", [](const std::filesystem::path &path, const py::object &callback) {
        return run(callback, [&](Progress &progress) { return Weights::open(path, &progress); });
    });
    module.def("diff", [](const Weights &a, const Weights &b, const facade::DiffWanted &wanted,
                          const py::object &callback) {
        const auto compared = run(
            callback, [&](Progress &progress) { return facade::diff(a, b, wanted, &progress); });
        return py::make_tuple(compared.document, compared.holds);
    });
    module.def("assess", [](const Weights &bundle, const std::string &chip) {
        return run(py::none(), [&](Progress &) { return facade::assess(bundle, chip); });
    });
    module.def("plan", [](const Weights &bundle, const facade::PlanWanted &wanted,
                          const py::object &callback) {
        return madeOf(run(
            callback, [&](Progress &progress) { return facade::plan(bundle, wanted, &progress); }));
    });
    module.def("encode", [](const Weights &bundle, const std::vector<std::string> &patterns,
                            const std::string &form, const py::object &callback) {
        return madeOf(run(callback, [&](Progress &progress) {
            return facade::encode(bundle, patterns, form, &progress);
        }));
    });
    module.def("convert", [](const Weights &bundle, const py::object &callback) {
        return madeOf(
            run(callback, [&](Progress &progress) { return facade::convert(bundle, &progress); }));
    });
    module.def("patch", [](const Weights &bundle, const std::string &edits, double tolerance,
                           bool inPlace, const py::object &callback) {
        return madeOf(run(callback, [&](Progress &progress) {
            return facade::patch(bundle, edits, {tolerance, inPlace}, &progress);
        }));
    });
}

} // namespace

} // namespace kernscope::python

PYBIND11_MODULE(_core, module)
{
#if PYBIND11_VERSION_HEX < 0x020C0000
    // It reads NumPy's types as NumPy 1 lays them out: with another, views would hold other values.
    if (!py::module_::import("numpy").attr("__version__").cast<std::string>().starts_with("1."))
        throw py::import_error(
            "kernscope was built with a pybind11 before 2.12, which knows NumPy 1 "
            "only: install numpy<2");
#endif
    module.doc() = "Kernscope's core, as the package kernscope calls it";
    kernscope::python::addWeights(module);
    kernscope::python::addOptions(module);
    kernscope::python::addFunctions(module);
}
