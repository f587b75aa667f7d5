// SPDX-License-Identifier: GPL-3.0-or-later
// kernscope-bench-curves: what the metadata of a file costs by its size. Each row opens one file in
// a process of its own, three times as large twice over, and prints processor time, peak memory and
// the exponent of the time (the slope in log-log: 1 is linear), beside the bound of 5 s and 512 MiB
// that holds for the metadata of any file.
#include "core/base/overlaid_file.h"
#include "core/graph/graph.h"
#include "synthetic.h"
#include "tests/core/container/checkpoint/made_checkpoint.h"
#include "tests/core/container/mil/proto_builder.h"

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

using namespace prototest;
namespace fs = std::filesystem;

namespace {

constexpr double kMostSeconds = 5, kMostMiB = 512;

void put(const fs::path &path, const QByteArray &content)
{
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary).write(content.constData(), content.size());
}

QByteArray raw(const std::string &content)
{
    return QByteArray::fromStdString(content);
}

fs::path safetensorsOf(const fs::path &folder, std::size_t count)
{
    std::string json = "{";
    for (std::size_t i = 0; i < count; ++i)
        json +=
            fmt::format("{}\"t{}\":{{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[{},{}]}}",
                        i == 0 ? "" : ",", i, 2 * i, 2 * i + 2);
    const fs::path path = folder / "x.safetensors";
    put(path, test::safetensors(raw(json + "}"), QByteArray(qsizetype(2 * count), 0)));
    return path;
}

fs::path archiveOf(const fs::path &folder, std::size_t count, bool packed)
{
    const QByteArray array = test::npy("<f4", "False", "(2,)", test::floats({1, 2}));
    std::vector<test::Member> members;
    for (std::size_t i = 0; i < count; ++i)
        members.push_back({raw(fmt::format("t{}.npy", i)), array, packed});
    put(folder / "x.npz", test::zip(members));
    return folder / "x.npz";
}

QByteArray operation(std::size_t i)
{
    const QByteArray name = raw(fmt::format("v{}", i));
    const QByteArray from = i == 0 ? QByteArray("x") : raw(fmt::format("v{}", i - 1));
    return opMessage("relu", {{"x", reference(from)}}, {{"name", prototest::text(name)}},
                     {named(name, tensor(Fp16, {1, 4}))});
}

fs::path packageOf(const fs::path &folder, std::size_t items, std::size_t operations)
{
    const char *const root = "com.apple.CoreML/model.mlmodel";
    std::string json = "{\"fileFormatVersion\":\"1.0.0\",\"rootModelIdentifier\":\"0\","
                       "\"itemInfoEntries\":{";
    for (std::size_t i = 0; i < items; ++i)
        json += fmt::format("{}\"{}\":{{\"path\":\"{}\"}}", i == 0 ? "" : ",", i,
                            i == 0 ? root : "com.apple.CoreML/weights");
    const fs::path package = folder / "x.mlpackage";
    put(package / "Manifest.json", raw(json + "}}"));
    QList<QByteArray> body;
    for (std::size_t i = 0; i < operations; ++i)
        body += operation(i);
    put(package / "Data" / root, model(body, {raw(fmt::format("v{}", operations - 1))}));
    return package;
}

/// A chain of operations, or of operations that read `operands` values each.
fs::path programOf(const fs::path &folder, std::size_t operations, std::size_t operands)
{
    std::string body;
    for (std::size_t i = 0; i < operations; ++i) {
        const std::string from = i == 0 ? "x" : fmt::format("v{}", i - 1);
        std::string values = from;
        for (std::size_t k = 1; k < operands; ++k)
            values += ", " + from;
        body +=
            operands == 1
                ? fmt::format("tensor<fp16, [1, 4]> v{} = relu(x = {})[name = string(\"v{}\")];\n",
                              i, values, i)
                : fmt::format("tensor<fp16, [?, 4]> v{} = concat(values = ({}))[name = "
                              "string(\"v{}\")];\n",
                              i, values, i);
    }
    put(folder / "x.mlmodelc" / "model.mil",
        raw(fmt::format("program(1.0)\n{{\nfunc main<ios16>(tensor<fp16, [1, 4]> x) {{\n{}}} -> "
                        "(v{});\n}}\n",
                        body, operations - 1)));
    return folder / "x.mlmodelc";
}

fs::path containerOf(const fs::path &folder, std::size_t tasks)
{
    const test::Bytes bytes = test::syntheticH13(tasks);
    put(folder / "x.hwx",
        QByteArray(reinterpret_cast<const char *>(bytes.data()), qsizetype(bytes.size())));
    return folder / "x.hwx";
}

struct Cost {
    double seconds = 0, mebibytes = 0;
    bool done = false;
};

/// Of `work` in a process of its own.
Cost costOf(const std::function<bool()> &work)
{
    const pid_t child = fork();
    if (child == 0)
        _exit(work() ? 0 : 1);
    int status = 0;
    rusage usage{};
    if (child < 0 || wait4(child, &status, 0, &usage) != child)
        return {};
    const auto seconds = [](const timeval &time) {
        return double(time.tv_sec) + 1e-6 * double(time.tv_usec);
    };
    return {seconds(usage.ru_utime) + seconds(usage.ru_stime), double(usage.ru_maxrss) / 1024,
            WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

struct Row {
    const char *name;
    std::size_t first; ///< of three sizes; each is three times the one before
    std::function<fs::path(const fs::path &, std::size_t)> make;
    bool graph = false;
};

std::vector<Row> rows()
{
    using Folder = const fs::path &;
    return {
        {"manifest, items", 20'000, [](Folder to, std::size_t n) { return packageOf(to, n, 1); }},
        {"safetensors, tensors", 11'000, safetensorsOf},
        {"npz, members", 7'000, [](Folder to, std::size_t n) { return archiveOf(to, n, false); }},
        {"npz, deflated", 7'000, [](Folder to, std::size_t n) { return archiveOf(to, n, true); }},
        {"text, operations", 20'000, [](Folder to, std::size_t n) { return programOf(to, n, 1); }},
        {"protobuf, operations", 20'000,
         [](Folder to, std::size_t n) { return packageOf(to, 1, n); }},
        {"hwx, tasks", 11'000, containerOf},
        {"graph, arrows", 80'000,
         [](Folder to, std::size_t n) { return programOf(to, n / 1000, 1000); }, true},
    };
}

} // namespace

int main()
{
    const fs::path scratch =
        fs::temp_directory_path() / fmt::format("kernscope-bench-curves-{}", getpid());
    bool within = true;
    for (const Row &row : rows()) {
        std::string line = fmt::format("{:22}", row.name);
        std::vector<double> times;
        for (std::size_t count = row.first; times.size() < 3; count *= 3) {
            const fs::path path = row.make(scratch, count);
            const Cost cost = costOf([&] {
                const auto bundle = Bundle::open(path);
                return bundle && (!row.graph || graph::Graph::build(*bundle));
            });
            const bool holds =
                cost.done && cost.seconds <= kMostSeconds && cost.mebibytes <= kMostMiB;
            within = within && holds;
            times.push_back(cost.seconds);
            line +=
                fmt::format("  {:>7}: {:6.2f} s {:4.0f} MiB{}", count, cost.seconds, cost.mebibytes,
                            !cost.done ? " FAILED"
                            : holds    ? ""
                                       : " BEYOND");
            fs::remove_all(scratch);
        }
        fmt::print("{}  exponent {:.2f}\n", line, std::log(times[2] / times[0]) / std::log(9.0));
        std::fflush(stdout);
    }
    fmt::print("bound of each: {:.0f} s, {:.0f} MiB: {}\n", kMostSeconds, kMostMiB,
               within ? "holds" : "DOES NOT HOLD");
    return within ? 0 : 1;
}
