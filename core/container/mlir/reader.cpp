// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a module; its operations are in reader_operations.cpp.
#include "core/container/mlir/reader.h"

#include "core/base/error_builder.h"
#include "core/container/mlir/entries.h"
#include "core/container/mlir/kinds.h"

#include <algorithm>
#include <array>

namespace kernscope::mlir {

namespace {

constexpr std::array kModuleMagic{std::byte{0x4D}, std::byte{0x4C}, std::byte{0xEF},
                                  std::byte{0x52}};
constexpr std::uint64_t kNewestVersion = 6;
/// Least bytes of an item, for bounds (mlir-bytecode.md, section 4).
constexpr std::uint64_t kStringBytes = 2, kResourceBytes = 3;

class ModuleReader
{
public:
    explicit ModuleReader(Module &module) : m_module(module), m_faults{module.file, {}} {}

    void run()
    {
        if (readHeader() && readSections() && readStrings() && readProperties() && readDialects() &&
            readResources() && readEntries()) {
            checkEntries(m_module);
            if (!m_module.fault)
                readOperations(m_module, m_faults);
        }
        if (m_faults)
            m_module.fault = std::move(m_faults.error);
    }

private:
    Cursor cursorOf(ByteRange range, std::string_view code, SectionId id)
    {
        return {m_module.bytes, range, m_faults, code, sectionName(id)};
    }
    /// Over the section of that id; over nothing where there is none.
    Cursor cursorOf(SectionId id, std::string_view code)
    {
        const Section *section = m_module.section(id);
        return cursorOf(section ? section->data : ByteRange(), code, id);
    }

    bool readHeader()
    {
        const auto bytes = m_module.bytes;
        if (!isModule(bytes))
            return m_faults.fail("mlir.magic", 0, "magic", "ML\\xefR",
                                 std::to_string(bytes.size()) + " bytes", "Not MLIR bytecode");
        Cursor cursor(bytes, {FileOffset(0), ByteCount(bytes.size())}, m_faults, "mlir.version",
                      {});
        cursor.take("magic", kModuleMagic.size());
        const std::uint64_t at = cursor.position();
        m_module.version = cursor.varint("version");
        if (m_module.version > kNewestVersion)
            return cursor.fail(at, "version", "0 to " + std::to_string(kNewestVersion),
                               std::to_string(m_module.version),
                               "A version of MLIR bytecode that is not known");
        m_module.producer = cursor.text("producer");
        m_module.header = {FileOffset(0), ByteCount(cursor.position())};
        return cursor.ok();
    }

    bool readSections()
    {
        const std::uint64_t begin = m_module.header.end(), size = m_module.bytes.size();
        Cursor cursor(m_module.bytes, {FileOffset(begin), ByteCount(size - begin)}, m_faults,
                      "mlir.section", {});
        while (cursor.more()) {
            const std::uint64_t at = cursor.position();
            const Section section = readSectionHeader(cursor);
            if (!cursor.ok())
                return false;
            const auto id = static_cast<unsigned>(section.id);
            if (id >= kSectionIds || section.id == SectionId::DialectVersion)
                return cursor.fail(at, "section", "an id of 0 to 8 but 7", std::to_string(id),
                                   "An unknown section");
            if (m_module.section(section.id))
                return cursor.fail(at, "section", "each one once",
                                   std::string(sectionName(section.id)), "A section appears twice");
            m_module.sections.push_back(section);
        }
        for (const SectionId id : {SectionId::Strings, SectionId::Dialects, SectionId::Entries,
                                   SectionId::EntrySizes, SectionId::Ir, SectionId::Properties})
            if (!m_module.section(id) && (id != SectionId::Properties || m_module.version >= 5))
                return cursor.fail(size, "section", std::string(sectionName(id)), "none",
                                   "A section is missing");
        if (!m_module.section(SectionId::Resources) != !m_module.section(SectionId::ResourceKeys))
            return cursor.fail(size, "section", "resources and their keys", "one of them",
                               "A section is missing");
        return cursor.ok();
    }

    bool readStrings()
    {
        Cursor cursor = cursorOf(SectionId::Strings, "mlir.strings");
        const std::uint64_t count = cursor.count("strings", kStringBytes);
        std::vector<std::pair<std::uint64_t, std::uint64_t>> sizes; // place, bytes: last one first
        sizes.reserve(static_cast<std::size_t>(count));
        for (std::uint64_t i = count; i > 0 && cursor.ok(); --i) {
            const std::uint64_t at = cursor.position();
            const std::uint64_t size = cursor.varint("size of a string");
            if (cursor.ok() && (size == 0 || size > cursor.left()))
                cursor.fail(at, "string " + std::to_string(i - 1), "1 to what remains",
                            std::to_string(size), "A string has no such size");
            sizes.emplace_back(at, size);
        }
        m_module.strings.reserve(sizes.size());
        for (auto size = sizes.rbegin(); size != sizes.rend() && cursor.ok(); ++size) {
            const ByteRange range = cursor.take("string", size->second);
            const std::string_view text = m_module.textOf(range);
            if (cursor.ok() && text.back() != '\0')
                cursor.fail(range.end() - 1, "string " + std::to_string(m_module.strings.size()),
                            "a NUL", std::to_string(static_cast<unsigned char>(text.back())),
                            "A string does not end");
            if (cursor.ok())
                m_module.strings.push_back(text.substr(0, text.size() - 1));
        }
        return cursor.finish("strings");
    }

    bool readProperties()
    {
        if (!m_module.section(SectionId::Properties))
            return true;
        Cursor cursor = cursorOf(SectionId::Properties, "mlir.properties");
        const std::uint64_t count = cursor.count("properties", 1);
        for (std::uint64_t i = 0; i < count && cursor.ok(); ++i)
            m_module.properties.push_back(
                cursor.take("properties", cursor.varint("size of properties")));
        return cursor.finish("properties");
    }

    bool readDialects()
    {
        Cursor cursor = cursorOf(SectionId::Dialects, "mlir.dialects");
        const std::uint64_t count = cursor.count("dialects", 1);
        for (std::uint64_t i = 0; i < count && cursor.ok(); ++i)
            readDialect(cursor);
        if (m_module.version >= 4)
            m_module.operationNames.reserve(
                static_cast<std::size_t>(cursor.count("operation names", 1)));
        while (cursor.more()) {
            const std::uint32_t dialect = cursor.index("dialect", m_module.dialects.size());
            const std::uint64_t names = cursor.count("operation names of a dialect", 1);
            for (std::uint64_t i = 0; i < names && cursor.ok(); ++i) {
                const std::uint64_t at = cursor.position();
                std::uint64_t number = cursor.varint("operation name");
                OperationName name;
                name.dialect = dialect;
                if (m_module.version >= 5) {
                    name.registered = (number & 1) != 0;
                    number >>= 1;
                }
                name.name =
                    cursor.checkIndex("operation name", number, m_module.strings.size(), at);
                if (cursor.ok())
                    addName(name);
            }
        }
        return cursor.ok();
    }

    void readDialect(Cursor &cursor)
    {
        const std::uint64_t at = cursor.position();
        std::uint64_t number = cursor.varint("dialect");
        Dialect dialect;
        if (m_module.version >= 1) {
            dialect.versioned = (number & 1) != 0;
            number >>= 1;
        }
        dialect.name = cursor.checkIndex("dialect", number, m_module.strings.size(), at);
        if (dialect.versioned && cursor.ok()) {
            const std::uint64_t header = cursor.position();
            const Section section = readSectionHeader(cursor);
            if (cursor.ok() && section.id != SectionId::DialectVersion)
                cursor.fail(header, "section", "7",
                            std::to_string(static_cast<unsigned>(section.id)),
                            "No version of a dialect");
            dialect.version = section.data;
        }
        if (!cursor.ok())
            return;
        const std::string_view name = m_module.strings[dialect.name];
        if (dialect.versioned && name == "aicode")
            checkVersion(dialect.version);
        dialect.attributeRows = rowsByCode(name, false);
        dialect.typeRows = rowsByCode(name, true);
        m_module.dialects.push_back(dialect);
    }

    /// The encodings of the tables are those of version 2, the only one that the platform's loader
    /// takes (mlir-bytecode.md, section 6).
    void checkVersion(ByteRange range)
    {
        constexpr std::uint64_t kKnown = 2;
        Cursor cursor = cursorOf(range, "mlir.dialect_version", SectionId::DialectVersion);
        const std::uint64_t version = cursor.varint("version");
        if (cursor.finish("version") && version != kKnown)
            m_module.diagnostics.push_back(
                {Severity::Warning, ErrorBuilder("mlir.dialect_version")
                                        .file(m_module.file)
                                        .at(range.offset)
                                        .expected(std::to_string(kKnown))
                                        .found(std::to_string(version))
                                        .message("Another version of the dialect is read as the "
                                                 "one that is known")});
    }

    void addName(OperationName name)
    {
        constexpr std::size_t kLongest = 128; // of a name in the table; a file's may be megabytes
        const std::string_view dialect = m_module.dialectName(name.dialect);
        const std::string_view own = m_module.strings[name.name];
        if (dialect.size() + own.size() < kLongest)
            name.row = propertyRow(std::string(dialect) + "." + std::string(own));
        m_module.operationNames.push_back(name);
    }

    bool readResources()
    {
        if (!m_module.section(SectionId::ResourceKeys))
            return true;
        Cursor keys = cursorOf(SectionId::ResourceKeys, "mlir.resources");
        Cursor data = cursorOf(SectionId::Resources, "mlir.resources");
        const std::uint64_t externals = keys.count("external groups", 2);
        for (std::uint64_t i = 0; i < externals && keys.ok(); ++i) {
            Resource group;
            group.external = keys.index("external group", m_module.strings.size());
            readGroup(keys, data, group);
        }
        m_module.externalResources = static_cast<std::uint32_t>(m_module.resources.size());
        while (keys.more()) {
            Resource group;
            group.dialect = keys.index("dialect", m_module.dialects.size());
            readGroup(keys, data, group);
        }
        return keys.ok() && data.finish("resources");
    }

    void readGroup(Cursor &keys, Cursor &data, const Resource &group)
    {
        const std::uint64_t count = keys.count("resources", kResourceBytes);
        for (std::uint64_t i = 0; i < count && keys.ok(); ++i) {
            Resource resource = group;
            resource.key = keys.index("key", m_module.strings.size());
            const std::uint64_t sizeAt = keys.position();
            const std::uint64_t size = keys.varint("size of a resource");
            const std::uint64_t kindAt = keys.position();
            const std::uint8_t kind = keys.byte("kind of a resource");
            if (keys.ok() && kind > static_cast<std::uint8_t>(ResourceKind::String))
                keys.fail(kindAt, "kind of a resource", "0 to 2", std::to_string(kind),
                          "An unknown kind of resource");
            if (keys.ok() && size > data.left())
                keys.fail(sizeAt, "size of a resource",
                          "at most " + std::to_string(data.left()) + " bytes", std::to_string(size),
                          "A resource passes the end of its section");
            resource.kind = static_cast<ResourceKind>(kind);
            resource.entry = data.take("resource", size);
            resource.data = resource.entry;
            if (resource.kind == ResourceKind::Blob && size > 0 && keys.ok()) {
                Cursor blob = cursorOf(resource.entry, "mlir.resources", SectionId::Resources);
                resource.alignment = blob.alignment("alignment of a blob");
                const std::uint64_t bytes = blob.varint("size of a blob");
                blob.align("padding of a blob", resource.alignment);
                resource.data = blob.take("blob", bytes);
                blob.finish("blob");
            }
            if (keys.ok())
                m_module.resources.push_back(resource);
        }
    }

    bool readEntries()
    {
        Cursor sizes = cursorOf(SectionId::EntrySizes, "mlir.entries");
        Cursor data = cursorOf(SectionId::Entries, "mlir.entries");
        const std::uint64_t at = sizes.position();
        const std::uint64_t attributes = sizes.count("attributes", 1);
        const std::uint64_t types = sizes.count("types", 1);
        sizes.checkCount("attributes and types", attributes + types, 1, at);
        readEntryGroups(sizes, data, m_module.attributes, attributes);
        readEntryGroups(sizes, data, m_module.types, types);
        return sizes.finish("attributes and types") && data.finish("attributes and types");
    }

    void readEntryGroups(Cursor &sizes, Cursor &data, std::vector<Entry> &entries,
                         std::uint64_t wanted)
    {
        entries.reserve(sizes.ok() ? static_cast<std::size_t>(wanted) : 0);
        while (sizes.ok() && entries.size() < wanted) {
            Entry entry;
            entry.dialect = sizes.index("dialect", m_module.dialects.size());
            const std::uint64_t at = sizes.position();
            const std::uint64_t count = sizes.count("entries of a group", 1);
            if (sizes.ok() && (count == 0 || count > wanted - entries.size()))
                sizes.fail(at, "entries of a group",
                           "1 to " + std::to_string(wanted - entries.size()), std::to_string(count),
                           "No such group of attributes or types");
            for (std::uint64_t i = 0; i < count && sizes.ok(); ++i) {
                const std::uint64_t sizeAt = sizes.position();
                const std::uint64_t size = sizes.varint("size of an entry");
                entry.custom = (size & 1) != 0;
                if (sizes.ok() && size >> 1 > data.left())
                    sizes.fail(sizeAt, "size of an entry",
                               "at most " + std::to_string(data.left()) + " bytes",
                               std::to_string(size >> 1),
                               "An attribute or type passes the end of its section");
                entry.range = data.take("entry", size >> 1);
                if (sizes.ok())
                    entries.push_back(entry);
            }
        }
    }

    Module &m_module;
    FaultState m_faults;
};

} // namespace

Section readSectionHeader(Cursor &cursor)
{
    constexpr std::uint8_t kAligned = 0x80;
    Section section;
    const std::uint64_t begin = cursor.position();
    const std::uint8_t id = cursor.byte("section");
    section.id = static_cast<SectionId>(id & ~kAligned);
    const std::uint64_t length = cursor.varint("length of a section");
    if ((id & kAligned) != 0) {
        section.alignment = cursor.alignment("alignment of a section");
        cursor.align("padding of a section", section.alignment);
    }
    section.header = {FileOffset(begin), ByteCount(cursor.position() - begin)};
    section.data = cursor.take("section", length);
    return section;
}

std::string_view sectionName(SectionId id)
{
    static constexpr std::array<std::string_view, kSectionIds> kNames{
        "strings",    "dialects",  "attributes and types", "sizes of attributes and types",
        "operations", "resources", "keys of resources",    "version of a dialect",
        "properties"};
    const auto at = static_cast<std::size_t>(id);
    return at < kNames.size() ? kNames[at] : "section";
}

bool isModule(std::span<const std::byte> bytes)
{
    return bytes.size() >= kModuleMagic.size() &&
           std::equal(kModuleMagic.begin(), kModuleMagic.end(), bytes.begin());
}

Module readModule(std::span<const std::byte> bytes, std::string file)
{
    Module module;
    module.bytes = bytes;
    module.file = std::move(file);
    ModuleReader(module).run();
    return module;
}

} // namespace kernscope::mlir
