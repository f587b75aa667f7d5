// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/docks/formats_dock.h"

#include "widgets/docks/dock_tools.h"
#include "widgets/models/confidence_words.h"
#include "widgets/models/formats_model.h"
#include "widgets/models/table_text.h"
#include "widgets/views/flow_layout.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QTableView>
#include <QVBoxLayout>

namespace kernscope::ui {

namespace {

/// A word and what belongs to it, kept together where the bar breaks.
QWidget *labelled(QWidget *parent, const QString &word, QWidget *field, const QString &tip)
{
    auto *box = new QWidget(parent);
    auto *row = new QHBoxLayout(box);
    row->setContentsMargins(0, 0, 0, 0);
    auto *label = new QLabel(word, box);
    label->setBuddy(field);
    row->addWidget(label);
    row->addWidget(field);
    field->setAccessibleName(word);
    field->setToolTip(tip);
    return box;
}

QSpinBox *numberBox(QWidget *parent, int least, int most)
{
    auto *box = new QSpinBox(parent);
    box->setRange(least, most);
    return box;
}

} // namespace

FormatsDock::FormatsDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("formats"), tr("Formats"), parent),
      m_model(new FormatsModel(this))
{
    auto *content = new QWidget(this);
    QVBoxLayout *column = contentColumn(content);
    m_table = new QTableView(content);
    m_table->setAccessibleName(tr("Kernel formats"));
    m_table->setModel(m_model);
    prepareTable(m_table);
    setColumnWidths(m_table->horizontalHeader(), {3.5, 6, 6.5, 3.5, 5, 5, 5, 4, 15, 9});
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_filter = filterBox(content, tr("Filter by name, type, rule or source"), m_table);
    connect(m_filter, &QLineEdit::textChanged, m_model, &FormatsModel::setFilter);
    column->addWidget(m_filter);
    buildChoosers(content);
    column->addWidget(m_table, 1);
    m_rules = new QLabel(content);
    m_rules->setWordWrap(true);
    m_rules->setTextFormat(Qt::PlainText);
    m_rules->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_rules->setAccessibleName(tr("Rules of the selected format"));
    column->addWidget(m_rules);
    setContent(content);
    content->setFocusProxy(m_table);
    buildActions();
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &FormatsDock::explain);
    connect(m_model, &QAbstractItemModel::modelReset, this, &FormatsDock::explain);
    choose();
    showContent();
}

void FormatsDock::buildChoosers(QWidget *parent)
{
    auto *bar = new QWidget(parent);
    auto *flow = new FlowLayout(bar);
    m_version = numberBox(bar, 5, 40);
    m_vector = numberBox(bar, 1, 16);
    m_codebooks = numberBox(bar, 1, 65536);
    m_e4m3 = new QComboBox(bar);
    m_e4m3->addItems({tr("unknown"), tr("0: no"), tr("1: yes")});
    flow->addWidget(labelled(bar, tr("Descriptor version"), m_version,
                             tr("Instruction-set version of the chip's task descriptors: 5 on the "
                                "first generation, 20 where E4M3 has an encoder")));
    flow->addWidget(labelled(bar, tr("Vector"), m_vector,
                             tr("Output channels that share one palette entry (mask 0x36)")));
    flow->addWidget(labelled(bar, tr("Codebooks"), m_codebooks, tr("Codebooks of a palette")));
    flow->addWidget(labelled(bar, tr("E4M3 byte"), m_e4m3,
                             tr("Byte 0x52d of the chip's hardware-abstraction table")));
    for (QSpinBox *box : {m_version, m_vector, m_codebooks})
        connect(box, &QSpinBox::valueChanged, this, &FormatsDock::choose);
    connect(m_e4m3, &QComboBox::currentIndexChanged, this, &FormatsDock::choose);
    parent->layout()->addWidget(bar);
}

void FormatsDock::buildActions()
{
    auto *find = findAction(this, tr("Filter Formats"), m_filter);
    auto *copy =
        dockAction(this, tr("Copy Rows"), QKeySequence::Copy, [this] { copySelection(*m_table); });
    auto *save = exportAction(this, session(), tr("Export Formats\u2026"), *m_model,
                              QStringLiteral("kernel-formats"));
    m_actions = {find, copy, save};
    m_table->addActions(m_actions);
}

void FormatsDock::refresh()
{
    showContent(); // the facts need no bundle
}

void FormatsDock::choose()
{
    FormatsModel::Target target;
    target.descriptorVersion = static_cast<unsigned>(m_version->value());
    target.vectorSize = static_cast<unsigned>(m_vector->value());
    target.codebooks = static_cast<std::uint64_t>(m_codebooks->value());
    if (m_e4m3->currentIndex() > 0)
        target.e4m3 = m_e4m3->currentIndex() == 2;
    const int row = m_table->currentIndex().row();
    m_model->setTarget(target);
    m_table->setCurrentIndex(m_model->index(std::max(0, row), 0));
}

QString FormatsDock::explanation() const
{
    return m_rules->text();
}

void FormatsDock::explain()
{
    const int row = m_table->currentIndex().row();
    if (row < 0 || row >= m_model->rowCount()) {
        m_rules->setText(tr("Select a format to see the rules that apply to it."));
        return;
    }
    const format::KernelFormatRow &format = m_model->rowAt(row);
    QStringList lines{tr("%1 (%2), %3: %4")
                          .arg(fromUtf8(format.name))
                          .arg(format.format.value)
                          .arg(confidenceWords(format.confidence), fromUtf8(format.source))};
    if (!format.note.empty())
        lines << fromUtf8(format.note);
    for (const format::LegalityRule &rule : m_model->legalityAt(row).rules) {
        const QString mark = rule.state == format::RuleState::Passes    ? QStringLiteral("\u25b6")
                             : rule.state == format::RuleState::Refuses ? QStringLiteral("\u2715")
                                                                        : QStringLiteral("?");
        lines << tr("%1 %2: wants %3, found %4 (%5, %6)")
                     .arg(mark, fromUtf8(rule.name), fromUtf8(rule.required), fromUtf8(rule.found),
                          fromUtf8(rule.source), confidenceWords(rule.confidence));
    }
    if (m_model->legalityAt(row).rules.empty())
        lines << tr("No rule of the chapters applies to this format.");
    m_rules->setText(lines.join(u'\n'));
}

} // namespace kernscope::ui
