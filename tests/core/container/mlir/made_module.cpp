// SPDX-License-Identifier: GPL-3.0-or-later
#include "made_module.h"

#include <algorithm>

namespace kernscope::test {

namespace {

std::uint64_t indexIn(std::vector<std::string> &texts, const std::string &text)
{
    const auto at = std::ranges::find(texts, text);
    if (at != texts.end())
        return std::uint64_t(at - texts.begin());
    texts.push_back(text);
    return texts.size() - 1;
}

std::uint64_t added(std::vector<Bytes> &items, Bytes item)
{
    items.push_back(std::move(item));
    return items.size() - 1;
}

void putSizes(mlir::Encoder &out, const std::vector<Bytes> &entries)
{
    if (entries.empty())
        return;
    out.varint(0);
    out.varint(entries.size());
    for (const Bytes &entry : entries)
        out.flagged(entry.size(), true);
}

} // namespace

Bytes varints(std::initializer_list<std::uint64_t> numbers)
{
    mlir::Encoder out;
    for (const std::uint64_t number : numbers)
        out.varint(number);
    return out.take();
}

void putSection(mlir::Encoder &out, unsigned id, const Bytes &data, std::uint64_t alignment)
{
    out.byte(std::uint8_t(id | (alignment > 0 ? 0x80u : 0u)));
    out.varint(data.size());
    if (alignment > 0) {
        out.varint(alignment);
        out.align(alignment);
    }
    out.bytes(data);
}

std::uint64_t MadeModule::string(const std::string &text)
{
    return indexIn(strings, text);
}

std::uint64_t MadeModule::name(const std::string &text)
{
    string(text);
    return indexIn(names, text);
}

std::uint64_t MadeModule::attribute(std::initializer_list<std::uint64_t> numbers)
{
    return added(attributes, varints(numbers));
}

std::uint64_t MadeModule::attribute(Bytes bytes)
{
    return added(attributes, std::move(bytes));
}

std::uint64_t MadeModule::type(std::initializer_list<std::uint64_t> numbers)
{
    return added(types, varints(numbers));
}

std::uint64_t MadeModule::propertyRun(std::initializer_list<std::uint64_t> numbers)
{
    return added(properties, varints(numbers));
}

Bytes MadeModule::bytes() const
{
    MadeModule all = *this;
    const std::uint64_t dialect = all.string("aicode");
    for (const Blob &blob : blobs)
        all.string(blob.key);
    mlir::Encoder file;
    file.bytes(Bytes{std::byte{'M'}, std::byte{'L'}, std::byte{0xEF}, std::byte{'R'}});
    file.varint(version);
    file.text("made", true);

    mlir::Encoder dialects;
    dialects.varint(1);
    if (version == 0) {
        dialects.varint(dialect);
    } else {
        dialects.flagged(dialect, true);
        putSection(dialects, 7, varints({2}));
    }
    if (version >= 4)
        dialects.varint(names.size());
    dialects.varint(0);
    dialects.varint(names.size());
    for (const std::string &name : names) {
        if (version >= 5)
            dialects.flagged(all.string(name), true);
        else
            dialects.varint(all.string(name));
    }
    putSection(file, 1, dialects.take());

    mlir::Encoder sizes, entries;
    sizes.varint(attributes.size());
    sizes.varint(types.size());
    putSizes(sizes, attributes);
    putSizes(sizes, types);
    for (const auto *list : {&attributes, &types})
        for (const Bytes &entry : *list)
            entries.bytes(entry);
    putSection(file, 3, sizes.take());
    putSection(file, 2, entries.take());
    putSection(file, 4, operations);

    mlir::Encoder keys, data;
    keys.varint(0);
    if (!blobs.empty()) {
        keys.varint(0);
        keys.varint(blobs.size());
    }
    for (const Blob &blob : blobs) {
        const std::size_t before = data.size();
        data.varint(blob.alignment);
        data.varint(blob.data.size());
        data.align(blob.alignment);
        data.bytes(blob.data);
        keys.varint(all.string(blob.key));
        keys.varint(data.size() - before);
        keys.byte(0);
    }
    putSection(file, 6, keys.take());
    putSection(file, 5, data.take(), 16);

    mlir::Encoder texts;
    texts.varint(all.strings.size());
    for (auto text = all.strings.rbegin(); text != all.strings.rend(); ++text)
        texts.varint(text->size() + 1);
    for (const std::string &text : all.strings)
        texts.text(text, true);
    putSection(file, 0, texts.take());

    if (version >= 5) {
        mlir::Encoder runs;
        runs.varint(properties.size());
        for (const Bytes &run : properties) {
            runs.varint(run.size());
            runs.bytes(run);
        }
        putSection(file, 8, runs.take());
    }
    return file.take();
}

MadeModule madeWeights()
{
    MadeModule made;
    const std::uint64_t location = made.attribute({46});
    const std::uint64_t none = made.attribute({5, 0}),
                        no = made.attribute(
                            Bytes{std::byte{0x05}, std::byte{0x03}, std::byte{1}, std::byte{0}});
    const std::uint64_t half = made.type({7}), code = made.type({20});
    const auto extent = [](std::uint64_t value) { return value << 1; }; // zigzag
    const std::uint64_t four = made.type({2, 1, extent(4), half});
    const std::uint64_t codes = made.type({2, 2, extent(8), extent(16), code});
    const std::uint64_t rows = made.type({2, 2, extent(8), extent(1), half});
    const std::uint64_t rowCodes = made.type({2, 2, extent(8), extent(1), code});
    const std::uint64_t result = made.type({2, 2, extent(8), extent(16), half});
    const std::uint64_t function = made.type({30, 2, four, result, 0});

    const auto named = [&made](const std::string &name) {
        const std::uint64_t text = made.attribute({1, made.string(name)});
        const std::uint64_t opaque = made.attribute({9, made.string("aicode.name"), 1, text});
        return made.attribute({5, 1, opaque});
    };
    const std::uint64_t outputs = made.attribute({5, 2, named("dense"), named("scaled")});
    const auto inlined = [&made](bool splat, const Bytes &data) {
        mlir::Encoder out;
        out.varint(6);
        out.byte(splat ? 1 : 0);
        out.varint(data.size());
        out.bytes(data);
        return made.attribute(out.take());
    };
    const std::byte zero{0};
    const std::uint64_t numbers = inlined(false, {zero, std::byte{0x3C}, zero, std::byte{0x40},
                                                  zero, std::byte{0x42}, zero, std::byte{0x44}});
    const std::uint64_t scale = inlined(true, {zero, std::byte{0x38}});
    // Eight offsets, so that the scale is one for each row, not one for all.
    const std::uint64_t noCode = inlined(false, Bytes(8, zero)),
                        noHalf = inlined(true, {zero, zero});
    const std::uint64_t blob = made.attribute({7, 0});
    Bytes payload(128);
    for (std::size_t i = 0; i < payload.size(); ++i)
        payload[i] = static_cast<std::byte>(i * 7);
    made.blobs.push_back({"codes", 16, std::move(payload)});
    const std::uint64_t version = made.attribute([] {
        mlir::Encoder out;
        out.varint(2);
        out.varint(32);
        out.byte(1);
        out.signedVarint(20260202);
        return out.take();
    }());
    const std::uint64_t name = made.attribute({1, made.string("main")});
    const std::uint64_t graphType = made.attribute({4, function});

    const auto constant = [&](mlir::Encoder &out, std::uint64_t value, std::uint64_t type) {
        out.varint(made.name("primitive.constant_v1"));
        out.byte(0x42);
        out.varint(location);
        out.varint(made.propertyRun({value}));
        out.varint(1);
        out.varint(type);
    };
    mlir::Encoder body;
    constant(body, numbers, four);
    constant(body, blob, codes);
    constant(body, scale, rows);
    constant(body, noCode, rowCodes);
    constant(body, noHalf, rows);
    body.varint(made.name("primitive.blockwise_shift_scale_v2"));
    body.byte(0x06);
    for (const std::uint64_t number :
         {location, std::uint64_t{1}, result, std::uint64_t{4}, std::uint64_t{1}, std::uint64_t{2},
          std::uint64_t{3}, std::uint64_t{4}})
        body.varint(number);
    body.varint(made.name("dataflow.output_v1"));
    body.byte(0x04);
    for (const std::uint64_t number :
         {location, std::uint64_t{2}, std::uint64_t{0}, std::uint64_t{5}})
        body.varint(number);
    made.wrapGraph(location, {none, 0, no, graphType, no, name, no, none, outputs},
                   version << 1 | 1, 6, 7, body.all());
    return made;
}

void MadeModule::wrapGraph(std::uint64_t location, std::initializer_list<std::uint64_t> graph,
                           std::uint64_t assetVersion, std::uint64_t values, std::uint64_t count,
                           const Bytes &body)
{
    mlir::Encoder region; // one block
    region.varint(1);
    region.varint(values);
    region.flagged(count, false);
    region.bytes(body);

    mlir::Encoder asset; // its only region: one block without values
    asset.varint(1);
    asset.varint(0);
    asset.flagged(1, false);
    asset.varint(name("dataflow.graph_v1"));
    asset.byte(0x50);
    asset.varint(location);
    asset.varint(propertyRun(graph));
    asset.flagged(1, true);
    putSection(asset, 4, region.take());

    mlir::Encoder top;
    top.flagged(1, false);
    top.varint(name("serialization.asset"));
    top.byte(0x50);
    top.varint(location);
    top.varint(propertyRun({0, assetVersion}));
    top.flagged(1, true);
    putSection(top, 4, asset.take());
    operations = top.take();
}

} // namespace kernscope::test
