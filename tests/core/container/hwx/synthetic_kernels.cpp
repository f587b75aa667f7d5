// SPDX-License-Identifier: GPL-3.0-or-later
#include "synthetic_kernels.h"
#include "tests/core/lanes/encode_slices.h"

namespace kernscope::test {

std::vector<std::uint16_t> numbered(std::uint64_t count, std::uint16_t from)
{
    std::vector<std::uint16_t> values(count);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = std::uint16_t(from + i);
    return values;
}

SparseKernel sparseKernel(lanes::SparseForm form)
{
    SparseKernel made;
    made.kernel.geometry = {96, 5, 1, 1, 1, 1, true};
    made.kernel.lanesLog2 = 2;
    made.kernel.sparse = true;
    lanes::DealOptions options;
    options.cap = 4;
    made.weights = numbered(96 * 5, 0x3000);
    for (std::size_t i = 0; i < made.weights.size(); i += 3)
        made.weights[i] = 0;
    made.bias = numbered(96, 0x4000);
    const auto layout = lanes::SliceLayout::make(made.kernel.geometry, lanes::Law::Dense, options);
    if (layout)
        made.kernel.slices = lanes::encodeSparse(form, *layout, made.weights, made.bias)
                                 .value_or(std::vector<lanes::Slice>());
    return made;
}

Bytes containerOf(const MadeKernel &kernel)
{
    const lanes::WeightExtents &g = kernel.geometry;
    Bytes content;
    Words dma(62, 0), task(10);
    dma[0] = 0x40;
    const auto engines = std::uint32_t(kernel.slices.size());
    for (std::uint32_t i = 0; i < 16; ++i) {
        dma[2 + i] = i < engines ? 0x81 : 0x80;
        dma[18 + i] = i < engines ? std::uint32_t(content.size()) : 0;
        dma[34 + i] = i < engines ? std::uint32_t(kernel.slices[i].size()) : 0x40U;
        if (i < engines)
            content.insert(content.end(), kernel.slices[i].begin(), kernel.slices[i].end());
    }
    task[0] = 0x02000000;
    task[8] = 4U | 1U << 5 | 6U << 12 | 1U << 17;
    task[9] = 1U | 1U << 5;
    putFull(task, 0x1f800, dma);
    Words common(16, 0);
    common[0] = common[5] = 16U << 16 | 16U;
    common[1] = 1;
    common[2] = 0x22;
    common[3] = std::uint32_t(g.inputs * g.groups);
    common[4] = std::uint32_t(g.outputs);
    common[7] = 0x5000a000U | std::uint32_t(g.width) | std::uint32_t(g.height) << 5 |
                kernel.lanesLog2 << 10;
    common[9] = std::uint32_t(g.groups);
    putFull(task, 0x00000, common);
    putFull(task, 0x13800, Words(28, 0));
    putFull(task, 0x04800, Words(18, 0));
    putFull(task, 0x08800, Words(4, 0));
    putFull(task, 0x0c800,
            {0x82U | (kernel.sparse ? 0x100U : 0U), g.bias ? 0x101c10U : 0x101c00U, 0, 0, 0x3c00});
    putFull(task, 0x17800, Words(7, 0));
    ContainerMaker maker(4);
    const auto code = maker.segment(
        "__TEXT", 4,
        {{"__text", 0x28, bytesOfWords(task), 0, 14, {}}, {"__const", 0x26, content, 0, 6, {}}});
    maker.program7({code[0], code[1]}, code[0], std::uint32_t(task.size()), 1, false);
    maker.banner("SYNTHETIC", "h13");
    std::uint64_t at = code[1];
    for (std::uint32_t i = 0; i < engines; ++i) {
        maker.symbol(syntheticHash() + "_ne_" + std::to_string(i), 0x0f, 2, 2, at);
        at += kernel.slices[i].size();
    }
    return maker.finish();
}

namespace {

Words task14(const MadeKernel &kernel, std::uint32_t firstByte)
{
    const lanes::WeightExtents &g = kernel.geometry;
    Words stream, configs(16, 0x20), bases(16, 0), sizes(16, 0);
    std::uint32_t at = firstByte;
    for (std::size_t i = 0; i < kernel.slices.size(); ++i) {
        configs[i] = 0x21;
        bases[i] = at;
        sizes[i] = std::uint32_t(kernel.slices[i].size());
        at += sizes[i];
    }
    putDense(stream, 0x1900 / 4, {0x00010040});
    putDense(stream, 0x1918 / 4, configs);
    putDense(stream, 0x1958 / 4, bases);
    putDense(stream, 0x1998 / 4, sizes);
    putDense(stream, 0x0000,
             {16U << 16 | 16U, 1, 0x22, std::uint32_t(g.inputs), std::uint32_t(g.outputs),
              16U << 16 | 16U, 1, kernel.lanesLog2,
              0x5000a000U | std::uint32_t(g.width) | std::uint32_t(g.height) << 6, 0, 1});
    putDense(stream, 0x0d00 / 4,
             {0x82U | (kernel.sparse ? 0x100U : 0U), g.bias ? 0x101c10U : 0x101c00U});
    return stream;
}

} // namespace

Bytes twoStreams(const MadeKernel &first, const MadeKernel &second)
{
    constexpr std::uint64_t kSecondStream = 0x4000;
    Bytes content;
    ContainerMaker maker(5);
    Words text{1, 0, 0, 0};
    putTask(text, 0, 8, 0x20001, task14(first, 0));
    for (const lanes::Slice &slice : first.slices)
        content.insert(content.end(), slice.begin(), slice.end());
    const auto half = std::uint32_t(content.size());
    text.resize(kSecondStream / 4);
    text.insert(text.end(), {1, 0, 0, 0});
    putTask(text, 1, 8, 0x20001, task14(second, half));
    for (const lanes::Slice &slice : second.slices)
        content.insert(content.end(), slice.begin(), slice.end());
    const auto code = maker.segment(
        "__TEXT", 4,
        {{"__text", 0x28, bytesOfWords(text), 0, 14, {}}, {"__const", 0x26, content, 0, 6, {}}});
    maker.program11({code[0], code[1], 0, 0, 0x30000000}, code[0], std::uint32_t(text.size()));
    maker.banner("SYNTHETIC", "h14");
    maker.symbol("text_section_start_for_first", 0x0f, 1, 0, code[0]);
    maker.symbol("text_section_start_for_second", 0x0f, 1, 0, code[0] + kSecondStream);
    std::uint64_t at = code[1];
    for (const MadeKernel *kernel : {&first, &second}) {
        for (std::size_t i = 0; i < kernel->slices.size(); ++i) {
            maker.symbol(syntheticHash() + "_ne_" + std::to_string(i), 0x0f, 2, 2, at);
            at += kernel->slices[i].size();
        }
    }
    return maker.finish();
}

} // namespace kernscope::test
