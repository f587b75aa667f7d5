// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/byte_text.h"
#include "core/base/error_builder.h"
#include "core/container/mlir/cursor.h"
#include "core/container/mlir/entries.h"
#include "core/container/mlir/module.h"

#include <algorithm>
#include <array>

namespace kernscope::mlir {

namespace {

/// A section's header at the cursor; its data is passed over. Sections of the file, of isolated
/// regions and of dialect versions are written alike.
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

// Operations, regions and blocks (mlir-bytecode.md, section 4), with a stack of their own.

constexpr std::uint64_t kLeastOperation = 3;
constexpr std::string_view kIrCode = "mlir.ir";

class OperationReader
{
public:
    OperationReader(Module &module, FaultState &faults)
        : m_module(module), m_faults(faults),
          m_cursor(module.bytes, module.section(SectionId::Ir)->data, faults, kIrCode,
                   sectionName(SectionId::Ir)),
          m_end(m_cursor.end())
    {
    }

    void run()
    {
        m_open.push_back({}); // the top level: one block of a region that is not written
        m_open.back().blocksLeft = 1;
        while (m_cursor.ok() && !m_open.empty())
            step();
        m_cursor.finish("operations");
    }

private:
    /// Regions of one operation, being read; the top level is the first.
    struct Open {
        std::uint32_t operation = kNone;
        std::uint64_t regionsLeft = 0, blocksLeft = 0, operationsLeft = 0;
        std::uint32_t region = kNone, block = kNone;
        std::uint64_t outerEnd = 0;    ///< isolated: where the cursor may read afterwards
        bool isolated = false;         ///< and in a section of its own
        std::uint32_t firstNumber = 0; ///< of the values of the region
        std::uint32_t values = 0;      ///< how many it announced
        std::uint32_t firstValue = 0;  ///< in Module::values
        std::uint32_t defined = 0;
        std::uint64_t blocks = 0; ///< of the region
    };

    void step()
    {
        Open &open = m_open.back();
        if (open.operationsLeft > 0) {
            --open.operationsLeft;
            readOperation();
        } else if (open.block != kNone) {
            Block &block = m_module.blocks[open.block];
            block.operations.count = size(m_module.operations) - block.operations.first;
            block.end = size(m_module.blocks);
            open.block = kNone;
        } else if (open.blocksLeft > 0) {
            --open.blocksLeft;
            readBlock();
        } else if (open.region != kNone) {
            endRegion();
        } else if (open.regionsLeft > 0) {
            --open.regionsLeft;
            readRegion();
        } else {
            endOperation();
        }
    }

    template <class Item>
    static std::uint32_t size(const std::vector<Item> &items)
    {
        return static_cast<std::uint32_t>(items.size());
    }
    ByteRange since(std::uint64_t begin) const
    {
        return {FileOffset(begin), ByteCount(m_cursor.position() - begin)};
    }

    void readOperation()
    {
        const std::uint64_t begin = m_cursor.position();
        Operation operation;
        operation.block = m_open.back().block;
        operation.name = m_cursor.index("operation name", m_module.operationNames.size());
        const std::uint64_t maskAt = m_cursor.position();
        const std::uint8_t mask = m_cursor.byte("mask of an operation");
        const unsigned known = kHasAttributes | kHasResults | kHasOperands | kHasSuccessors |
                               kHasRegions | (m_module.version >= 3 ? unsigned(kHasUses) : 0u) |
                               (m_module.version >= 5 ? unsigned(kHasProperties) : 0u);
        if (m_cursor.ok() && (mask & ~known) != 0)
            m_cursor.fail(maskAt, "mask of an operation", "bits of " + std::to_string(known),
                          std::to_string(mask), "An operation has parts that are not known");
        operation.location = m_cursor.index("location", m_module.attributes.size());
        if ((mask & kHasAttributes) != 0)
            operation.attributes = m_cursor.index("dictionary", m_module.attributes.size());
        if ((mask & kHasProperties) != 0)
            operation.properties = m_cursor.index("properties", m_module.properties.size());
        if ((mask & kHasResults) != 0)
            operation.results = readResults();
        if ((mask & kHasOperands) != 0)
            operation.operands = readOperands();
        if ((mask & kHasSuccessors) != 0)
            operation.successors = readSuccessors();
        if ((mask & kHasUses) != 0)
            operation.uses = readUses(operation.results.count);
        std::uint64_t regions = 0;
        if ((mask & kHasRegions) != 0) {
            const std::uint64_t at = m_cursor.position();
            regions = m_cursor.varint("regions");
            operation.isolated = (regions & 1) != 0;
            regions >>= 1;
            m_cursor.checkCount("regions", regions, 1, at);
        }
        operation.head = operation.range = since(begin);
        operation.regions.first = size(m_module.regions);
        operation.end = size(m_module.operations) + 1;
        if (!m_cursor.ok())
            return;
        m_module.operations.push_back(operation);
        if ((mask & kHasRegions) != 0)
            openRegions(regions);
    }

    void openRegions(std::uint64_t regions)
    {
        if (m_open.size() > Module::kMostRegions) {
            m_cursor.fail(m_cursor.position(), "regions",
                          "at most " + std::to_string(Module::kMostRegions) + " deep", "more",
                          "Regions lie inside of one another");
            return;
        }
        Open open;
        open.operation = size(m_module.operations) - 1;
        open.regionsLeft = regions;
        open.isolated = m_module.operations.back().isolated;
        open.outerEnd = m_cursor.end();
        if (open.isolated && m_module.version >= 2) {
            const std::uint64_t at = m_cursor.position();
            const Section section = readSectionHeader(m_cursor);
            if (m_cursor.ok() && section.id != SectionId::Ir)
                m_cursor.fail(at, "section of regions", "4",
                              std::to_string(static_cast<unsigned>(section.id)),
                              "No section of regions");
            if (!m_cursor.ok())
                return;
            m_module.operations.back().section = section.header;
            m_cursor =
                Cursor(m_module.bytes, section.data, m_faults, kIrCode, sectionName(SectionId::Ir));
        }
        if (!open.isolated)
            open.firstNumber = nextNumber();
        m_open.push_back(open);
    }

    /// Number of the first value of a region inside of the one that is open.
    std::uint32_t nextNumber() const
    {
        const Open &open = m_open.back();
        return open.firstNumber + open.values;
    }

    void readRegion()
    {
        Open &open = m_open.back();
        const std::uint64_t begin = m_cursor.position();
        const std::uint64_t blocks = m_cursor.count("blocks", 1);
        Region region;
        region.operation = open.operation;
        region.range = since(begin);
        region.blocks.first = size(m_module.blocks);
        region.values.first = size(m_module.values);
        region.end = size(m_module.regions) + 1;
        if (blocks > 0) {
            const std::uint64_t at = m_cursor.position();
            const std::uint64_t values = m_cursor.varint("values of a region");
            m_cursor.checkCount("values of a region", values, 1, at);
            // What outer regions still wait for must lie in what remains of all operations.
            if (m_cursor.ok() && values + m_waiting > m_end - m_cursor.position())
                m_cursor.fail(at, "values of a region", "fewer", std::to_string(values),
                              "More values are announced than the file can define");
            if (!m_cursor.ok())
                return;
            region.values.count = static_cast<std::uint32_t>(values);
            m_waiting += values;
            m_module.values.resize(m_module.values.size() + static_cast<std::size_t>(values));
        }
        open.values = region.values.count;
        open.firstValue = region.values.first;
        open.defined = 0;
        open.blocksLeft = open.blocks = blocks;
        open.region = size(m_module.regions);
        m_module.regions.push_back(region);
    }

    void readBlock()
    {
        Open &open = m_open.back();
        const std::uint64_t begin = m_cursor.position();
        const std::uint64_t head = m_cursor.varint("operations of a block");
        m_cursor.checkCount("operations of a block", head >> 1, kLeastOperation, begin);
        Block block;
        block.region = open.region;
        block.arguments.first = open.firstValue + open.defined;
        open.block = size(m_module.blocks);
        if ((head & 1) != 0) {
            const std::uint64_t count = m_cursor.count("arguments of a block", 1);
            for (std::uint64_t i = 0; i < count && m_cursor.ok(); ++i)
                readArgument(static_cast<std::uint32_t>(i));
            block.arguments.count = static_cast<std::uint32_t>(count);
            const std::uint64_t uses = m_cursor.position();
            if (m_module.version >= 3 && m_cursor.byte("use-list orders") != 0)
                readUses(block.arguments.count);
            block.uses = m_module.version >= 3 ? since(uses) : ByteRange();
        }
        block.head = since(begin);
        block.operationCount = static_cast<std::uint32_t>(head >> 1);
        block.operations.first = size(m_module.operations);
        block.end = open.block + 1;
        open.operationsLeft = m_cursor.ok() ? block.operationCount : 0;
        m_module.blocks.push_back(block);
    }

    void readArgument(std::uint32_t position)
    {
        const std::uint64_t at = m_cursor.position();
        std::uint64_t type = m_cursor.varint("type of an argument");
        bool located = true;
        if (m_module.version >= 4) {
            located = (type & 1) != 0;
            type >>= 1;
        }
        Value value;
        value.argument = true;
        value.owner = m_open.back().block;
        value.position = position;
        value.type = m_cursor.checkIndex("type of an argument", type, m_module.types.size(), at);
        if (located)
            value.location = m_cursor.index("location", m_module.attributes.size());
        define(value, at);
    }

    Run readResults()
    {
        const std::uint64_t count = m_cursor.count("results", 1);
        Value value;
        value.owner = size(m_module.operations);
        const Open &open = m_open.back();
        const Run run{open.firstValue + open.defined, static_cast<std::uint32_t>(count)};
        for (std::uint64_t i = 0; i < count && m_cursor.ok(); ++i) {
            const std::uint64_t at = m_cursor.position();
            value.position = static_cast<std::uint32_t>(i);
            value.type = m_cursor.index("type of a result", m_module.types.size());
            define(value, at);
        }
        return run;
    }

    void define(const Value &value, std::uint64_t at)
    {
        Open &open = m_open.back();
        if (m_cursor.ok() && open.defined == open.values)
            m_cursor.fail(at, "value", std::to_string(open.values) + " values", "more",
                          "A region defines more values than it announces");
        if (!m_cursor.ok())
            return;
        m_module.values[open.firstValue + open.defined] = value;
        ++open.defined;
        --m_waiting;
    }

    Run readOperands()
    {
        const std::uint64_t count = m_cursor.count("operands", 1);
        const Run run{size(m_module.operandValues), static_cast<std::uint32_t>(count)};
        for (std::uint64_t i = 0; i < count && m_cursor.ok(); ++i) {
            const std::uint32_t number = m_cursor.index("value", nextNumber());
            // From the innermost region outwards; the first of an isolated one begins at 0.
            for (auto open = m_open.rbegin(); open != m_open.rend() && m_cursor.ok(); ++open) {
                if (number < open->firstNumber)
                    continue;
                m_module.operandValues.push_back(open->firstValue + number - open->firstNumber);
                break;
            }
        }
        return run;
    }

    Run readSuccessors()
    {
        const std::uint64_t count = m_cursor.count("successors", 1);
        const Open &open = m_open.back();
        const std::uint64_t blocks = open.region == kNone ? 1 : open.blocks;
        const Run run{size(m_module.successorBlocks), static_cast<std::uint32_t>(count)};
        for (std::uint64_t i = 0; i < count && m_cursor.ok(); ++i)
            m_module.successorBlocks.push_back(m_cursor.index("successor", blocks));
        return run;
    }

    /// Orders in which values are used, which nothing here needs: only their bounds.
    ByteRange readUses(std::uint32_t values)
    {
        const std::uint64_t begin = m_cursor.position();
        const std::uint64_t orders = values > 1 ? m_cursor.count("use-list orders", 3) : values;
        for (std::uint64_t i = 0; i < orders && m_cursor.ok(); ++i) {
            if (values > 1)
                m_cursor.index("value of a use-list order", values);
            const std::uint64_t at = m_cursor.position();
            const std::uint64_t count = m_cursor.varint("use-list indices") >> 1;
            m_cursor.checkCount("use-list indices", count, 1, at);
            for (std::uint64_t k = 0; k < count && m_cursor.ok(); ++k)
                m_cursor.varint("use-list index");
        }
        return since(begin);
    }

    void endRegion()
    {
        Open &open = m_open.back();
        Region &region = m_module.regions[open.region];
        if (open.defined != open.values) {
            m_cursor.fail(region.range.offset.value, "values of a region",
                          std::to_string(open.values) + " values", std::to_string(open.defined),
                          "A region announces values that nothing defines");
            return;
        }
        region.blocks.count = size(m_module.blocks) - region.blocks.first;
        region.end = size(m_module.regions);
        region.range = since(region.range.offset.value);
        open.region = kNone;
        open.values = 0;
    }

    void endOperation()
    {
        const Open open = m_open.back();
        m_open.pop_back();
        if (open.operation == kNone)
            return;
        Operation &operation = m_module.operations[open.operation];
        if (open.isolated && m_module.version >= 2) {
            if (!m_cursor.finish("regions of an operation"))
                return;
            m_cursor.setEnd(open.outerEnd);
        }
        operation.end = size(m_module.operations);
        operation.regions.count = size(m_module.regions) - operation.regions.first;
        operation.range = since(operation.range.offset.value);
    }

    Module &m_module;
    FaultState &m_faults;
    Cursor m_cursor;
    const std::uint64_t m_end; ///< of the section
    std::vector<Open> m_open;
    std::uint64_t m_waiting = 0; ///< values that are announced and not yet defined
};

/// Whether the properties of an operation can be read by its row. A row of all versions that does
/// not fit this one is none.
void checkProperties(Module &module, FaultState &faults, const Operation &operation)
{
    OperationName &name = module.operationNames[operation.name];
    if (!name.row || operation.properties == kNone || faults)
        return;
    FaultState found{module.file, {}};
    Cursor cursor(module.bytes, module.properties[operation.properties], found, "mlir.properties",
                  name.row->operation);
    for (const PropertyRow::Property &property : name.row->properties) {
        const std::uint64_t at = cursor.position();
        const std::uint64_t number = cursor.varint(property.name);
        if (!property.optional)
            cursor.checkIndex(property.name, number, module.attributes.size(), at);
        else if ((number & 1) != 0)
            cursor.checkIndex(property.name, number >> 1, module.attributes.size(), at);
    }
    if (cursor.finish("properties"))
        return;
    if (name.row->operation == module.operationName(operation))
        faults.error = std::move(found.error);
    else
        name.row = nullptr;
}

/// The section of operations. Adds them to `module`; none where `faults` says why.
void readOperations(Module &module, FaultState &faults)
{
    OperationReader(module, faults).run();
    for (const Operation &operation : module.operations)
        checkProperties(module, faults, operation);
    if (!faults)
        return;
    module.operations.clear();
    module.regions.clear();
    module.blocks.clear();
    module.values.clear();
    module.operandValues.clear();
    module.successorBlocks.clear();
}

// The tables of a module.

constexpr std::string_view kModuleMagic = "ML\xefR";
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
                {Severity::Warning,
                 valueError({m_module.file, range.offset}, "mlir.dialect_version", {},
                            std::to_string(kKnown), std::to_string(version),
                            "Another version of the dialect is read as the "
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
    return textInBytes(bytes).starts_with(kModuleMagic);
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
