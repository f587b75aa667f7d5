// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the embedded sample as a C++ source: generate OUT.cpp
#include "resources/sample/builder.h"

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
           "#include <span>\n\nnamespace {\n";
    for (std::size_t b = 0; b < bundles.size(); ++b) {
        for (std::size_t f = 0; f < bundles[b].files.size(); ++f)
            writeArray(out, fmt::format("kFile{}_{}", b, f), bundles[b].files[f].second);
    }
    out << "std::vector<std::byte> copy(std::span<const unsigned char> from)\n"
           "{\n    const auto bytes = std::as_bytes(from);\n"
           "    return {bytes.begin(), bytes.end()};\n}\n} // namespace\n\n"
           "namespace kernscope::sample {\nstd::vector<SampleBundle> bundles()\n{\n"
           "    std::vector<SampleBundle> all;\n";
    for (std::size_t b = 0; b < bundles.size(); ++b) {
        out << fmt::format("    all.push_back({{\"{}\", {{}}}});\n", bundles[b].name);
        for (std::size_t f = 0; f < bundles[b].files.size(); ++f) {
            out << fmt::format("    all.back().files.emplace_back(\"{}\", copy(kFile{}_{}));\n",
                               bundles[b].files[f].first, b, f);
        }
    }
    out << "    return all;\n}\n} // namespace kernscope::sample\n";
}

} // namespace

int main(int argc, char **argv)
{
    using namespace kernscope::sample;
    if (argc != 2) {
        std::fputs("usage: generate OUT.cpp\n", stderr);
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
    std::ofstream out(argv[1], std::ios::binary);
    writeSource(out, bundles);
    out.close();
    return out ? 0 : 1;
}
