// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/shapes/infer.h"
#include "core/container/mil/reader.h"
#include "tests/test_program.h"

/// Programs of a statement or two, for the tests of shapes.
namespace kernscope::test {

inline mil::Program parsed(const std::string &text)
{
    return mil::readProgramText(std::as_bytes(std::span(text)), "model.mil").program;
}

/// "1,3,4" of the value of that name; "none" where there is none.
inline std::string dimsOf(const mil::Block &block, std::string_view name)
{
    std::string found = "none";
    for (const mil::Operation &operation : block.operations) {
        for (const mil::NamedType &output : operation.outputs) {
            if (output.name != name)
                continue;
            found.clear();
            for (const std::int64_t extent : output.type.dims)
                found += (found.empty() ? "" : ",") +
                         (extent < 0 ? std::string("?") : std::to_string(extent));
        }
        for (const mil::Block &body : operation.blocks) {
            if (const std::string inner = dimsOf(body, name); inner != "none")
                found = inner;
        }
    }
    return found;
}

inline std::vector<shapes::ShapeBinding> bindings(std::string_view text)
{
    std::vector<shapes::ShapeBinding> all;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (auto binding = shapes::parseBinding(text.substr(0, end)))
            all.push_back(std::move(*binding));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return all;
}

inline std::string programText(std::string_view parameters, std::string_view statements)
{
    return fmt::format("program(1.3)\n[buildInfo = dict<string, string>({{{{\"a\", \"b\"}}}})]\n"
                       "{{\n    func main<ios18>({}) {{\n{}\n        }} -> (y);\n}}",
                       parameters, statements);
}

} // namespace kernscope::test
