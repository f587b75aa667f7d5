// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/container/mlir/writer.h"

#include "core/base/error_builder.h"
#include "core/container/mlir/entries.h"
#include "core/container/mlir/module.h"

#include <algorithm>
#include <numeric>

namespace kernscope::mlir {

namespace {

tl::unexpected<Error> cannotWrite(const Module &module, std::string found, std::string message)
{
    return refused({module.file}, "mlir.write", "module", {}, found, message);
}

} // namespace

/// Encodes the sections one by one, in the order of the file.
class ModuleWriter
{
public:
    ModuleWriter(const Module &module, const ModuleEdit *edit, const ByteSink &sink)
        : m_module(module), m_edit(edit && !edit->empty() ? edit : nullptr), m_sink(sink)
    {
    }

    Result<WriteReport> run()
    {
        if (m_module.fault)
            return cannotWrite(m_module, m_module.fault->message,
                               "A damaged module is not written");
        if (m_edit && m_module.version < 5)
            return cannotWrite(m_module, "version " + std::to_string(m_module.version),
                               "Only versions 5 and 6 of the bytecode are changed");
        Encoder header;
        header.bytes(m_module.bytes.first(4));
        header.varint(m_module.version);
        header.text(m_module.producer, true);
        TRY(emitTable(header.take(), m_module.header));
        numberValues();
        // The encodings of entries come after their sizes, which are those of the encodings.
        m_entries = encodeEntries();
        for (const Section &section : m_module.sections) {
            TRY(section.id == SectionId::Resources
                    ? emitResources(section)
                    : emitSection(section, encodeSection(section.id)));
        }
        if (!m_undefined.empty())
            return cannotWrite(m_module, m_undefined, "A value is read that nothing defines");
        return std::move(m_report);
    }

private:
    struct Entries {
        std::vector<std::byte> sizes, bytes;
    };

    Result<void> put(std::span<const std::byte> bytes)
    {
        m_written += bytes.size();
        return m_sink(bytes);
    }

    /// The encoding; without changes, the file's bytes where they are others.
    Result<void> emitTable(const std::vector<std::byte> &encoded, ByteRange source)
    {
        const auto own = m_module.bytesOf(source);
        if (m_edit || std::ranges::equal(encoded, own))
            return put(encoded);
        m_report.kept.push_back(source);
        return put(own);
    }

    Result<void> emitHeader(const Section &section, std::uint64_t alignment, std::uint64_t length)
    {
        Encoder header;
        header.byte(static_cast<std::uint8_t>(static_cast<unsigned>(section.id) |
                                              (alignment > 0 ? 0x80u : 0u)));
        header.varint(length);
        if (alignment > 0) {
            header.varint(alignment);
            header.align(alignment, m_written);
        }
        return emitTable(header.take(), section.header);
    }

    Result<void> emitSection(const Section &section, const std::vector<std::byte> &encoded)
    {
        const std::uint64_t length =
            m_edit ? encoded.size() : m_module.bytesOf(section.data).size();
        TRY(emitHeader(section, section.alignment, length));
        return emitTable(encoded, section.data);
    }

    std::vector<std::byte> encodeSection(SectionId id)
    {
        switch (id) {
        case SectionId::Strings: return encodeStrings();
        case SectionId::Dialects: return encodeDialects();
        case SectionId::Entries: return std::move(m_entries.bytes);
        case SectionId::EntrySizes: return std::move(m_entries.sizes);
        case SectionId::Ir: return encodeOperations();
        case SectionId::ResourceKeys: return encodeKeys();
        case SectionId::Properties: return encodeProperties();
        default: return {};
        }
    }

    std::vector<std::byte> encodeStrings() const
    {
        std::vector<std::string_view> all = m_module.strings;
        if (m_edit)
            for (const auto &text : m_edit->m_strings)
                all.emplace_back(*text);
        Encoder out;
        out.varint(all.size());
        for (auto text = all.rbegin(); text != all.rend(); ++text)
            out.varint(text->size() + 1);
        for (const std::string_view text : all)
            out.text(text, true);
        return out.take();
    }

    std::vector<std::byte> encodeDialects() const
    {
        Encoder out;
        out.varint(m_module.dialects.size());
        for (const Dialect &dialect : m_module.dialects) {
            if (m_module.version == 0) {
                out.varint(dialect.name);
                continue;
            }
            out.flagged(dialect.name, dialect.versioned);
            if (!dialect.versioned)
                continue;
            out.byte(static_cast<std::uint8_t>(SectionId::DialectVersion));
            out.varint(dialect.version.bytes.value);
            out.bytes(m_module.bytesOf(dialect.version));
        }
        std::vector<OperationName> names = m_module.operationNames;
        if (m_edit)
            for (const auto &name : m_edit->m_names)
                names.push_back({name.dialect, name.name, true, nullptr});
        if (m_module.version >= 4)
            out.varint(names.size());
        for (std::size_t i = 0; i < names.size();) {
            const std::size_t end = groupEnd(names, i);
            out.varint(names[i].dialect);
            out.varint(end - i);
            for (; i < end; ++i) {
                if (m_module.version >= 5)
                    out.flagged(names[i].name, names[i].registered);
                else
                    out.varint(names[i].name);
            }
        }
        return out.take();
    }

    /// One past the last of the items from `first` on that have the same dialect.
    template <class Item>
    static std::size_t groupEnd(const std::vector<Item> &items, std::size_t first)
    {
        std::size_t end = first;
        while (end < items.size() && items[end].dialect == items[first].dialect)
            ++end;
        return end;
    }

    /// An attribute or type of the file, encoded from what was decoded.
    void encodeStored(Encoder &out, std::uint32_t index, bool type)
    {
        const Entry &entry = type ? m_module.types[index] : m_module.attributes[index];
        const auto own = m_module.bytesOf(entry.range);
        if (!type && m_edit && index < m_edit->m_droppedAttributes.size() &&
            m_edit->m_droppedAttributes[index]) {
            encodeEntry(out, *kindNamed("unit_v1", false), {}, kNoWidth);
            return;
        }
        const Decoded decoded = type ? m_module.type(index) : m_module.attribute(index);
        Encoder encoded;
        bool done = false;
        if (!entry.custom) {
            encoded.text(decoded.assembly, true);
            done = true;
        } else if (decoded.row) {
            FieldValues values = valuesOf(m_module, decoded);
            const bool moved = moveHandles(*decoded.row, values);
            std::uint64_t bits = kNoWidth;
            for (const FieldSpec &spec : decoded.row->fields) {
                if (spec.letter == 'M')
                    bits = numberBits(m_module,
                                      static_cast<std::uint32_t>(decoded.fields.front().value));
            }
            done = encodeEntry(encoded, *decoded.row, values, bits);
            if (done && moved) {
                out.bytes(encoded.all());
                return;
            }
        }
        if (!done || !std::ranges::equal(encoded.all(), own)) {
            m_report.kept.push_back(entry.range);
            out.bytes(own);
        } else {
            out.bytes(encoded.all());
        }
    }

    /// Handles after blobs were dropped. True where one is another one.
    bool moveHandles(const KindRow &row, FieldValues &values)
    {
        bool moved = false;
        for (std::size_t i = 0; i < row.fields.size() && m_edit; ++i) {
            if (row.fields[i].letter != 'R')
                continue;
            std::uint64_t &handle = values.columns[i].front();
            const std::uint64_t dropped = droppedBefore(handle);
            handle -= dropped;
            moved = moved || dropped > 0;
        }
        return moved;
    }
    std::uint64_t droppedBefore(std::uint64_t handle)
    {
        if (m_dropped.empty()) {
            m_dropped.push_back(0);
            for (std::uint32_t i = m_module.externalResources; i < m_module.resources.size(); ++i)
                m_dropped.push_back(m_dropped.back() + (resourceDropped(i) ? 1 : 0));
        }
        return m_dropped[std::min(static_cast<std::size_t>(handle), m_dropped.size() - 1)];
    }
    bool resourceDropped(std::uint32_t resource) const
    {
        return m_edit && resource < m_edit->m_droppedResources.size() &&
               m_edit->m_droppedResources[resource];
    }

    Entries encodeEntries()
    {
        struct Size {
            std::uint32_t dialect = 0;
            bool custom = true;
            std::size_t bytes = 0;
        };
        Encoder sizes, bytes;
        std::vector<Size> kinds[2];
        for (const bool type : {false, true}) {
            const auto &entries = type ? m_module.types : m_module.attributes;
            for (std::uint32_t i = 0; i < entries.size(); ++i) {
                const std::size_t before = bytes.size();
                encodeStored(bytes, i, type);
                kinds[type].push_back(
                    {entries[i].dialect, entries[i].custom, bytes.size() - before});
            }
            if (!m_edit)
                continue;
            for (const auto &added : m_edit->m_entries[type]) {
                const std::size_t before = bytes.size();
                FieldValues values{added.columns, added.data};
                moveHandles(*added.row, values);
                encodeEntry(bytes, *added.row, values, kNoWidth);
                kinds[type].push_back({m_edit->dialect(), true, bytes.size() - before});
            }
        }
        sizes.varint(kinds[0].size());
        sizes.varint(kinds[1].size());
        for (const auto &each : kinds) {
            for (std::size_t i = 0; i < each.size();) {
                const std::size_t end = groupEnd(each, i);
                sizes.varint(each[i].dialect);
                sizes.varint(end - i);
                for (; i < end; ++i)
                    sizes.flagged(each[i].bytes, each[i].custom);
            }
        }
        return {sizes.take(), bytes.take()};
    }

    std::vector<std::byte> encodeProperties() const
    {
        Encoder out;
        out.varint(m_module.properties.size() + (m_edit ? m_edit->m_properties.size() : 0));
        for (const ByteRange &range : m_module.properties) {
            out.varint(range.bytes.value);
            out.bytes(m_module.bytesOf(range));
        }
        if (m_edit)
            for (const auto &added : m_edit->m_properties) {
                out.varint(added.size());
                out.bytes(added);
            }
        return out.take();
    }

    // Resources -------------------------------------------------------------------------------

    /// A resource that is written: of the file, or added.
    struct Blob {
        std::uint32_t dialect = kNone, external = kNone, key = 0;
        ResourceKind kind = ResourceKind::Blob;
        bool declared = false; ///< without content
        std::uint64_t alignment = 1;
        std::span<const std::byte> data;
        std::vector<std::byte> head; ///< before the data, with the padding
    };

    /// The resources in order, with their heads laid out from `start`, where their section's data
    /// begins in the file.
    std::vector<Blob> layOut(std::uint64_t start) const
    {
        std::vector<Blob> blobs;
        for (std::uint32_t i = 0; i < m_module.resources.size(); ++i) {
            const Resource &resource = m_module.resources[i];
            if (!resourceDropped(i))
                blobs.push_back({resource.dialect,
                                 resource.external,
                                 resource.key,
                                 resource.kind,
                                 resource.entry.bytes.value == 0,
                                 resource.alignment,
                                 m_module.bytesOf(resource.data),
                                 {}});
        }
        if (m_edit)
            for (const auto &added : m_edit->m_resources)
                blobs.push_back({m_edit->dialect(),
                                 kNone,
                                 added.key,
                                 ResourceKind::Blob,
                                 false,
                                 added.alignment,
                                 std::span(added.data.data(), added.data.size()),
                                 {}});
        std::uint64_t at = start;
        for (Blob &blob : blobs) {
            if (blob.kind == ResourceKind::Blob && !blob.declared) {
                Encoder head;
                head.varint(blob.alignment);
                head.varint(blob.data.size());
                head.align(blob.alignment, at);
                blob.head = head.take();
            }
            at += blob.head.size() + blob.data.size();
        }
        return blobs;
    }

    /// What the section of blobs asks for: at least what each of them does.
    std::uint64_t resourceAlignment() const
    {
        const Section *section = m_module.section(SectionId::Resources);
        std::uint64_t alignment = section ? section->alignment : 0;
        if (m_edit)
            for (const Blob &blob : layOut(0))
                if (blob.kind == ResourceKind::Blob)
                    alignment = std::max(alignment, blob.alignment);
        return alignment;
    }

    std::vector<Blob> blobs() const
    {
        // With changes the section is aligned to the largest blob: any multiple gives this layout.
        const Section *section = m_module.section(SectionId::Resources);
        return layOut(m_edit || !section ? 0 : section->data.offset.value);
    }

    std::vector<std::byte> encodeKeys() const
    {
        const std::vector<Blob> all = blobs();
        const auto putGroup = [&all](Encoder &out, std::size_t first, std::size_t end) {
            out.varint(end - first);
            for (std::size_t i = first; i < end; ++i) {
                out.varint(all[i].key);
                out.varint(all[i].head.size() + all[i].data.size());
                out.byte(static_cast<std::uint8_t>(all[i].kind));
            }
        };
        const auto end = [&all](std::size_t first) {
            std::size_t at = first;
            while (at < all.size() && all[at].dialect == all[first].dialect &&
                   all[at].external == all[first].external)
                ++at;
            return at;
        };
        Encoder externals, groups;
        std::uint64_t count = 0;
        for (std::size_t i = 0; i < all.size();) {
            const std::size_t next = end(i);
            Encoder &out = all[i].dialect == kNone ? externals : groups;
            count += all[i].dialect == kNone ? 1 : 0;
            out.varint(all[i].dialect == kNone ? all[i].external : all[i].dialect);
            putGroup(out, i, next);
            i = next;
        }
        Encoder out;
        out.varint(count);
        out.bytes(externals.all());
        out.bytes(groups.all());
        return out.take();
    }

    Result<void> emitResources(const Section &section)
    {
        const std::vector<Blob> all = blobs();
        std::uint64_t length = 0;
        for (const Blob &blob : all)
            length += blob.head.size() + blob.data.size();
        if (!m_edit)
            length = section.data.bytes.value;
        TRY(emitHeader(section, resourceAlignment(), length));
        for (std::size_t i = 0; i < all.size(); ++i) {
            const Blob &blob = all[i];
            if (!blob.head.empty()) {
                // Without changes, resources of the file and blobs are the same list.
                const Resource *own = m_edit ? nullptr : &m_module.resources[i];
                const ByteRange head =
                    own ? ByteRange{own->entry.offset,
                                    ByteCount(own->data.offset.value - own->entry.offset.value)}
                        : ByteRange();
                TRY(emitTable(blob.head, head));
            }
            TRY(put(blob.data));
        }
        return {};
    }

    // Operations ------------------------------------------------------------------------------

    const std::vector<NewOperation> *replacement(std::uint32_t operation) const
    {
        if (!m_edit)
            return nullptr;
        const auto at = m_edit->m_operations.find(operation);
        return at == m_edit->m_operations.end() ? nullptr : &at->second;
    }

    /// Numbers of all values: in file order inside of a region, on top of those around it.
    void numberValues()
    {
        m_numbers.assign(m_module.values.size() + (m_edit ? m_edit->m_valueTypes.size() : 0),
                         kNone);
        m_regionValues.resize(m_module.regions.size());
        std::vector<std::uint32_t> ends(m_module.regions.size());
        for (std::size_t i = 0; i < m_module.regions.size(); ++i) {
            const Region &region = m_module.regions[i];
            const Operation &owner = m_module.operations[region.operation];
            const std::uint32_t outer = m_module.blocks[owner.block].region;
            const std::uint32_t first = owner.isolated || outer == kNone ? 0 : ends[outer];
            std::uint32_t next = first;
            const auto number = [&](std::uint32_t value) { m_numbers[value] = next++; };
            for (const std::uint32_t block : m_module.blocksOf(region)) {
                const Run arguments = m_module.blocks[block].arguments;
                for (std::uint32_t k = 0; k < arguments.count; ++k)
                    number(arguments.first + k);
                for (const std::uint32_t operation :
                     m_module.operationsOf(m_module.blocks[block])) {
                    if (const auto *added = replacement(operation)) {
                        for (const NewOperation &each : *added)
                            std::ranges::for_each(each.results, number);
                        continue;
                    }
                    const Run results = m_module.operations[operation].results;
                    for (std::uint32_t k = 0; k < results.count; ++k)
                        number(results.first + k);
                }
            }
            ends[i] = next;
            m_regionValues[i] = next - first;
        }
    }

    std::uint32_t typeOf(std::uint32_t value) const
    {
        const std::size_t own = m_module.values.size();
        return m_edit && value >= own ? m_edit->m_valueTypes[value - own]
                                      : m_module.values[value].type;
    }

    std::uint32_t numberOf(std::uint32_t value)
    {
        if (m_numbers[value] == kNone && m_undefined.empty())
            m_undefined = "value " + std::to_string(value);
        return m_numbers[value];
    }

    /// What is written next; the last one first.
    struct Task {
        enum class Kind : std::uint8_t { Operation, Region, Block, EndSection } kind;
        std::uint32_t index = 0;
    };

    std::vector<std::byte> encodeOperations()
    {
        m_bodies.assign(1, {});
        if (!m_module.blocks.empty())
            m_tasks.push_back({Task::Kind::Block, 0});
        while (!m_tasks.empty()) {
            const Task task = m_tasks.back();
            m_tasks.pop_back();
            switch (task.kind) {
            case Task::Kind::Operation: putOperation(task.index); break;
            case Task::Kind::Region: putRegion(task.index); break;
            case Task::Kind::Block: putBlock(task.index); break;
            case Task::Kind::EndSection: endSection(); break;
            }
        }
        return m_bodies.front().take();
    }

    void endSection()
    {
        const std::vector<std::byte> body = m_bodies.back().take();
        m_bodies.pop_back();
        Encoder &out = m_bodies.back();
        out.byte(static_cast<std::uint8_t>(SectionId::Ir));
        out.varint(body.size());
        out.bytes(body);
    }

    /// Tasks for the items of `siblings`, to be done in their order.
    template <class Items>
    void pushAll(Task::Kind kind, const Items &siblings)
    {
        const auto first = static_cast<std::ptrdiff_t>(m_tasks.size());
        for (const std::uint32_t index : siblings)
            m_tasks.push_back({kind, index});
        std::reverse(m_tasks.begin() + first, m_tasks.end());
    }

    template <class Items>
    static std::uint64_t countOf(const Items &siblings)
    {
        std::uint64_t count = 0;
        for ([[maybe_unused]] const std::uint32_t index : siblings)
            ++count;
        return count;
    }

    void putRegion(std::uint32_t index)
    {
        const Region &region = m_module.regions[index];
        const std::uint64_t count = countOf(m_module.blocksOf(region));
        m_bodies.back().varint(count);
        if (count > 0)
            m_bodies.back().varint(m_regionValues[index]);
        pushAll(Task::Kind::Block, m_module.blocksOf(region));
    }

    void putBlock(std::uint32_t index)
    {
        const Block &block = m_module.blocks[index];
        Encoder &out = m_bodies.back();
        std::uint64_t count = 0;
        for (const std::uint32_t operation : m_module.operationsOf(block)) {
            const auto *added = replacement(operation);
            count += added ? added->size() : 1;
        }
        out.flagged(count, block.arguments.count > 0);
        if (block.arguments.count > 0) {
            out.varint(block.arguments.count);
            for (std::uint32_t i = 0; i < block.arguments.count; ++i) {
                const std::uint32_t id = block.arguments.first + i;
                const std::uint32_t location = m_module.values[id].location;
                if (m_module.version >= 4)
                    out.flagged(typeOf(id), location != kNone);
                else
                    out.varint(typeOf(id));
                if (location != kNone)
                    out.varint(location);
            }
            if (m_edit) // the number of uses may be another one
                out.byte(0);
            else
                out.bytes(m_module.bytesOf(block.uses));
        }
        pushAll(Task::Kind::Operation, m_module.operationsOf(block));
    }

    /// All of an operation but its regions.
    void putHead(const Operation &head, std::span<const std::uint32_t> results,
                 std::span<const std::uint32_t> operands,
                 std::span<const std::uint32_t> successors = {}, bool uses = false)
    {
        Encoder &out = m_bodies.back();
        out.varint(head.name);
        out.byte(static_cast<std::uint8_t>(
            (head.attributes != kNone ? kHasAttributes : 0) |
            (head.properties != kNone ? kHasProperties : 0) | (results.empty() ? 0 : kHasResults) |
            (operands.empty() ? 0 : kHasOperands) | (successors.empty() ? 0 : kHasSuccessors) |
            (uses ? kHasUses : 0) | (head.regions.count > 0 ? kHasRegions : 0)));
        out.varint(head.location);
        for (const std::uint32_t index : {head.attributes, head.properties}) {
            if (index != kNone)
                out.varint(index);
        }
        const auto put = [&out](const auto &list, const auto &numberOf) {
            if (!list.empty())
                out.varint(list.size());
            for (const std::uint32_t each : list)
                out.varint(numberOf(each));
        };
        put(results, [this](std::uint32_t value) { return typeOf(value); });
        put(operands, [this](std::uint32_t value) { return numberOf(value); });
        put(successors, [](std::uint32_t block) { return block; });
        if (uses)
            out.bytes(m_module.bytesOf(head.uses));
    }

    void putOperation(std::uint32_t index)
    {
        Operation operation = m_module.operations[index];
        auto operands = m_module.operandsOf(operation);
        if (const auto *added = replacement(index)) {
            const bool stays = !added->empty() && added->back().keepsRegions;
            if (stays)
                operands = added->back().operands;
            for (const NewOperation &each : std::span(*added).first(added->size() - stays)) {
                Operation head;
                head.name = m_edit->operationNameOf(each.name);
                head.location = each.location != kNone ? each.location : operation.location;
                head.properties = each.properties;
                putHead(head, each.results, each.operands);
            }
            if (!stays)
                return;
        }
        if (m_edit)
            if (const auto at = m_edit->m_operationProperties.find(index);
                at != m_edit->m_operationProperties.end())
                operation.properties = at->second;
        const bool uses = !m_edit && operation.uses.bytes.value > 0;
        std::vector<std::uint32_t> results(operation.results.count);
        std::iota(results.begin(), results.end(), operation.results.first);
        putHead(operation, results, operands,
                std::span(m_module.successorBlocks)
                    .subspan(operation.successors.first, operation.successors.count),
                uses);
        if (operation.regions.count == 0)
            return;
        m_bodies.back().flagged(countOf(m_module.regionsOf(operation)), operation.isolated);
        if (operation.isolated && m_module.version >= 2) {
            m_bodies.emplace_back();
            m_tasks.push_back({Task::Kind::EndSection, index});
        }
        pushAll(Task::Kind::Region, m_module.regionsOf(operation));
    }

    const Module &m_module;
    const ModuleEdit *m_edit;
    const ByteSink &m_sink;
    WriteReport m_report;
    std::uint64_t m_written = 0;
    Entries m_entries;
    std::vector<std::uint64_t> m_dropped;      ///< blobs before each handle of the file
    std::vector<std::uint32_t> m_numbers;      ///< by value; kNone: nothing defines it
    std::vector<std::uint32_t> m_regionValues; ///< by region
    std::vector<Encoder> m_bodies;             ///< sections of regions that are being written
    std::vector<Task> m_tasks;
    std::string m_undefined;
};

Result<WriteReport> writeModule(const Module &module, const ModuleEdit *edit, const ByteSink &sink)
{
    return ModuleWriter(module, edit, sink).run();
}

Result<std::vector<std::byte>> writeModule(const Module &module, const ModuleEdit *edit,
                                           WriteReport *report)
{
    std::vector<std::byte> bytes;
    bytes.reserve(module.bytes.size());
    auto done = TRY(writeModule(module, edit, [&bytes](std::span<const std::byte> part) {
        bytes.insert(bytes.end(), part.begin(), part.end());
        return Result<void>();
    }));
    if (report)
        *report = std::move(done);
    return bytes;
}

} // namespace kernscope::mlir
