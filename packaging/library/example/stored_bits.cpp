// SPDX-License-Identifier: GPL-3.0-or-later
// Prints how many bits each weight of a bundle takes an element, and its largest magnitude.
#include <kernscope/facade.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

using kernscope::facade::Weights;

int main(int argc, char **argv)
{
    if (argc != 2) {
        std::fputs("stored_bits BUNDLE\n", stderr);
        return 2;
    }
    const auto opened = Weights::open(argv[1]);
    if (!opened) {
        std::fprintf(stderr, "%s\n", kernscope::describe(opened.error()).c_str());
        return 4;
    }
    const auto rows = opened->coverage();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        std::vector<float> values(rows[i].elements);
        float largest = 0;
        if (opened->values(i, values))
            for (const float value : values)
                largest = std::max(largest, std::abs(value));
        std::printf("%s %s %.2f %g\n", rows[i].name.c_str(), rows[i].form.c_str(),
                    rows[i].bits.value_or(0), static_cast<double>(largest));
    }
    return 0;
}
