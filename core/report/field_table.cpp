// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/field_table.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/container/hwx/container.h"
#include "core/descriptor/task_reader.h"

#include <algorithm>
#include <map>

namespace kernscope::report {

namespace {

/// What the numbers of a field stand for; each is looked up once.
class Meanings
{
public:
    Meanings(const FieldQuery &query, std::uint32_t version) : m_version(version)
    {
        const auto *map = descriptor::RegisterMap::of(version);
        m_reg = map == nullptr ? nullptr
                : query.header ? map->header(query.address / 4)
                               : map->find(query.address);
        if (m_reg == nullptr)
            return;
        const auto same = [&query](const descriptor::BitField &field) {
            return field.low == query.low && field.high == query.high;
        };
        const auto found = std::find_if(m_reg->fields.begin(), m_reg->fields.end(), same);
        m_field = found == m_reg->fields.end() ? nullptr : &*found;
    }

    std::string of(std::uint32_t value)
    {
        if (m_field == nullptr)
            return {};
        const auto [at, added] = m_known.try_emplace(value);
        if (added)
            at->second = descriptor::decodedField(*m_reg, *m_field, value, m_version);
        return at->second;
    }

private:
    const descriptor::Register *m_reg = nullptr;
    const descriptor::BitField *m_field = nullptr;
    std::uint32_t m_version;
    std::map<std::uint32_t, std::string> m_known;
};

FieldRow rowOf(descriptor::TaskReader &reader, descriptor::TaskDetail &detail, std::size_t task,
               const FieldQuery &query)
{
    reader.before(task);
    reader.read(task, detail);
    FieldRow row;
    row.word = query.low == 0 && query.high == 31;
    row.task = static_cast<std::uint32_t>(task);
    row.place = detail.task.offset;
    std::optional<std::uint32_t> word;
    if (query.header) {
        if (query.address / 4 < detail.header.size()) {
            word = detail.header[query.address / 4];
            row.written = true;
            row.place += query.address;
        }
    } else {
        word = reader.effective(detail, query.address);
        if (const auto *write = detail.written(query.address)) {
            row.written = true;
            row.place += write->offset;
        }
    }
    descriptor::BitField bits;
    bits.low = query.low;
    bits.high = query.high;
    if (word)
        row.value = bits.of(*word);
    return row;
}

} // namespace

std::vector<FieldRow> fieldRows(const Bundle &bundle, const FieldQuery &query, Progress &progress)
{
    std::vector<FieldRow> rows;
    if (!bundle.hardware() || query.text >= bundle.hardware()->texts.size())
        return rows;
    const hwx::Text &text = bundle.hardware()->texts[query.text];
    const hwx::SegmentSection *section = bundle.hardware()->section(text.section);
    if (section == nullptr || !section->bytes || text.tasks->version == nullptr)
        return rows;
    const ByteRange range = *section->bytes;
    descriptor::TaskReader reader(
        bundle.files().front().file->bytes().subspan(range.offset.value, range.bytes.value),
        *text.tasks);
    Meanings meanings(query, text.tasks->version->registerMap);
    descriptor::TaskDetail detail;
    const std::size_t tasks = text.tasks->tasks.size();
    progress.setTotal(tasks);
    rows.reserve(tasks);
    for (std::size_t i = 0; i < tasks && progress.advance(1); ++i) {
        FieldRow row = rowOf(reader, detail, i, query);
        row.place += range.offset.value;
        if (row.value)
            row.meaning = meanings.of(*row.value);
        rows.push_back(std::move(row));
    }
    return rows;
}

const TableOf<FieldRow> &fieldTable()
{
    using Row = FieldRow;
    static constexpr Column<Row> kColumns[] = {
        {kNumber, "task", "task", "Number of the task in its text section",
         [](const Row &row) -> Value { return Code(row.task); }},
        {kNumber, "value", "value",
         "What holds in the task: what it writes, else what was left there",
         [](const Row &row) -> Value {
             if (!row.value)
                 return Nothing();
             return row.word ? Value(Hex(*row.value, 8)) : Value(Code(*row.value));
         }},
        {"meaning", "meaning", "What the number stands for, where that is known",
         [](const Row &row) -> Value {
             return row.meaning.empty() ? Value(Absent()) : Value(View(row.meaning));
         }},
        {"set", "set", "Whether the task writes it or finds it as the tasks before left it",
         [](const Row &row) -> Value {
             return Word(row.written ? "written" : row.value ? "carried" : "never written");
         }},
        {kNumber, "place", "place",
         "Of the word in the file; of a task that writes none, where it begins",
         [](const Row &row) -> Value { return Hex(row.place); }},
    };
    static const TableOf<Row> kTable{"field_values", kColumns};
    return kTable;
}

} // namespace kernscope::report
