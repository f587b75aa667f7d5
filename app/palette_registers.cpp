// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/palette_registers.h"

#include "core/bundle/bundle.h"
#include "widgets/common/table_text.h"
#include "widgets/hardware/hardware_facts.h"

#include <QCoreApplication>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

namespace kernscope::app {

namespace {

struct RegisterWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::PaletteRegisters)
};

/// A register, or one of its fields. Points into the embedded tables.
struct Found {
    const descriptor::Register *reg = nullptr; ///< null: none is named at that address
    const descriptor::BitField *field = nullptr;
    std::uint32_t address = 0; ///< in bytes; in the header of a task the offset in it
    bool inHeader = false;
    std::uint64_t place = 0; ///< of the word in the file, in the first task that has it

    QString name() const
    {
        if (reg == nullptr)
            return RegisterWords::tr("register %1").arg(ui::hexNumber(address));
        QString words = ui::fromUtf8(reg->name);
        if (!inHeader) // whose words are called Header[2]
            words.prepend(ui::fromUtf8(reg->block) + QLatin1Char(' '));
        return field ? words + QLatin1Char(' ') + ui::fromUtf8(field->name) : words;
    }
    ui::Place at(std::uint64_t word) const
    {
        ui::Place at;
        at.file = 0;
        at.bytes = field ? ui::bytesOfField(word, *field)
                         : ByteRange{FileOffset(word), ByteCount(sizeof(std::uint32_t))};
        if (field)
            at.bits = ui::bitsOfField(*field);
        return at;
    }
};

/// Registers in the order in which tasks first write them.
class Collector
{
public:
    void addText(ui::TaskSource &source)
    {
        if (!source.reader)
            return;
        const auto &tasks = *source.text->tasks;
        const auto *map = descriptor::RegisterMap::of(tasks.version->registerMap);
        descriptor::TaskDetail detail;
        for (std::size_t i = 0; i < tasks.tasks.size(); ++i) {
            source.reader->read(i, detail);
            const std::uint64_t start = source.section->bytes->offset.value + detail.task.offset;
            for (std::uint32_t word = 0; word < detail.header.size(); ++word)
                if (const auto *reg = map ? map->header(word) : nullptr)
                    add(reg, 4 * word, true, start + 4 * word);
            for (const descriptor::RegisterWrite &write : detail.stream.writes)
                add(map ? map->find(write.address) : nullptr, write.address, false,
                    start + write.offset);
        }
    }
    std::vector<Found> take() { return std::move(m_found); }

private:
    void add(const descriptor::Register *reg, std::uint32_t address, bool inHeader,
             std::uint64_t place)
    {
        if (!m_seen.emplace(inHeader, address).second)
            return;
        m_found.push_back({reg, nullptr, address, inHeader, place});
        if (reg == nullptr)
            return;
        for (const descriptor::BitField &field : reg->fields)
            m_found.push_back({reg, &field, address, inHeader, place});
    }

    std::set<std::pair<bool, std::uint32_t>> m_seen;
    std::vector<Found> m_found;
};

/// The word of a register in the task that holds `offset`; nothing where that task has none.
std::optional<std::uint64_t> inTaskAt(const Bundle &bundle, FileOffset offset, const Found &found)
{
    for (std::size_t text = 0; text < bundle.hardware()->texts.size(); ++text) {
        ui::TaskSource source = ui::taskSource(bundle, text);
        if (!source.reader || !source.section->bytes->contains(offset))
            continue;
        const std::uint64_t begin = source.section->bytes->offset.value;
        const auto &tasks = source.text->tasks->tasks;
        const auto task = std::find_if(tasks.begin(), tasks.end(), [&](const auto &one) {
            return offset.value >= begin + one.offset &&
                   offset.value < begin + one.offset + one.bytes();
        });
        if (task == tasks.end())
            return std::nullopt;
        descriptor::TaskDetail detail;
        source.reader->read(static_cast<std::size_t>(task - tasks.begin()), detail);
        const std::uint64_t start = begin + task->offset;
        if (found.inHeader)
            return found.address / 4 < detail.header.size() ? std::optional(start + found.address)
                                                            : std::nullopt;
        const descriptor::RegisterWrite *write = detail.written(found.address);
        return write ? std::optional(start + write->offset) : std::nullopt;
    }
    return std::nullopt;
}

ui::Place placeOf(const Bundle &bundle, const ui::Place &now, const Found &found)
{
    std::uint64_t word = found.place;
    if (now.bytes) {
        const BundleReadLock lock(bundle);
        word = inTaskAt(bundle, now.bytes->offset, found).value_or(word);
    }
    return found.at(word);
}

} // namespace

PaletteIndex::Group registersOf(const BundlePtr &bundle, ui::Session &session, QObject *origin)
{
    PaletteIndex::Group group;
    group.kind = PaletteIndex::Kind::Register;
    if (!bundle->hardware())
        return group;
    Collector collector;
    for (std::size_t text = 0; text < bundle->hardware()->texts.size(); ++text) {
        ui::TaskSource source = ui::taskSource(*bundle, text);
        collector.addText(source);
    }
    const auto found = std::make_shared<const std::vector<Found>>(collector.take());
    for (const Found &one : *found)
        group.names += one.name();
    group.note = [found](std::size_t i) { return ui::hexNumber((*found)[i].address); };
    group.run = [found, bundle, &session, origin](std::size_t i) {
        session.goTo(placeOf(*bundle, session.place(), (*found)[i]), origin);
    };
    return group;
}

} // namespace kernscope::app
