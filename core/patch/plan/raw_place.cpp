// SPDX-License-Identifier: GPL-3.0-or-later
// Edits of bytes as they lie in a file: of headers, records, metadata, stored numbers, registers.
#include "core/patch/plan/raw_place.h"

#include "core/base/error_builder.h"
#include "core/base/find.h"
#include "core/base/little_endian.h"
#include "core/base/overlaid_file.h"
#include "core/base/parts.h"
#include "core/base/text.h"
#include "core/bundle/bundle.h"
#include "core/container/hwx/container.h"
#include "core/descriptor/task_reader.h"
#include "core/form/operand_place.h"
#include "core/patch/plan/planner.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace kernscope::patch {

namespace {

constexpr std::string_view kHeader = "Header"; ///< block of a task's own words

using descriptor::BitField;
using descriptor::Register;

tl::unexpected<Error> fieldError(const std::string &path, std::string expected, std::string message)
{
    return refused("patch.field", path, expected, {}, message);
}

/// The pieces of "task[1,3]/Common/ConvCfg/Ox".
struct FieldPath {
    std::size_t text = 0, task = 0;
    std::string block, reg, field;
};

Result<FieldPath> parsePath(const std::string &path)
{
    constexpr std::string_view kTask = "task[";
    const auto wrong = [&path] {
        return fieldError(path, "task[N]/BLOCK/REGISTER/FIELD",
                          "The register's field cannot be understood");
    };
    std::vector<std::string> parts;
    for (std::size_t from = 0; from <= path.size();) {
        const auto end = std::min(path.find('/', from), path.size());
        parts.push_back(path.substr(from, end - from));
        from = end + 1;
    }
    if (parts.size() < 3 || parts.size() > 4 || !parts[0].starts_with(kTask) ||
        parts[0].back() != ']')
        return wrong();
    const std::string_view number =
        std::string_view(parts[0]).substr(kTask.size(), parts[0].size() - kTask.size() - 1);
    const auto comma = number.find(',');
    const bool several = comma != std::string_view::npos;
    const auto text = several ? digitsOf(number.substr(0, comma)) : std::optional<std::size_t>(0);
    const auto task = digitsOf(several ? number.substr(comma + 1) : number);
    if (!text || !task)
        return wrong();
    return FieldPath{*text, *task, parts[1], parts[2], parts.size() == 4 ? parts[3] : ""};
}

bool isCalled(const TaskWord &word, const FieldPath &path)
{
    if (word.reg != nullptr && word.reg->block == path.block && word.reg->name == path.reg)
        return true;
    return path.reg == fmt::format("{:#x}", word.address);
}

Result<TaskWord> findWord(const Bundle &bundle, const std::string &path, const FieldPath &wanted)
{
    std::optional<TaskWord> found;
    const bool known = visitTaskWords(bundle, wanted.text, wanted.task, [&](const TaskWord &word) {
        if (word.header == (wanted.block == kHeader) && isCalled(word, wanted))
            found = word; // the last write counts
    });
    if (found)
        return *found;
    return fieldError(path,
                      known ? fmt::format("a register that task {} writes", wanted.task)
                            : std::string("a task of a hardware container whose form is known"),
                      "There is no such register to change");
}

Result<RawPlace> fieldPlace(const Bundle &bundle, const Edit &edit)
{
    const auto path = TRY(parsePath(edit.weight));
    const auto word = TRY(findWord(bundle, edit.weight, path));
    BitField bits; // of a whole register
    if (!path.field.empty()) {
        const auto *reg = word.reg;
        const auto named = [&path](const BitField &field) { return field.name == path.field; };
        if (reg == nullptr || std::ranges::none_of(reg->fields, named))
            return fieldError(edit.weight, "a field of that register",
                              "There is no such field to change");
        bits = *std::ranges::find_if(reg->fields, named);
    }
    const std::uint32_t most = bits.mask() >> bits.low;
    if (edit.stored < 0 || edit.stored > static_cast<std::int64_t>(most)) {
        return refused("patch.unrepresentable", edit.weight, fmt::format("0 to {}", most),
                       fmt::format("{}", edit.stored), "The field has fewer bits");
    }
    const auto number = static_cast<std::uint32_t>(edit.stored);
    const std::uint32_t after = (word.value & ~bits.mask()) | (number << bits.low);
    RawPlace place;
    place.offset = FileOffset(word.place);
    place.after.resize(4);
    storeLittle(std::span(place.after), 0, after);
    place.oldText = fmt::format("{}", bits.of(word.value));
    place.newText = fmt::format("{}", number);
    place.note = path.field.empty() ? fmt::format("{:#010x} becomes {:#010x}", word.value, after)
                                    : fmt::format("bits {}:{} of {}, {:#010x} becomes {:#010x}",
                                                  bits.high, bits.low, path.reg, word.value, after);
    return place;
}

/// Why a byte that belongs to a weight may not be changed by itself; nothing where it may.
std::optional<std::string> whyNotAlone(const Bundle &bundle, std::size_t file, std::uint64_t at)
{
    for (const Weight &weight : bundle.weights()) {
        for (const codec::Operand &operand : weight.operands()) {
            const OperandPlace &place = *operand.place;
            if (place.file != file || !place.holds({FileOffset(at), ByteCount(1)}))
                continue;
            if (operand.role == codec::PartRole::Mask)
                return "A mask decides which values are stored: elements are kept or dropped";
            if (!place.copies.empty())
                return "The file holds this number more than once: its value or code is set";
            if (operand.order && operand.order->skipsZeros())
                return "The form leaves zeros out, which moves bytes: its value or code is set";
            if (!operand.lockReason().empty())
                return std::string(operand.lockReason());
            return std::nullopt;
        }
    }
    return "These bytes belong to a weight that is not read";
}

/// The stored numbers of weights.
bool holdsValues(SectionKind kind)
{
    switch (kind) {
    case SectionKind::Data:
    case SectionKind::Indices:
    case SectionKind::Codebook:
    case SectionKind::Mask:
    case SectionKind::Values:
    case SectionKind::Scale:
    case SectionKind::ZeroPoint: return true;
    case SectionKind::Header:
    case SectionKind::Metadata:
    case SectionKind::Program:
    case SectionKind::Manifest:
    case SectionKind::Padding:
    case SectionKind::Unknown: break;
    }
    return false;
}

Result<RawPlace> bytesPlace(const Bundle &bundle, const Edit &edit)
{
    const auto &files = bundle.files();
    const auto *file = findBy(files, &BundleFile::path, edit.weight);
    if (!file) {
        return refused("patch.file", {}, "the path of a file in the bundle", edit.weight,
                       "The bundle has no such file");
    }
    RawPlace place;
    place.file = static_cast<std::size_t>(file - files.data());
    place.offset = FileOffset(edit.indices.empty() ? 0 : edit.indices.front().start);
    place.after = edit.bytes;
    const auto bytes = file->file->bytes();
    if (place.offset.value > bytes.size() ||
        bytes.size() - place.offset.value < edit.bytes.size()) {
        return refused({file->path, place.offset}, "patch.index", {},
                       fmt::format("at most {} bytes", bytes.size()), {},
                       "The bytes lie past the end of the file");
    }
    for (std::uint64_t at = place.offset.value; at < place.offset.value + edit.bytes.size();) {
        const std::size_t index = bundle.sectionAt(place.file, FileOffset(at));
        if (index == kNoIndex)
            break;
        const Section &section = bundle.sections()[index];
        const bool values = holdsValues(section.kind);
        if (const auto why = values ? whyNotAlone(bundle, place.file, at) : std::nullopt) {
            return refused({file->path, FileOffset(at)}, "patch.weight", {}, {},
                           bundle.nameOf(section), *why);
        }
        place.values = values && (place.values || place.note.empty());
        place.note += (place.note.empty() ? "" : ", ") + bundle.nameOf(section);
        at = section.range.end();
    }
    place.oldText = hexBytesText(bytes.subspan(place.offset.value, edit.bytes.size()));
    place.newText = hexBytesText(edit.bytes);
    return place;
}

/// What a reader takes for the same weight with the same bytes.
std::string look(const Weight &weight)
{
    std::string text = fmt::format("{} {} {}", weight.address(), formText(weight.form),
                                   fmt::join(weight.shape, "x"));
    for (const codec::Operand &operand : weight.operands())
        text += fmt::format(" {}:{}", operand.place->file, operand.place->dataOffset.value);
    return text;
}

std::size_t tasksOf(const Bundle &bundle)
{
    std::size_t tasks = 0;
    if (bundle.hardware()) {
        for (const hwx::Text &text : bundle.hardware()->texts)
            tasks += text.tasks->tasks.size();
    }
    return tasks;
}

} // namespace

Result<RawPlace> rawPlace(const Bundle &bundle, const Edit &edit)
{
    if (const std::string &reason = bundle.readOnlyReason(); !reason.empty())
        return ErrorBuilder("patch.readonly").file(bundle.name()).message(reason).unexpected();
    return edit.kind == Edit::Kind::Bytes ? bytesPlace(bundle, edit) : fieldPlace(bundle, edit);
}

std::string fieldPath(const Bundle &bundle, std::size_t text, std::size_t task,
                      std::string_view block, std::string_view reg, std::string_view field)
{
    const bool several = bundle.hardware() && bundle.hardware()->texts.size() > 1;
    std::string path = several ? fmt::format("task[{},{}]/{}/{}", text, task, block, reg)
                               : fmt::format("task[{}]/{}/{}", task, block, reg);
    return field.empty() ? path : fmt::format("{}/{}", path, field);
}

std::optional<std::string> fieldPathAt(const Bundle &bundle, std::size_t text, std::size_t task,
                                       FileOffset offset, std::optional<unsigned> lowBit)
{
    const auto word = taskWordAt(bundle, {text, task}, offset);
    if (!word)
        return std::nullopt;
    const std::string block = word->header           ? std::string(kHeader)
                              : word->reg != nullptr ? word->reg->block
                                                     : std::string("-");
    const std::string reg =
        word->reg != nullptr ? word->reg->name : fmt::format("{:#x}", word->address);
    std::string field;
    if (lowBit && word->reg != nullptr) {
        const auto low = static_cast<unsigned>(8 * (offset.value - word->place)) + *lowBit;
        for (const BitField &bits : word->reg->fields) {
            if (bits.low == low)
                field = bits.name;
        }
    }
    return fieldPath(bundle, text, task, block, reg, field);
}

std::string whatBreaks(const Bundle &before, const Bundle &after)
{
    std::vector<std::string> faults;
    std::multiset<std::string> known;
    for (const Diagnostic &row : before.diagnostics())
        known.insert(describe(row.error));
    std::vector<std::string> fresh;
    for (const Diagnostic &row : after.diagnostics()) {
        const auto same = known.find(describe(row.error));
        if (same != known.end())
            known.erase(same);
        else if (row.severity != Severity::Note)
            fresh.push_back(describe(row.error));
    }
    if (!fresh.empty())
        faults.push_back(fresh.size() == 1
                             ? fresh.front()
                             : fmt::format("{} (and {} more)", fresh.front(), fresh.size() - 1));
    std::multiset<std::string> now;
    for (const Weight &weight : after.weights())
        now.insert(look(weight));
    std::vector<std::string> lost;
    for (const Weight &weight : before.weights()) {
        if (const auto same = now.find(look(weight)); same != now.end())
            now.erase(same);
        else
            lost.push_back(weight.name);
    }
    if (!lost.empty())
        faults.push_back(fmt::format("{} no longer read as before: {}{}",
                                     counted(lost.size(), "weight"), lost.front(),
                                     lost.size() > 1 ? ", \u2026" : ""));
    if (const auto was = tasksOf(before), is = tasksOf(after); was != is)
        faults.push_back(fmt::format("{} instead of {}", counted(is, "task"), was));
    return fmt::format("{}", fmt::join(faults, "; "));
}

bool visitTaskWords(const Bundle &bundle, std::size_t text, std::size_t task,
                    const std::function<void(const TaskWord &)> &visit)
{
    if (!bundle.hardware() || text >= bundle.hardware()->texts.size())
        return false;
    const hwx::Text &tasks = bundle.hardware()->texts[text];
    const hwx::SegmentSection *section = bundle.hardware()->section(tasks.section);
    if (section == nullptr || !section->bytes || tasks.tasks->version == nullptr ||
        task >= tasks.tasks->tasks.size())
        return false;
    const ByteRange range = *section->bytes;
    const auto bytes = bundle.files().front().file->bytes();
    const descriptor::TaskReader reader(bytes.subspan(range.offset.value, range.bytes.value),
                                        *tasks.tasks);
    descriptor::TaskDetail detail;
    reader.read(task, detail);
    const auto *map = descriptor::RegisterMap::of(tasks.tasks->version->registerMap);
    const std::uint64_t begin = range.offset.value + detail.task.offset;
    for (std::size_t i = 0; i < detail.header.size(); ++i) {
        const auto word = static_cast<std::uint32_t>(i);
        visit({begin + 4 * i, 4 * word, detail.header[i], true,
               map == nullptr ? nullptr : map->header(word)});
    }
    for (const auto &write : detail.stream.writes)
        visit({begin + write.offset, write.address, write.value, false,
               map == nullptr ? nullptr : map->find(write.address)});
    return true;
}

std::optional<TaskNumber> taskAt(const Bundle &bundle, FileOffset offset)
{
    if (!bundle.hardware())
        return std::nullopt;
    const auto &texts = bundle.hardware()->texts;
    for (std::size_t t = 0; t < texts.size(); ++t) {
        const hwx::SegmentSection *section = bundle.hardware()->section(texts[t].section);
        if (section == nullptr || !section->bytes || !section->bytes->contains(offset))
            continue;
        const std::uint64_t at = offset.value - section->bytes->offset.value;
        const auto &tasks = texts[t].tasks->tasks;
        const auto behind = std::upper_bound(
            tasks.begin(), tasks.end(), at,
            [](std::uint64_t place, const descriptor::Task &task) { return place < task.offset; });
        if (behind != tasks.begin() && at - std::prev(behind)->offset < std::prev(behind)->bytes())
            return TaskNumber{t, static_cast<std::size_t>(std::prev(behind) - tasks.begin())};
    }
    return std::nullopt;
}

std::optional<TaskWord> taskWordAt(const Bundle &bundle, const TaskNumber &task, FileOffset offset)
{
    std::optional<TaskWord> found;
    visitTaskWords(bundle, task.text, task.task, [&](const TaskWord &word) {
        if (offset.value >= word.place && offset.value < word.place + 4)
            found = word;
    });
    return found;
}

Result<AppliedEdit> Planner::planRaw(const Edit &edit)
{
    auto place = TRY(rawPlace(*m_bundle, edit));
    TRY(m_recorder.write(place.file, place.offset, place.after));
    m_applied.bytes = m_recorder.take();
    m_applied.oldText = std::move(place.oldText);
    m_applied.newText = std::move(place.newText);
    m_applied.note = std::move(place.note);
    m_applied.asked = m_applied.stored = static_cast<double>(edit.stored);
    if (m_applied.bytes.empty() || place.values)
        return std::move(m_applied);
    // Whatever these bytes say may be read into the tables.
    m_applied.tables = true;
    auto reread = m_bundle->reread();
    if (!reread) {
        std::string message = "The files could not be opened any more: " + reread.error().message;
        return ErrorBuilder(std::move(reread.error())).message(std::move(message)).unexpected();
    }
    m_applied.breaks = whatBreaks(*m_bundle, **reread);
    if (!m_applied.breaks.empty())
        m_applied.note += (m_applied.note.empty() ? "breaks: " : "; breaks: ") + m_applied.breaks;
    m_bundle = std::move(*reread);
    return std::move(m_applied);
}

} // namespace kernscope::patch
