// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/hardware/descriptor_dock.h"

#include "core/bundle/bundle.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/qt.h"
#include "widgets/common/table_tools.h"
#include "widgets/hardware/hardware_facts.h"
#include "widgets/models/table_text.h"

namespace kernscope::ui {

namespace {

/// More tasks than a person chooses from in a list; the Tasks dock has them all.
constexpr std::size_t kMostUnits = 2000;

} // namespace

DescriptorDock::DescriptorDock(Session &session, QWidget *parent)
    : Dock(session, u"descriptor"_s, tr("Descriptor"), parent),
      m_model(new FactTreeModel(factColumns(report::unitSectionTable), this))
{
    auto *content = new QWidget(this);
    QVBoxLayout *column = contentColumn(content);
    m_chooser = narrowChooser(content, tr("Kernel unit"), 16);
    auto *label = new QLabel(tr("Unit of:"), content);
    label->setBuddy(m_chooser);
    auto *bar = laidOut(new QHBoxLayout, {label, {m_chooser, 1}});
    m_view = factTable(content, m_model, tr("Sections of the kernel unit"));
    m_view->setSortingEnabled(false);
    setColumnWidths(m_view->header(), {6, 9, 4, 7, 7, 24});
    m_listing = new QPlainTextEdit(content);
    m_listing->setReadOnly(true);
    m_listing->setAccessibleName(tr("Listing of the kernel unit"));
    m_listing->setFont(fixedFont());
    m_listing->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_state = new QLabel(content);
    m_state->setWordWrap(true);
    laidOut(column, {bar, {parted(Qt::Vertical, {m_view, m_listing}), 1}, m_state});
    setContent(content, m_view);
    buildActions();
    connect(m_chooser, &QComboBox::currentIndexChanged, this, [this](int number) {
        showUnit(number);
        if (!m_following && number >= 0 && static_cast<std::size_t>(number) < m_units.size())
            this->session().goToBytes(0, m_units[static_cast<std::size_t>(number)].place, this);
    });
}

void DescriptorDock::buildActions()
{
    auto *copy = dockAction(this, tr("Copy Listing"), {},
                            [this] { QGuiApplication::clipboard()->setText(listing()); });
    auto *rows = copyAction(this, tr("Copy Rows"), m_view);
    m_actions = {copy, rows};
    m_view->addActions(m_actions);
}

QString DescriptorDock::listing() const
{
    return m_listing->toPlainText();
}

std::vector<DescriptorDock::Unit> DescriptorDock::unitsOfTasks(const Bundle &bundle) const
{
    std::vector<Unit> units;
    const hwx::Container &container = *bundle.hardware();
    const auto tiles = hwx::kernelTiles(container);
    for (std::size_t t = 0; t < container.texts.size(); ++t) {
        TaskSource source = taskSource(bundle, t);
        if (!source.reader)
            continue;
        const hwx::LaneFinder finder(container, *source.text, tiles);
        descriptor::TaskDetail detail;
        const std::size_t tasks = source.text->tasks->tasks.size();
        for (std::size_t i = 0; i < tasks && units.size() < kMostUnits; ++i) {
            source.reader->before(i);
            source.reader->read(i, detail);
            const auto lanes = finder.lanes(detail, *source.reader);
            auto unit = hwx::unitOfTask(detail, *source.reader, lanes);
            if (!unit)
                continue;
            Unit row;
            row.unit = std::move(*unit);
            row.title = tr("task %1").arg(i);
            row.place = {FileOffset(source.section->bytes->offset.value + detail.task.offset),
                         ByteCount(detail.task.bytes())};
            for (const hwx::KernelLane &lane : lanes) {
                if (lane.enabled && lane.tile)
                    row.parts.push_back({tiles[*lane.tile].fileOffset, tiles[*lane.tile].bytes});
            }
            units.push_back(std::move(row));
        }
    }
    return units;
}

std::vector<DescriptorDock::Unit> DescriptorDock::unitsOfSection(const Bundle &bundle) const
{
    std::vector<Unit> units;
    const section::WeightSection &section = *bundle.section();
    for (std::size_t i = 0; i < section.units.size() && i < kMostUnits; ++i) {
        const section::Unit &stored = section.units[i];
        Unit row;
        row.unit.unit = section::kernelUnit(stored);
        row.title =
            tr("%1, core %2 of %3").arg(fromUtf8(stored.name)).arg(stored.core).arg(stored.cores);
        row.place = {FileOffset(section.unitTable + i * section::kUnitBytes),
                     ByteCount(section::kUnitBytes)};
        if (stored.fault)
            row.fault = describe(*stored.fault);
        for (std::size_t kind = 0; kind < section::kKinds && !stored.fault; ++kind) {
            if (stored.has(static_cast<section::Kind>(kind)))
                row.parts.push_back(stored.range(static_cast<section::Kind>(kind)));
        }
        units.push_back(std::move(row));
    }
    return units;
}

QString DescriptorDock::needed() const
{
    const BundlePtr &bundle = session().bundle();
    if (!bundle)
        return tr("Open a hardware container or a weight section to see its kernel units "
                  "(Ctrl+O).");
    const QString name = fromUtf8(bundle->name());
    if (bundle->hardware())
        return tr("No task of %1 loads a kernel.").arg(name);
    return bundle->section() ? tr("%1 has no units.").arg(name)
                             : tr("%1 has no kernel units.\nOpen a hardware container (.hwx) or a "
                                  "weight section (.ksec).")
                                   .arg(name);
}

void DescriptorDock::refresh()
{
    const BundlePtr &bundle = session().bundle();
    m_following = true;
    m_units.clear();
    m_chooser->clear();
    m_model->setRows({});
    m_listing->clear();
    if (bundle && (bundle->hardware() || bundle->section())) {
        const BundleReadLock lock(*bundle);
        m_units = bundle->hardware() ? unitsOfTasks(*bundle) : unitsOfSection(*bundle);
        for (const Unit &unit : m_units)
            m_chooser->addItem(unit.title);
    }
    m_following = false;
    if (m_units.empty())
        return showMessage(needed());
    showUnit(m_chooser->currentIndex());
    showContent();
    followPlace();
}

void DescriptorDock::showUnit(int number)
{
    if (number < 0 || static_cast<std::size_t>(number) >= m_units.size())
        return;
    const hwx::TaskUnit &unit = m_units[static_cast<std::size_t>(number)].unit;
    std::vector<FactNode> rows;
    for (const report::UnitSectionFacts &facts : report::unitSections(unit)) {
        FactNode node = factNode(report::unitSectionTable, facts);
        if (!facts.note.empty())
            node.marks.push_back(facts.note.find("contested") != facts.note.npos
                                     ? Token::MarkContested
                                     : Token::MarkAssumed);
        rows.push_back(std::move(node));
    }
    m_model->setRows(std::move(rows));
    m_listing->setPlainText(linesFromUtf8(format::printKernelUnit(unit.unit)));
    const std::string &fault = m_units[static_cast<std::size_t>(number)].fault;
    const auto bytesOf = [&unit](format::KernelUnit::SectionId section) {
        const auto &content = unit.unit.sections[section];
        return content ? content->bytes : 0;
    };
    const std::string tables =
        report::tableBudgetText(bytesOf(format::KernelUnit::Pal), bytesOf(format::KernelUnit::Lut));
    m_state->setText(
        (tables.empty() ? QString() : tr("Tables: %1.").arg(fromUtf8(tables)) + u'\n') +
        (!fault.empty()                  ? fromUtf8(fault)
         : session().bundle()->section() ? tr("As the unit's record in the weight section has it.")
                                         : tr("Derived from the task's registers: a hardware "
                                              "container holds no such listing of "
                                              "its own.")));
}

void DescriptorDock::follow(const Place &place, QObject *origin)
{
    if (origin == this || !place.bytes)
        return;
    const FileOffset at = place.bytes->offset;
    for (std::size_t i = 0; i < m_units.size(); ++i) {
        const Unit &unit = m_units[i];
        const bool here = unit.place.contains(at) ||
                          std::any_of(unit.parts.begin(), unit.parts.end(),
                                      [at](const ByteRange &part) { return part.contains(at); });
        if (!here)
            continue;
        m_following = true;
        m_chooser->setCurrentIndex(static_cast<int>(i));
        m_following = false;
        return;
    }
}

} // namespace kernscope::ui

#include "moc_descriptor_dock.cpp"
