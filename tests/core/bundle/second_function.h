// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/test_program.h"

/// A program of two functions, whose weights have the same names.
namespace kernscope::test {

/// Copies `main` of the program text among the files as a function `second`.
inline void addSecondFunction(std::vector<std::pair<std::string, std::vector<std::byte>>> &files)
{
    for (auto &[path, content] : files) {
        if (path != "model.mil")
            continue;
        std::string text(reinterpret_cast<const char *>(content.data()), content.size());
        const auto begin = text.find("func main"), end = text.rfind('}');
        std::string copy = text.substr(begin, end - begin);
        copy.replace(0, std::string_view("func main").size(), "func second");
        text.insert(end, copy);
        const auto bytes = std::as_bytes(std::span(text));
        content.assign(bytes.begin(), bytes.end());
    }
}

} // namespace kernscope::test
