// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"

#include <cstdio>
#include <map>
#include <string>
#include <string_view>

namespace kernscope::test {

namespace {

std::map<std::string, Registered::Run, std::less<>> &classes()
{
    static std::map<std::string, Registered::Run, std::less<>> all;
    return all;
}

} // namespace

Registered::Registered(const char *source, Run run)
{
    std::string_view name = source;
    name.remove_prefix(name.rfind('/') + 1);
    name.remove_suffix(name.size() - name.rfind('.'));
    classes().emplace(name, run);
}

const char *sourceFolder()
{
    return KERNSCOPE_SOURCE_DIR;
}

} // namespace kernscope::test

int main(int argc, char **argv)
{
    const auto &classes = kernscope::test::classes();
    const auto found = classes.find(std::string_view(argc > 1 ? argv[1] : ""));
    if (found == classes.end()) {
        std::fputs("Name one of these first:\n", stderr);
        for (const auto &entry : classes)
            std::fprintf(stderr, "  %s\n", entry.first.c_str());
        return 2;
    }
    argv[1] = argv[0];
    return found->second(argc - 1, argv + 1);
}
