// SPDX-License-Identifier: GPL-3.0-or-later
// Runs inputs through a fuzz target once, without libFuzzer; the entry function of each target has
// a name of its own.
//   fuzz_replay TARGET [FILE | FOLDER] …
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#define TARGET(name) extern "C" int name(const std::uint8_t *data, std::size_t size);
#include "fuzz_targets.inc"
#undef TARGET

// What changes inputs is of no use here, but it is linked.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t most);
std::size_t LLVMFuzzerMutate(std::uint8_t *, std::size_t size, std::size_t)
{
    return size;
}

int main(int argc, char **argv)
{
    namespace fs = std::filesystem;
#define TARGET(name) {#name, name},
    const std::map<std::string_view, int (*)(const std::uint8_t *, std::size_t)> targets{
#include "fuzz_targets.inc"
    };
#undef TARGET
    const auto target = argc > 1 ? targets.find(argv[1]) : targets.end();
    if (target == targets.end()) {
        std::fputs("There is no such target\n", stderr);
        return 2;
    }
    std::vector<fs::path> inputs;
    for (int i = 2; i < argc; ++i) {
        if (!fs::is_directory(argv[i])) {
            inputs.emplace_back(argv[i]);
            continue;
        }
        for (const auto &entry : fs::directory_iterator(argv[i]))
            inputs.push_back(entry.path());
    }
    target->second(nullptr, 0);
    for (const fs::path &input : inputs) {
        std::ifstream file(input, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        if (text.empty()) {
            std::fprintf(stderr, "%s: no input\n", input.c_str());
            return 2;
        }
        std::fprintf(stderr, "%s\n", input.c_str());
        target->second(reinterpret_cast<const std::uint8_t *>(text.data()), text.size());
    }
    return 0;
}
