// SPDX-License-Identifier: GPL-3.0-or-later
#include "synthetic.h"

#include <algorithm>

namespace kernscope::test {

namespace {

constexpr std::uint32_t kFvmlib = 0x6, kNoRelocations = 0x4;
constexpr std::uint64_t kSlice = 0x40;

Bytes kernelBytes(std::size_t lanes)
{
    Bytes bytes(lanes * kSlice);
    for (std::size_t i = 0; i < bytes.size(); i += 2)
        bytes[i + 1] = std::byte(0x3c); // 1.0 everywhere
    return bytes;
}

void addKernelSymbols(ContainerMaker &maker, std::uint8_t section, std::uint64_t address,
                      std::size_t lanes)
{
    for (std::size_t i = 0; i < lanes; ++i)
        maker.symbol(syntheticHash() + "_ne_" + std::to_string(i), 0x0f, section, 2,
                     address + i * kSlice);
}

void addPorts(ContainerMaker &maker, std::uint64_t input, std::uint64_t output, bool wide)
{
    maker.binding("image", input, wide);
    maker.binding("probs@output", output, wide);
    maker.port("image", false, 3);
    maker.port("probs@output", true, 3);
}

/// A version-7 task; `lanes` is 0 for the short form without coefficients.
Words linkedTask(std::uint32_t tid, bool last, std::uint32_t next, std::uint32_t nextWords,
                 std::uint32_t lanes)
{
    Words task(10);
    task[0] = tid | (last ? 0x02000000U : 0U) | (tid > 0 ? 0x01000000U : 0U);
    task[1] = nextWords == 0 ? 0 : (nextWords - 1) << 16;
    task[7] = next;
    task[8] = 4U | 1U << 5 | 6U << 12 | 1U << 17; // source in aperture 4, destination in 6
    task[9] = lanes == 0 ? 0 : 1U | 1U << 5;
    if (lanes == 0) {
        putFull(task, 0x1f800, Words(18, 0x80));
        putFull(task, 0x1f8c8, Words(12, 0));
    } else {
        Words kernel(62, 0);
        kernel[0] = 0x40;
        for (std::uint32_t i = 0; i < 16; ++i) {
            kernel[2 + i] = i < lanes ? 0x81 : 0x80;
            kernel[18 + i] = i < lanes ? i * 0x40 : 0;
            kernel[34 + i] = 0x40;
        }
        putFull(task, 0x1f800, kernel);
    }
    Words common(16, 0);
    common[0] = 1U << 16 | 1U;
    common[1] = 1;
    common[2] = 0x22;
    common[3] = common[4] = 3;
    common[5] = 1U << 16 | 1U;
    common[7] = 0x5000a021;
    common[13] = 2U << 19;
    putFull(task, 0x00000, common);
    Words source(28, 0);
    source[0] = 0x33881;
    source[2] = 0x80;
    putFull(task, 0x13800, source);
    putFull(task, 0x04800, Words(18, 0x10));
    putFull(task, 0x08800, Words(4, 0));
    putFull(task, 0x0c800, {lanes == 0 ? 0x80U : 0x82U, 0x101c00, 0, 0, 0x3c00});
    putFull(task, 0x17800, {0xc1, 0, 0x40, 0x40, 0xc0, 0, 0x01302031});
    return task;
}

} // namespace

std::string syntheticHash()
{
    return "K5EED" + std::string(60, '0');
}

Bytes syntheticH13(std::size_t tasks)
{
    constexpr std::uint32_t kLanes = 3, kStep = 0x300;
    Words text;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> relocations;
    const auto withKernel = [tasks](std::size_t i) { return i + 1 == tasks; };
    const auto sizeOf = [&](std::size_t i) {
        return std::uint32_t(linkedTask(0, false, 0, 0, withKernel(i) ? 3 : 0).size());
    };
    for (std::size_t i = 0; i < tasks; ++i) {
        const bool last = i + 1 == tasks;
        const auto begin = std::uint32_t(i * kStep);
        text.resize(begin / 4);
        const Words task = linkedTask(std::uint32_t(i), last, last ? 0 : begin + kStep,
                                      last ? 0 : sizeOf(i + 1), withKernel(i) ? kLanes : 0);
        text.insert(text.end(), task.begin(), task.end());
        for (std::uint32_t lane = 0; withKernel(i) && lane < kLanes; ++lane)
            relocations.emplace_back(begin + 0x74 + 4 * lane, 0x05000004);
    }
    ContainerMaker maker(4);
    const auto input = maker.segment("__FVMLIB", kFvmlib, {{"__const", 0x21, {}, 0xc0, 14, {}}});
    const auto output = maker.segment("__FVMLIB", kFvmlib, {{"__data", 0x23, {}, 0xc0, 14, {}}});
    const auto code = maker.segment("__TEXT", 0,
                                    {{"__text", 0x128, bytesOfWords(text), 0, 14, relocations},
                                     {"__const", 0x26, kernelBytes(kLanes), 0, 6, {}}});
    const auto bss = maker.segment("__DATA", kNoRelocations, {{"__bss", 0x25, {}, 0x4000, 14, {}}});
    maker.segment("__DEBUG", kNoRelocations,
                  {{"__debug_info", 0x32, Bytes(48, std::byte(7)), 0, 3, {}}});
    addPorts(maker, input[0], output[0], true);
    maker.program7({code[0], code[1], 0, bss[0], input[0], 0, output[0]}, code[0], sizeOf(0),
                   std::uint32_t(tasks), true);
    Bytes note(32);
    for (std::size_t i = 0; i < 14; ++i)
        note[i] = static_cast<std::byte>("src model info"[i]);
    note[16] = std::byte(0x27);
    note[24] = std::byte(1);
    maker.command(0x31, note);
    maker.banner("9.509.0", "h13");
    addKernelSymbols(maker, 4, code[1], kLanes);
    maker.symbol("float16:t5=r1;2;0", 0x80, 0, 0, 0);
    maker.symbol("uint1:t11=r1;0,1", 0x80, 0, 0, 0);
    maker.symbol("image:t24=ar1;0;1;25=s192n:ar1;0;3;26=s64c:ar1;0;1;27=s64h:ar1;0;1;28=s2w:5",
                 0x20, 0, 24, 0);
    maker.symbol("", 0x0e, 6, 4, 0);
    return maker.finish();
}

Bytes syntheticH14()
{
    constexpr std::uint32_t kLanes = 2, kHeader = 8;
    Words text{1, 0, 0, 0};
    Words stream;
    Words configs(16, 0x20), bases(16, 0), sizes(16, 0);
    for (std::uint32_t i = 0; i < kLanes; ++i) {
        configs[i] = 0x21;
        bases[i] = i * 0x40;
        sizes[i] = 0x40;
    }
    putDense(stream, 0x1900 / 4, {0x00010040});
    putDense(stream, 0x1918 / 4, configs);
    putDense(stream, 0x195c / 4, Words(bases.begin() + 1, bases.end())); // lane 0's is left out
    putDense(stream, 0x1998 / 4, sizes);
    putDense(stream, 0x0000, {1U << 16 | 1U, 1, 0x22, 3, 2, 1U << 16 | 1U, 1, 0, 0x5000a041});
    putDense(stream, 0x0d00 / 4, {0x82, 0x101c00});
    putTask(text, 0, kHeader, 0x20001, stream);
    stream.clear();
    putDense(stream, 0x000c / 4, {7}); // the rest is carried
    putTask(text, 1, kHeader, 0x20001, stream);
    stream = {9}; // the extra word
    putDense(stream, 0x000c / 4, {8});
    putTask(text, 2, kHeader, 0x20003, stream);
    ContainerMaker maker(5);
    const auto code = maker.segment("__TEXT", 0,
                                    {{"__text", 0x28, bytesOfWords(text), 0, 14, {}},
                                     {"__const", 0x26, kernelBytes(kLanes), 0, 6, {}}});
    const auto input = maker.segment("__FVMLIB", kFvmlib, {{"__const", 0x21, {}, 0xc0, 14, {}}});
    const auto output = maker.segment("__FVMLIB", kFvmlib, {{"__data", 0x23, {}, 0xc0, 14, {}}});
    addPorts(maker, input[0], output[0], false);
    maker.program11({code[0], code[1], 0, 0, 0x30000000, 0, output[0], input[0]}, code[0],
                    std::uint32_t(text.size()));
    maker.banner("7.6.4", "h14");
    addKernelSymbols(maker, 2, code[1], kLanes);
    return maker.finish();
}

namespace {

/// A convolution of version 17 and later; `shift` moves the tile DMA registers (2 from version 20).
Words modernStream(std::uint32_t lanes, std::uint32_t shift, std::uint32_t macCfg,
                   std::uint32_t kernelBar, std::uint32_t destinationBar, std::uint32_t sourceBar,
                   std::uint32_t kernelOffset = 0)
{
    Words stream;
    Words values{0x00010040};
    values.insert(values.end(), 9, 0x21);
    putMasked(stream, 0x1540, 0xff80, values); // 0x1540, 0x1548 to 0x1550
    putDense(stream, 0x1551, Words(7, lanes == 16 ? 0x21 : 0x20));
    Words bases;
    for (std::uint32_t i = 1; i < 16; ++i)
        bases.push_back(i * 0x40);
    bases.insert(bases.end(), 16, 0x40); // sizes
    putDense(stream, 0x1559, bases);
    putMasked(stream, 0x0005, 0x2693,
              {1, 1, 16, 0x5000a041, 1, 4U << 19, 0, 0}); // 5 6 7 10 13 15 16 19
    putDense(stream, 0x0001, {1, 1, 16});
    putMasked(stream, 0x1041, 0x007d, {0x172, 0, 0, 0x10, 0x30, 0x30, 0x30});
    putDense(stream, 0x1240, {0x10000082});
    putDense(stream, macCfg, {0x00103c00});
    putMasked(stream, 0x1440, shift == 2 ? 0x8060 : 0x2018, {0x010000e1, 0x40, 0x40, 0x01302031});
    putAddress(stream, kernelBar, 0x1544, {kernelOffset, 0});
    putAddress(stream, destinationBar, 0x1442 + shift, {0, 0});
    putAddress(stream, sourceBar, 0x1344 + shift, {0x80, 0});
    return stream;
}

Bytes modernFile(std::uint32_t subtype, const std::string &target, const Words &stream)
{
    Words text{1, 0, 0, 0};
    putTask(text, 0, 9, 0x50001, stream);
    Words second;
    putDense(second, 0x0003, {32});
    putTask(text, 1, 9, 0x50009, second);
    ContainerMaker maker(subtype);
    const auto code = maker.segment("__TEXT", 0, {{"__text", 0x28, bytesOfWords(text), 0, 14, {}}});
    const auto kernel =
        maker.segment("__KERN_0", kNoRelocations, {{"__kern_0", 0x2f, kernelBytes(16), 0, 6, {}}});
    const auto input = maker.segment("__FVMLIB", kFvmlib, {{"__const", 0x21, {}, 0xc0, 14, {}}});
    const auto output = maker.segment("__FVMLIB", kFvmlib, {{"__data", 0x23, {}, 0xc0, 14, {}}});
    addPorts(maker, input[0], output[0], true);
    maker.program11({code[0], kernel[0], 0, 0, 0, 0, output[0], input[0]}, code[0],
                    std::uint32_t(text.size()));
    maker.banner("10.26.6", target);
    addKernelSymbols(maker, 2, kernel[0], 16);
    return maker.finish();
}

} // namespace

Bytes syntheticH16()
{
    return modernFile(7, "h16g", modernStream(16, 0, 0x1241, 4, 28, 24));
}

Bytes syntheticH18()
{
    return modernFile(10, "h18", modernStream(16, 2, 0x1241, 28, 24, 32));
}

Bytes syntheticH18g(bool ownSlices)
{
    constexpr std::size_t kStreamWords = 0x4000 / 4, kEngines = 16;
    const std::size_t blocks = ownSlices ? 3 : 1;
    Words text;
    std::vector<std::uint64_t> starts;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> relocations;
    for (std::uint32_t engine = 0; engine < 3; ++engine) {
        const auto block = std::uint32_t(ownSlices ? engine * kEngines * kSlice : 0);
        const Words stream = modernStream(16, 2, 0x1242, 4, 24, 28, block);
        text.resize(engine * kStreamWords);
        starts.push_back(4 * text.size());
        text.insert(text.end(), {1, 0, 0, 0});
        const auto kernelWord =
            std::uint32_t(std::ranges::find(stream, 0x20809544U) - stream.begin() + 1);
        relocations.emplace_back(std::uint32_t(4 * (text.size() + 9 + kernelWord)),
                                 0x06000003U); // section 3, eight bytes
        putTask(text, 0x70 + engine, 9, engine == 0 ? 0x50009 : 0x50049, stream);
    }
    ContainerMaker maker(11);
    maker.segment("__RUNTIME", kNoRelocations,
                  {{"__runtime", 0, Bytes(0x102c, std::byte(0x5a)), 0, 3, {}}});
    const auto code =
        maker.segment("__TEXT", 0, {{"__text", 0x128, bytesOfWords(text), 0, 14, relocations}});
    const auto kernel = maker.segment(
        "__KERN_0", kNoRelocations, {{"__kern_0", 0x2f, kernelBytes(blocks * kEngines), 0, 6, {}}});
    maker.segment("__DATA", kNoRelocations,
                  {{"__bss", 0x25, {}, 0x4000, 14, {}}, {"__bss_sh", 0x25, {}, 0x4000, 14, {}}});
    maker.banner("10.26.6", "h18g");
    const char *const names[] = {"main__nonbonded", "main__bonded_ane0", "main__bonded_ane1"};
    for (std::size_t i = 0; i < 3; ++i)
        maker.symbol(std::string("text_section_start_for_") + names[i], 0x0f, 2, 0,
                     code[0] + starts[i]);
    maker.symbol("rt_op_map_text__ane1_P_main__bonded", 0x0f, 1, 0, 0);
    for (std::size_t block = 0; block < blocks; ++block)
        addKernelSymbols(maker, 3, kernel[0] + block * kEngines * kSlice, kEngines);
    return maker.finish();
}

Bytes syntheticOf(std::uint32_t subtype, std::uint32_t headerWords)
{
    Words text{1, 0, 0, 0};
    if (headerWords == 10) { // a linked list
        text.assign(10, 0);
        putFull(text, 0x0c800, {0x82, 0x101c00});
    } else if (headerWords != 0) {
        Words stream;
        putDense(stream, 0x1240, {0x82});
        putDense(stream, 0x1342, {1, 2});
        putTask(text, 0, headerWords, 0x1, stream);
    }
    ContainerMaker maker(subtype);
    maker.segment("__TEXT", 0, {{"__text", 0x28, bytesOfWords(text), 0, 14, {}}});
    maker.banner("10.26.6", "synthetic");
    return maker.finish();
}

} // namespace kernscope::test
