// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the embedded samples as a C++ source: generate OUT.cpp BASE.mlirb
#include "resources/sample/builder.h"
#include "resources/sample/core_ai.h"

#include "core/base/files.h"

#include <cstdio>
#include <fstream>

#include <fmt/format.h>

namespace {

using kernscope::sample::SampleBundle;

void writeArray(std::ostream &out, const std::string &name, const std::vector<std::byte> &bytes)
{
    out << "const unsigned char " << name << "[] = {";
    for (std::size_t i = 0; i < bytes.size(); ++i)
        out << (i % 24 == 0 ? "\n" : "") << std::to_integer<int>(bytes[i]) << ',';
    out << "\n};\n";
}

void writeSource(std::ostream &out, const std::vector<SampleBundle> &bundles)
{
    out << "// Made by resources/sample/generate.cpp.\n#include \"resources/sample.h\"\n"
           "#include <span>\n#include <utility>\n\nnamespace {\n";
    for (std::size_t b = 0; b < bundles.size(); ++b) {
        for (std::size_t f = 0; f < bundles[b].files.size(); ++f)
            writeArray(out, fmt::format("kFile{}_{}", b, f), bundles[b].files[f].second);
    }
    out << "std::vector<std::byte> copy(std::span<const unsigned char> from)\n"
           "{\n    const auto bytes = std::as_bytes(from);\n"
           "    return {bytes.begin(), bytes.end()};\n}\n} // namespace\n\n"
           "namespace kernscope::sample {\nstatic std::vector<SampleBundle> all()\n{\n"
           "    std::vector<SampleBundle> all;\n";
    for (std::size_t b = 0; b < bundles.size(); ++b) {
        out << fmt::format("    all.push_back({{\"{}\", {{}}}});\n", bundles[b].name);
        for (std::size_t f = 0; f < bundles[b].files.size(); ++f) {
            out << fmt::format("    all.back().files.emplace_back(\"{}\", copy(kFile{}_{}));\n",
                               bundles[b].files[f].first, b, f);
        }
    }
    out << "    return all;\n}\n"
           "std::vector<SampleBundle> bundles()\n{\n"
           "    auto builds = all();\n    builds.pop_back();\n    return builds;\n}\n"
           "SampleBundle coreAi()\n{\n    return std::move(all().back());\n}\n"
           "} // namespace kernscope::sample\n";
}

} // namespace

int main(int argc, char **argv)
{
    using namespace kernscope::sample;
    if (argc != 3) {
        std::fputs("usage: generate OUT.cpp BASE.mlirb\n", stderr);
        return 2;
    }
    const auto network = makeNetwork();
    std::vector<SampleBundle> bundles;
    for (const Build form : {Build::Dense, Build::Sparse, Build::Palette}) {
        auto bundle = build(network, form);
        if (!bundle) {
            fmt::print(stderr, "{}\n", kernscope::describe(bundle.error()));
            return 1;
        }
        bundles.push_back(std::move(*bundle));
    }
    const auto base = kernscope::readSmallFile(argv[2], 1 << 20);
    auto coreAi = base ? buildCoreAi(network, std::as_bytes(std::span(*base)))
                       : kernscope::Result<SampleBundle>(tl::unexpected(base.error()));
    if (!coreAi) {
        fmt::print(stderr, "{}\n", kernscope::describe(coreAi.error()));
        return 1;
    }
    bundles.push_back(std::move(*coreAi));
    std::ofstream out(argv[1], std::ios::binary);
    writeSource(out, bundles);
    out.close();
    return out ? 0 : 1;
}
