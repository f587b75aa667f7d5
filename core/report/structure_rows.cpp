// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/counted_text.h"
#include "core/base/overlaid_file.h"
#include "core/bundle/pair_read_lock.h"
#include "core/container/mil/sniff.h"
#include "core/diff/byte_differences.h"
#include "core/diff/task_comparison.h"
#include "core/report/structure_symbols.h"
#include "core/report/structure_table.h"

#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kernscope::report {

namespace {

using Kind = StructureFacts::Kind;

std::string registerHex(const std::optional<std::uint32_t> &value)
{
    return value ? fmt::format("0x{:08x}", *value) : std::string();
}

std::string fieldText(const descriptor::FieldDifference &field)
{
    const auto number = [](const std::optional<std::uint32_t> &value) {
        return value ? fmt::format("{}", *value) : std::string("none");
    };
    return fmt::format("{}: {} > {}", field.name, number(field.a), number(field.b));
}

void addTask(const descriptor::TaskDifference &task, std::vector<StructureFacts> &rows)
{
    const auto index = [](std::size_t of) {
        return of == descriptor::kNoTask ? std::string() : fmt::format("{}", of);
    };
    const std::string name = "task " + index(task.a == descriptor::kNoTask ? task.b : task.a);
    rows.push_back({Kind::Task, name, index(task.a), index(task.b), {}});
    const auto decimal = [](const std::optional<std::uint32_t> &value) {
        return value ? fmt::format("{}", *value) : std::string();
    };
    for (const descriptor::FieldDifference &field : task.header)
        rows.push_back(
            {Kind::Header, name + ": " + field.name, decimal(field.a), decimal(field.b), {}});
    for (const descriptor::RegisterDifference &each : task.registers) {
        std::vector<std::string> fields;
        for (const descriptor::FieldDifference &field : each.fields)
            fields.push_back(fieldText(field));
        const std::string called = each.reg ? each.reg->block + "." + each.reg->name
                                            : fmt::format("{:#07x}", each.address);
        rows.push_back({Kind::Register, name + ": " + called, registerHex(each.a),
                        registerHex(each.b), fmt::format("{}", fmt::join(fields, "; "))});
    }
}

std::string lengthText(bool there, std::uint64_t bytes)
{
    return there ? grouped(bytes) + " B" : std::string();
}

/// Files and sections whose bytes are set against each other.
class ByteStructure
{
public:
    ByteStructure(const BundlePtr &a, const BundlePtr &b, std::span<const ComparedPair> pairs)
        : m_bytes{a, b, {}}
    {
        const PairReadLock lock(*a, *b);
        m_bytes.alignment = ByteAlignment(*a, *b, pairs);
    }

    /// False where cancelled.
    bool compare(Progress &progress)
    {
        auto found = ByteDifferences::find(m_bytes, progress);
        if (found)
            m_differences = *std::move(found);
        return found.has_value();
    }

    /// Hold the locks of the files.
    std::vector<StructureFacts> rows() const
    {
        std::vector<StructureFacts> rows;
        for (const AlignedFile &file : m_bytes.alignment.files())
            addFile(file, rows);
        for (const AlignedFile &file : m_bytes.alignment.files()) {
            for (std::size_t i = 0; i < file.sections && !otherNotation(file); ++i)
                addSection(file.firstSection + i, rows);
        }
        return rows;
    }

private:
    void addFile(const AlignedFile &file, std::vector<StructureFacts> &rows) const
    {
        const auto size = [](const BundlePtr &bundle, std::size_t index) {
            return index == kNoIndex ? 0 : bundle->files()[index].file->size().value;
        };
        const bool inA = file.a != kNoIndex, inB = file.b != kNoIndex;
        const std::uint64_t sizeA = size(m_bytes.a, file.a), sizeB = size(m_bytes.b, file.b);
        StructureFacts row{Kind::File, inA ? file.pathA : file.pathB, lengthText(inA, sizeA),
                           lengthText(inB, sizeB)};
        ByteTally tally;
        std::optional<DifferenceRun> first;
        if (inA && inB && otherNotation(file)) {
            row.detail = "program in another notation";
        } else if (inA && inB) {
            for (std::size_t i = 0; i < file.sections; ++i) {
                tally += m_differences.tallyOf(file.firstSection + i);
                if (!first)
                    first = m_differences.firstIn(m_bytes, file.firstSection + i);
            }
            tell(tally, first, row);
        }
        if (inA && inB && file.pathA != file.pathB)
            row.detail += (row.detail.empty() ? "in B: " : "; in B: ") + file.pathB;
        if (inA != inB || sizeA != sizeB || tally.any())
            rows.push_back(std::move(row));
    }

    /// Padding and gaps have the length that follows from what lies around them.
    void addSection(std::size_t index, std::vector<StructureFacts> &rows) const
    {
        const AlignedSection &section = m_bytes.alignment.sections()[index];
        const bool inA = section.a != kNoIndex, inB = section.b != kNoIndex;
        const ByteTally &tally = m_differences.tallyOf(index);
        const bool padding = section.kind == SectionKind::Padding;
        if (padding ? tally.changed == 0 : inA && inB && !tally.any())
            return;
        StructureFacts row{Kind::Section, section.name, lengthText(inA, section.rangeA.bytes.value),
                           lengthText(inB, section.rangeB.bytes.value)};
        if (inA && inB) {
            tell(tally, m_differences.firstIn(m_bytes, index), row);
            const std::string nameB = m_bytes.b->nameOf(m_bytes.b->sections()[section.b]);
            if (nameB != section.name)
                row.detail = "in B: " + nameB;
        }
        rows.push_back(std::move(row));
    }

    void tell(const ByteTally &tally, const std::optional<DifferenceRun> &first,
              StructureFacts &row) const
    {
        if (!tally.any())
            return;
        row.different = tallyText(tally);
        if (!first)
            return;
        const AlignedSegment &segment = m_bytes.alignment.segments()[first->segment];
        if (first->first < segment.lengthA)
            row.firstA = segment.firstA + first->first;
        if (first->first < segment.lengthB)
            row.firstB = segment.firstB + first->first;
    }

    /// Program text against protobuf: their bytes have nothing to do with each other.
    bool otherNotation(const AlignedFile &file) const
    {
        if (file.a == kNoIndex || file.b == kNoIndex || !m_bytes.a->isProgramFile(file.a) ||
            !m_bytes.b->isProgramFile(file.b))
            return false;
        const auto isProtobuf = [](const BundleFile &of) {
            return isModelProtobuf(of.file->bytes(), of.path);
        };
        return isProtobuf(m_bytes.a->files()[file.a]) != isProtobuf(m_bytes.b->files()[file.b]);
    }

    AlignedBytes m_bytes;
    ByteDifferences m_differences;
};

} // namespace

std::vector<StructureFacts> structureRows(const BundlePtr &a, const BundlePtr &b,
                                          std::span<const PairChoice> chosen, Progress &progress)
{
    const auto pairs = pairWeights(*a, *b, chosen, &progress).pairs;
    if (progress.cancelled())
        return {};
    ByteStructure bytes(a, b, pairs);
    if (!bytes.compare(progress))
        return {};
    const PairReadLock lock(*a, *b);
    std::vector<StructureFacts> rows = bytes.rows();
    if (const auto tasks = compareTasks(*a, *b)) {
        for (const descriptor::TaskDifference &task : tasks->differences)
            addTask(task, rows);
    }
    for (StructureFacts &row : symbolRows(*a, *b))
        rows.push_back(std::move(row));
    return rows;
}

} // namespace kernscope::report
