// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/collective_dock.h"

#include "core/report/collective_table.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/labels.h"
#include "widgets/common/number_field.h"
#include "widgets/common/qt.h"
#include "widgets/models/theme.h"

namespace kernscope::ui {

namespace {

/// The parts of "2 x 4", "2x4", "2,4".
QStringList numberParts(QString text)
{
    static const QRegularExpression times(QStringLiteral("(?<![0-9])([1-9][0-9]*)x"));
    static const QRegularExpression separator(QStringLiteral("[\\s,\u00D7]+(x[\\s]+)?"));
    return text.replace(times, QStringLiteral("\\1 ")).split(separator, Qt::SkipEmptyParts);
}

QString listFault(const QStringList &parts)
{
    for (const QString &part : parts) {
        if (const QString why = NumberRule{true, true, 0}.fault(part); !why.isEmpty())
            return why;
    }
    return {};
}

/// None where one of them is no number: the core says what is missing.
std::vector<std::uint64_t> numbers(const QString &text)
{
    std::vector<std::uint64_t> list;
    const QStringList parts = numberParts(text);
    for (const QString &part : listFault(parts).isEmpty() ? parts : QStringList())
        list.push_back(static_cast<std::uint64_t>(typedInteger(part).value_or(0)));
    return list;
}

} // namespace

CollectiveDock::CollectiveDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("collective"), tr("Collective"), parent),
      m_state(ChipState::of(session))
{
    m_model = new EngineFactModel(report::collectiveFactTable(), this);
    auto *content = new QWidget(this);
    auto *predicted =
        new QLabel(tr("%1 <b>Predicted, not measured.</b> The compiler holds this layer decoded "
                      "but gated off: "
                      "its enable byte is 0 on all 28 targets and every register setter is a stub.")
                       .arg(theme::glyph(Token::MarkAssumed)),
                   content);
    predicted->setTextFormat(Qt::RichText);
    predicted->setWordWrap(true);
    QWidget *inputs = buildInputs(content);
    m_table = makeTable(content, tr("Figures of the collective layer"), m_model, {21, 8, 24, 14});
    m_table->setSortingEnabled(false);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_tabs = new QTabWidget(content);
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_table, tr("Figures"));
    addRows(tr("Setters"), report::ccdmaSetterTable(), decision::ccdmaSetters());
    addRows(tr("Members and rules"), report::collectiveNoteTable(), decision::collectiveNotes());
    laidOut(contentColumn(content),
            {predicted, {parted(Qt::Horizontal, {inputs, {m_tabs, 1}}), 1}});
    setContent(content, m_table);
    auto *copy = dockAction(this, tr("Copy Rows"), QKeySequence::Copy, [this] {
        copySelection(*qobject_cast<QTableView *>(m_tabs->currentWidget()));
    });
    m_actions = {copy};
    for (int i = 0; i < m_tabs->count(); ++i)
        m_tabs->widget(i)->addActions(m_actions);
    connect(&m_state, &ChipState::targetChanged, this, &CollectiveDock::scheduleRefresh);
}

/// A page of rows that no chip changes.
template <class Row>
void CollectiveDock::addRows(const QString &name, const report::TableOf<Row> &table,
                             std::span<const Row> rows)
{
    auto *model = new RowTable<Row>(table, this);
    model->setRows({rows.begin(), rows.end()});
    auto *view = makeTable(m_tabs, name, model);
    view->resizeColumnsToContents();
    view->horizontalHeader()->setStretchLastSection(true);
    m_tabs->addTab(view, name);
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
    auto *edit = named(new QLineEdit(text, parent), name);
    connect(edit, &QLineEdit::textChanged, this, &CollectiveDock::scheduleRefresh);
    showFaults(edit, [this, edit](const QString &typed) {
        // A tensor axis that is not sharded has nothing, or a dash, between its commas.
        const QStringList axes = QString(typed).remove(QLatin1Char('-')).split(QLatin1Char(','));
        return listFault(edit == m_axes ? axes : numberParts(typed));
    });
    return edit;
}

QSpinBox *CollectiveDock::spin(QWidget *parent, const QString &name, int value, int most)
{
    auto *box = integerBox(parent, name, 0, most);
    box->setValue(value);
    connect(box, &QSpinBox::valueChanged, this, &CollectiveDock::scheduleRefresh);
    return box;
}

report::CollectiveAsked CollectiveDock::asked() const
{
    report::CollectiveAsked asked;
    asked.mesh = {numbers(m_extents->text()), static_cast<std::size_t>(m_dieAxis->value()),
                  static_cast<std::uint64_t>(m_engines->value())};
    asked.device = numbers(m_device->text());
    asked.index = static_cast<std::uint64_t>(m_index->value());
    asked.tensor = numbers(m_tensor->text());
    for (const QString &part : m_axes->text().split(QLatin1Char(','))) {
        const auto axis = typedInteger(part);
        asked.axes.push_back(axis && *axis >= 0 ? std::optional<std::size_t>(*axis) : std::nullopt);
    }
    asked.reduction = static_cast<std::uint32_t>(m_reduction->value());
    asked.dataType = static_cast<std::uint32_t>(m_dataType->value());
    return asked;
}

void CollectiveDock::refresh()
{
    m_model->setRows(report::collectiveFacts(asked(), m_state.target()));
    showContent();
}

} // namespace kernscope::ui

#include "moc_collective_dock.cpp"
