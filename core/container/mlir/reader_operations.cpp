// SPDX-License-Identifier: GPL-3.0-or-later
// Operations, regions and blocks (mlir-bytecode.md, section 4), with a stack of their own.
#include "core/container/mlir/reader.h"

#include <algorithm>
#include <string>
#include <vector>

namespace kernscope::mlir {

namespace {

constexpr unsigned kHasAttributes = 0x01, kHasResults = 0x02, kHasOperands = 0x04,
                   kHasSuccessors = 0x08, kHasRegions = 0x10, kHasUses = 0x20,
                   kHasProperties = 0x40; ///< bits of an operation's mask

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

} // namespace

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

} // namespace kernscope::mlir
