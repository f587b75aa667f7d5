// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/report/register_table.h"

#include "core/bundle/bundle.h"
#include "core/report/hwx_json.h"
#include "core/report/json_table.h"

#include <fmt/format.h>

namespace kernscope::report {

namespace {

/// Fields that are not 0, of thirty most are: "KernelFmt=2 (fp16) PaletteEn=1".
Value fieldsValue(const RegisterFacts &row)
{
    std::string text;
    for (const descriptor::BitField &field : row.reg == nullptr
                                                 ? std::span<const descriptor::BitField>()
                                                 : std::span(row.reg->fields)) {
        const std::uint32_t number = field.of(row.value);
        if (number == 0)
            continue;
        const auto meaning = descriptor::decodedField(*row.reg, field, number, row.map);
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", field.name, number);
        if (!meaning.empty())
            text += " (" + meaning + ")";
    }
    return text;
}

Json fieldsDocument(const RegisterFacts &row)
{
    Json fields = Json::object();
    if (row.reg != nullptr) {
        for (const descriptor::BitField &field : row.reg->fields)
            fields[field.name] = field.of(row.value);
    }
    return fields;
}

/// Fields whose number means more.
Json decodedDocument(const RegisterFacts &row)
{
    Json decoded = Json::object();
    if (row.reg != nullptr) {
        for (const descriptor::BitField &field : row.reg->fields) {
            auto text = descriptor::decodedField(*row.reg, field, field.of(row.value), row.map);
            if (!text.empty())
                decoded[field.name] = std::move(text);
        }
    }
    return decoded.empty() ? noKey() : decoded;
}

Value addressValue(const RegisterFacts &row)
{
    if (row.field == nullptr)
        return Hex{row.address};
    return row.field->low == row.field->high
               ? std::to_string(row.field->low)
               : fmt::format("{}:{}", row.field->high, row.field->low);
}

/// A register in hexadecimal, a field as a number.
Value valueOf(const RegisterFacts &row, std::uint32_t value)
{
    return row.field == nullptr ? Value(Hex{value, 8}) : Value(Code{row.field->of(value)});
}

Value marksValue(const RegisterFacts &row)
{
    const bool contested =
        row.reg != nullptr && row.reg->confidence == format::Confidence::Contested;
    return fmt::format("{}{}", row.changed() ? "*" : "", contested ? "!" : "");
}

Value evidenceValue(const RegisterFacts &row)
{
    if (row.field != nullptr)
        return View(row.field->evidence);
    return row.reg != nullptr ? Value(View(row.reg->evidence)) : Value(Word{"not named"});
}

/// The first values and how often each was seen.
Value surveyValues(const SurveyRow &row)
{
    constexpr std::size_t kShown = 6;
    std::string text;
    std::size_t shown = 0;
    for (const auto &[value, times] : row.values) {
        if (shown++ < kShown)
            text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", hexText(value), times);
    }
    if (row.values.size() > kShown || row.more)
        text += fmt::format(" and {}{} more", row.more ? "at least " : "",
                            row.values.size() - std::min(kShown, row.values.size()));
    return text;
}

Json surveyValuesDocument(const SurveyRow &row)
{
    Json values = Json::array();
    for (const auto &[value, times] : row.values)
        values.push_back({{"value", hexText(value)}, {"times", times}});
    return values;
}

Value sideValue(const RegisterChange &row, const std::optional<std::uint32_t> &value)
{
    if (row.taskAlone)
        return Nothing();
    if (!value)
        return Unknown();
    return row.whole ? Value(Hex{*value, 8}) : Value(Code{*value});
}

} // namespace

RegisterFacts RegisterFacts::of(const descriptor::BitField &one) const
{
    RegisterFacts row = *this;
    row.field = &one;
    return row;
}

bool RegisterFacts::changed() const
{
    if (!before)
        return false;
    return field == nullptr ? *before != value : field->of(*before) != field->of(value);
}

std::vector<RegisterFacts> registerFacts(const descriptor::TaskDetail &detail,
                                         const descriptor::RegisterState &before,
                                         const descriptor::Version &version, std::uint64_t place)
{
    const auto *map = descriptor::RegisterMap::of(version.registerMap);
    std::vector<RegisterFacts> rows;
    rows.reserve(detail.stream.writes.size());
    for (const descriptor::RegisterWrite &write : detail.stream.writes)
        rows.push_back({map == nullptr ? nullptr : map->find(write.address), nullptr, write.address,
                        write.offset, place + write.offset, write.value, before.get(write.address),
                        version.registerMap});
    return rows;
}

const TableOf<RegisterFacts> registerTable(
    "registers",
    {{kNumber | kDocument | kTerminal, "td_offset", "at", "Bytes from the start of the task",
      member<&RegisterFacts::offset, Hex>, jsonOf(CELL(Json(hexText(row.offset))))},
     {kNumber, "address", "register", "Address of a register, bits of a field", addressValue,
      jsonOf(CELL(Json(hexText(row.address, 5))))},
     {kNumber, "value", "As stored", CELL(valueOf(row, row.value)),
      jsonOf(CELL(Json(hexText(row.value, 8))))},
     {kDocument | kTerminal, "block", "Block of registers that it belongs to",
      CELL(row.reg == nullptr ? View("?") : View(row.reg->block))},
     {kName, "name", "Block, register, field",
      [](auto &row) -> Value {
          if (row.field != nullptr)
              return View(row.field->name);
          return row.reg == nullptr ? View("?") : View(row.reg->name);
      }},
     {kTerminal, "marks", "mark", "* differs from the task before, ! sources disagree", marksValue},
     {kName | kDocument | kTerminal, "fields", "Fields of the register that are not 0", fieldsValue,
      jsonOf(fieldsDocument)},
     {kDocument, "decoded", "What the numbers of its fields stand for", decodedDocument},
     {kWindow, "meaning", "What the number stands for, where that is known",
      [](auto &row) -> Value {
          if (row.field == nullptr)
              return Nothing();
          return descriptor::decodedField(*row.reg, *row.field, row.field->of(row.value), row.map);
      }},
     {kNumber | kDocument | kWindow, "previous", "before", "What the tasks before left there",
      CELL(row.before ? valueOf(row, *row.before) : Value(Nothing())),
      jsonOf(CELL(row.before ? Json(hexText(*row.before, 8)) : Json(nullptr)))},
     {kNumber | kDocument | kWindow, "file_offset", "place", "Offset in the file",
      member<&RegisterFacts::place, Hex>, jsonOf(CELL(Json(hexText(row.place))))},
     {kDocument | kWindow, "confidence", "known by", "What this row rests on", evidenceValue,
      jsonOf(CELL(row.reg != nullptr ? Json(row.reg->evidence) : noKey()))}},
    {"address", "td_offset", "file_offset", "value", "block", "name", "fields", "decoded",
     "confidence", "previous"},
    {"name", "address", "value", "meaning", "previous", "file_offset", "confidence"});

std::vector<LaneFacts> laneFacts(const std::vector<hwx::KernelLane> &lanes,
                                 const std::vector<hwx::KernelTile> &tiles,
                                 const hwx::Container &container)
{
    std::vector<LaneFacts> rows;
    for (const hwx::KernelLane &lane : lanes) {
        if (lane.enabled)
            rows.push_back(
                {lane, lane.tile ? &container.symbols[tiles[*lane.tile].symbol] : nullptr});
    }
    return rows;
}

const TableOf<LaneFacts> laneTable(
    "lanes",
    {{kNumber, "lane", "Number of the engine", CELL(Code(row.lane.lane))},
     {kNumber, "base", "Where its coefficients begin, as its register says it",
      CELL(Hex(row.lane.base)), jsonOf(CELL(Json(hexText(row.lane.base))))},
     {kNumber, "size", "bytes", "Bytes of coefficients", CELL(Count(row.lane.size)),
      jsonOf(CELL(Json(hexText(row.lane.size))))},
     {"relocated", "Whether the loader fills its base word",
      CELL(row.lane.relocated ? Value(true) : Value(Nothing())),
      jsonOf(CELL(Json(row.lane.relocated)))},
     {"symbol", "kernel", "Symbol of the kernel that it reads",
      CELL(row.symbol != nullptr ? Value(View(row.symbol->name)) : Value(Word("no symbol"))),
      jsonOf(CELL(row.symbol != nullptr ? Json(row.symbol->name) : Json(nullptr)))},
     {kDocument, "enable", "1: only lanes that are enabled are listed",
      [](auto &) { return Json(1); }},
     {kDocument, "vmaddr", "Virtual address of its first byte",
      CELL(row.lane.address ? Json(hexText(*row.lane.address)) : Json(nullptr))},
     {kDocument, "matches_symbol", "Whether a kernel begins exactly there",
      CELL(row.lane.matchesSymbol)},
     {kDocument, "size_matches", "Whether that kernel is as long", CELL(row.lane.sizeMatches)}},
    {"lane", "enable", "base", "size", "vmaddr", "symbol", "matches_symbol", "size_matches",
     "relocated"});

const TableOf<SurveyRow> surveyTable(
    "survey",
    {{"kind", "A register, or a word of a thread command", member<&SurveyRow::kind>},
     {kNumber, "version", "Version of the register map; of a thread word its flavor",
      member<&SurveyRow::version, Code>},
     {kNumber, "address", "Address of the register, or offset in the command",
      member<&SurveyRow::address, Hex>, jsonOf(CELL(Json(hexText(row.address))))},
     {kNumber, "files", "Containers that have it", member<&SurveyRow::files, Count>},
     {kNumber, "writes", "How often it is written", member<&SurveyRow::writes, Count>},
     {kDocument, "set_bits", "Bits that are 1 in every value", CELL(Json(hexText(row.setBits)))},
     {kDocument, "clear_bits", "Bits that are 0 in every value",
      CELL(Json(hexText(row.clearBits)))},
     {kDocument, "more_values", "Whether it has more values than are listed",
      member<&SurveyRow::more>},
     {"values", "Its values, and how often each was written", surveyValues,
      jsonOf(surveyValuesDocument)}},
    {"kind", "version", "address", "files", "writes", "set_bits", "clear_bits", "more_values",
     "values"});

std::vector<RegisterChange> registerChanges(const descriptor::RegisterDifference &difference)
{
    const std::string name = difference.reg == nullptr
                                 ? hexText(difference.address)
                                 : difference.reg->block + " " + difference.reg->name;
    std::vector<RegisterChange> rows{{{}, name, {}, difference.a, difference.b, true, false}};
    for (const descriptor::FieldDifference &field : difference.fields)
        rows.push_back({{}, {}, field.name, field.a, field.b, false, false});
    return rows;
}

const TableOf<RegisterChange> registerChangeTable(
    "register_changes",
    {{kNumber | kTerminal, "task", "Number of the task in A and, where it is another one, in B",
      member<&RegisterChange::task>},
     {kTables, "name", "register", "Register or field that differs", member<&RegisterChange::name>},
     {kTerminal, "field", "Field of the register that differs", member<&RegisterChange::field>},
     {kNumber | kTables, "a", "A", "In the first; a dash where it has none",
      CELL(sideValue(row, row.a))},
     {kNumber | kTables, "b", "B", "In the second; a dash where it has none",
      CELL(sideValue(row, row.b))}});

void HwxSurvey::note(const char *kind, unsigned version, std::uint32_t address, std::uint32_t value)
{
    const Key key{kind, version, address};
    auto [at, fresh] = m_rows.try_emplace(key);
    SurveyRow &row = at->second;
    if (fresh) {
        row.kind = kind;
        row.version = version;
        row.address = address;
        row.setBits = row.clearBits = UINT32_MAX;
    }
    ++row.writes;
    row.setBits &= value;
    row.clearBits &= ~value;
    if (m_seen.insert(key).second)
        ++row.files;
    const auto known = row.values.find(value);
    if (known != row.values.end())
        ++known->second;
    else if (row.values.size() < SurveyRow::kMaxValues)
        row.values.emplace(value, 1);
    else
        row.more = true;
}

void HwxSurvey::add(const hwx::Container &container, std::span<const std::byte> bytes)
{
    ++m_files;
    m_seen.clear();
    for (const hwx::Thread &thread : container.threads) {
        if (thread.role != hwx::ThreadRole::Program || thread.flavor != 1)
            continue;
        note("thread word", thread.flavor, 0x850, thread.word850);
        note("thread word", thread.flavor, 0x858, thread.word858);
    }
    for (const hwx::Text &text : container.texts) {
        const hwx::SegmentSection *section = container.section(text.section);
        if (section == nullptr || !section->bytes || text.tasks->version == nullptr)
            continue;
        const auto range = *section->bytes;
        const descriptor::TaskReader reader(
            bytes.subspan(static_cast<std::size_t>(range.offset.value),
                          static_cast<std::size_t>(range.bytes.value)),
            *text.tasks);
        const unsigned version = text.tasks->version->registerMap;
        const auto *map = descriptor::RegisterMap::of(version);
        descriptor::TaskDetail detail;
        for (std::size_t i = 0; i < text.tasks->tasks.size(); ++i) {
            reader.read(i, detail);
            ++m_tasks;
            for (const descriptor::RegisterWrite &write : detail.stream.writes) {
                if (map == nullptr || map->find(write.address) == nullptr)
                    note("register", version, write.address, write.value);
            }
        }
    }
}

std::vector<SurveyRow> HwxSurvey::rows() const
{
    std::vector<SurveyRow> rows;
    for (const auto &[key, row] : m_rows)
        rows.push_back(row);
    return rows;
}

Json hwxSurveyDocument(const HwxSurvey &survey)
{
    Json json = document("hwx");
    json["survey"] = {{"files", survey.files()},
                      {"tasks", survey.tasks()},
                      {"words", jsonArray(surveyTable, survey.rows())}};
    return json;
}

} // namespace kernscope::report
