// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/collective_dock.h"

#include "widgets/chips/chip_box.h"
#include "widgets/chips/chip_words.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QAction>
#include <QFormLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QRegularExpression>
#include <QSpinBox>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

namespace kernscope::ui {

namespace {

using Rows = std::vector<FactTableModel::Row>;

/// "2 x 4", "2,4": the numbers; what is none counts as 0 and is refused by the core.
std::vector<std::uint64_t> numbers(const QString &text)
{
    static const QRegularExpression separator(QStringLiteral("[^0-9]+"));
    std::vector<std::uint64_t> list;
    for (const QString &part : text.split(separator, Qt::SkipEmptyParts))
        list.push_back(part.toULongLong());
    return list;
}

QString joined(const std::vector<std::uint64_t> &list)
{
    QStringList parts;
    for (const std::uint64_t number : list)
        parts << QString::number(number);
    return parts.join(QStringLiteral(", "));
}

void add(Rows &rows, const QString &what, const QString &value, const QString &remark,
         const QString &source)
{
    FactTableModel::Row row;
    row.push_back({what});
    row.push_back({value});
    row.push_back({remark, {}, remark});
    row.push_back({source});
    rows.push_back(std::move(row));
}

void section(Rows &rows, const QString &title)
{
    FactTableModel::Row row(4);
    row[0].text = title;
    row[0].strong = true;
    rows.push_back(std::move(row));
}

template <class T>
QString fault(const Result<T> &result)
{
    return fromUtf8(result.error().message) + CollectiveDock::tr(" (%1: found %2, expected %3)")
                                                  .arg(fromUtf8(result.error().field),
                                                       fromUtf8(result.error().found),
                                                       fromUtf8(result.error().expected));
}

} // namespace

CollectiveDock::CollectiveDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("collective"), tr("Collective"), parent),
      m_state(ChipState::of(session))
{
    m_model = new FactTableModel({tr("what"), tr("value"), tr("remark"), tr("source")}, {}, this);
    auto *content = new QWidget(this);
    auto *predicted =
        new QLabel(tr("%1 <b>Predicted, not measured.</b> The compiler holds this layer decoded "
                      "but gated off: "
                      "its enable byte is 0 on all 28 targets and every register setter is a stub.")
                       .arg(theme::glyph(Token::MarkAssumed)),
                   content);
    predicted->setWordWrap(true);
    QWidget *inputs = buildInputs(content);
    m_table = new QTableView(content);
    m_table->setAccessibleName(tr("Figures of the collective layer"));
    m_table->setModel(m_model);
    prepareTable(m_table);
    m_table->setSortingEnabled(false);
    setColumnWidths(m_table->horizontalHeader(), {17, 10, 24, 14});
    m_table->horizontalHeader()->setStretchLastSection(true);
    auto *parts = new QSplitter(Qt::Horizontal, content);
    parts->addWidget(inputs);
    parts->addWidget(m_table);
    parts->setStretchFactor(1, 1);
    QVBoxLayout *column = contentColumn(content);
    column->addWidget(predicted);
    column->addWidget(parts, 1);
    setContent(content);
    content->setFocusProxy(m_table);
    auto *copy =
        dockAction(this, tr("Copy Rows"), QKeySequence::Copy, [this] { copySelection(*m_table); });
    m_actions = {copy};
    m_table->addActions(m_actions);
    connect(&m_state, &ChipState::targetChanged, this, &CollectiveDock::scheduleRefresh);
}

QWidget *CollectiveDock::buildInputs(QWidget *content)
{
    auto *inputs = new QWidget(content);
    auto *form = new QFormLayout(inputs);
    form->addRow(tr("Chip"), sharedChipBox(m_state, inputs));
    m_extents = field(inputs, tr("Mesh extents"), QStringLiteral("2 x 4"));
    form->addRow(tr("Mesh extents"), m_extents);
    m_dieAxis = spin(inputs, tr("Die axis"), 1, 64);
    form->addRow(tr("Die axis"), m_dieAxis);
    m_engines = spin(inputs, tr("Engines a die"), 4, 1'000'000);
    form->addRow(tr("Engines a die"), m_engines);
    m_device = field(inputs, tr("Device"), QStringLiteral("1, 2"));
    form->addRow(tr("Device"), m_device);
    m_index = spin(inputs, tr("Engine index"), 6, 1'000'000'000);
    form->addRow(tr("Engine index"), m_index);
    m_tensor = field(inputs, tr("Tensor"), QStringLiteral("64, 128"));
    form->addRow(tr("Tensor"), m_tensor);
    m_axes = field(inputs, tr("Sharded over mesh axes"), QStringLiteral("0, 1"));
    form->addRow(tr("Mesh axis of each tensor axis"), m_axes);
    m_reduction = spin(inputs, tr("Reduction type"), 1, 255);
    form->addRow(tr("Reduction type"), m_reduction);
    m_dataType = spin(inputs, tr("Atomic data type"), 3, 0xffffff);
    form->addRow(tr("Atomic data type"), m_dataType);
    return inputs;
}

QLineEdit *CollectiveDock::field(QWidget *parent, const QString &name, const QString &text)
{
    auto *edit = new QLineEdit(text, parent);
    edit->setAccessibleName(name);
    connect(edit, &QLineEdit::textChanged, this, &CollectiveDock::scheduleRefresh);
    return edit;
}

QSpinBox *CollectiveDock::spin(QWidget *parent, const QString &name, int value, int most)
{
    auto *box = new QSpinBox(parent);
    box->setRange(0, most);
    box->setValue(value);
    box->setAccessibleName(name);
    connect(box, &QSpinBox::valueChanged, this, &CollectiveDock::scheduleRefresh);
    return box;
}

decision::Mesh CollectiveDock::mesh() const
{
    return {numbers(m_extents->text()), static_cast<std::size_t>(m_dieAxis->value()),
            static_cast<std::uint64_t>(m_engines->value())};
}

void CollectiveDock::addMesh(Rows &rows) const
{
    section(rows, tr("Mesh"));
    const auto given = mesh();
    const auto count = decision::deviceCount(given);
    add(rows, tr("devices"), count ? groupedNumber(*count) : tr("\u2715 refused"),
        count ? QString() : fault(count), tr("chapter 36"));
    const auto index = decision::aneIndex(given, numbers(m_device->text()));
    add(rows, tr("engine index of (%1)").arg(joined(numbers(m_device->text()))),
        index ? groupedNumber(*index) : tr("\u2715 refused"),
        index ? tr("inner axes, last fastest, plus the die, axis 0 fastest, times the engines")
              : fault(index),
        tr("AneIndexFromDeviceId"));
    const auto device =
        decision::deviceOfIndex(given, static_cast<std::uint64_t>(m_index->value()));
    add(rows, tr("device of index %1").arg(m_index->value()),
        device ? joined(*device) : tr("\u2715 refused"), device ? QString() : fault(device),
        tr("DeviceIdFromAneIndex (inverse assumed)"));
}

void CollectiveDock::addSharding(Rows &rows) const
{
    section(rows, tr("Sharding"));
    std::vector<std::optional<std::size_t>> axes;
    for (const QString &part : m_axes->text().split(QLatin1Char(','))) {
        bool isNumber = false;
        const auto axis = part.trimmed().toULongLong(&isNumber);
        axes.push_back(isNumber ? std::optional<std::size_t>(axis) : std::nullopt);
    }
    const auto sharding = decision::checkSharding(mesh(), numbers(m_tensor->text()), axes);
    for (const decision::ShardCheck &check : sharding.checks)
        add(rows, fromUtf8(check.name), check.passes ? tr("\u2713 holds") : tr("\u2715 fails"),
            fromUtf8(check.found), tr("chapter 36"));
    add(rows, tr("one device's part"),
        sharding.valid() ? joined(sharding.shard) : tr("\u2715 refused"), {}, tr("chapter 36"));
}

void CollectiveDock::addReductions(Rows &rows) const
{
    section(rows, tr("Reductions and operations"));
    for (const decision::ReductionToken &token : decision::reductionTokens())
        add(rows, tr("token %1").arg(fromUtf8(token.token)), QString::number(token.kind), {},
            tr("table 36.5"));
    const auto atomic = decision::atomicOperation(static_cast<std::uint32_t>(m_reduction->value()));
    add(rows, tr("atomic of reduction type %1").arg(m_reduction->value()),
        atomic ? QString::number(*atomic) : tr("\u2715 refused"),
        atomic ? tr("another numbering than the tokens: the two are not chained") : fault(atomic),
        tr("table 36.6"));
    if (atomic) {
        const auto word =
            decision::atomicWord(*atomic, static_cast<std::uint32_t>(m_dataType->value()));
        add(rows, tr("packed atomic word"), word ? hexNumber(*word, 8) : tr("\u2715 refused"),
            tr("(operation & 0xff) | (data type << 8)"), tr("chapter 36"));
    }
    for (const decision::CollectiveOp &op : decision::collectiveOps())
        add(rows, fromUtf8(op.mnemonic),
            op.unitType ? tr("unit type %1").arg(*op.unitType) : tr("no unit type"),
            fromUtf8(op.role), fromUtf8(op.source));
}

void CollectiveDock::addGates(Rows &rows) const
{
    section(rows, tr("Capability bytes of %1").arg(fromUtf8(m_state.target().name)));
    for (const decision::CollectiveByte &byte : decision::collectiveBytes()) {
        const auto *value =
            target::halValue(m_state.target(), target::HalLayout::Chapters, byte.offset);
        add(rows, fromUtf8(byte.capability + " " + target::halOffsetText(byte.offset)),
            value ? fromUtf8(value->text) : tr("unknown"), {},
            value ? fromUtf8(value->source) : fromUtf8(byte.source));
    }
    for (const decision::CollectiveGate &gate : decision::collectiveGates(m_state.target()))
        add(rows, fromUtf8(gate.name),
            gate.open ? (*gate.open ? tr("open") : tr("\u2715 closed")) : tr("unknown"),
            fromUtf8(gate.found), fromUtf8(gate.source));
}

void CollectiveDock::refresh()
{
    Rows rows;
    addMesh(rows);
    addSharding(rows);
    addReductions(rows);
    addGates(rows);
    m_model->setRows(std::move(rows));
    showContent();
}

} // namespace kernscope::ui
