// SPDX-License-Identifier: GPL-3.0-or-later
// What the Plan dock is made of: the fields of what is asked for, the table and the plot.
#include "core/bundle/bundle.h"
#include "core/bundle/shapes/infer.h"
#include "widgets/chips/chip_box.h"
#include "widgets/chips/front_plot.h"
#include "widgets/chips/plan_dock.h"
#include "widgets/common/alike_names.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/flow_layout.h"
#include "widgets/common/number_field.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace kernscope::ui {

namespace {

QDoubleSpinBox *planNumberBox(QWidget *parent, const QString &prefix, const QString &name)
{
    auto *box = new DecimalBox(parent);
    box->setPrefix(prefix);
    box->setAccessibleName(name);
    return box;
}

QComboBox *chooserBox(QWidget *parent, const QString &name,
                      std::initializer_list<std::pair<QString, QString>> items)
{
    auto *box = new QComboBox(parent);
    box->setAccessibleName(name);
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(8);
    for (const auto &[text, data] : items)
        box->addItem(text, data);
    return box;
}

} // namespace

void PlanDock::buildBars(QWidget *content, QVBoxLayout *column)
{
    auto *fields = new QWidget(content);
    auto *bar = new FlowLayout(fields); // a narrow dock has two lines: nothing is cut
    bar->addWidget(sharedChipBox(m_state, content));
    m_chips = new QMenu(tr("Further Chips"), this);
    m_further = new QToolButton(content);
    m_further->setPopupMode(QToolButton::InstantPopup);
    m_further->setMenu(m_chips);
    m_further->setAccessibleName(tr("Further chips"));
    m_further->setToolTip(tr("A form must be one that all of the chips take; a layer counts with "
                             "its slowest chip"));
    bar->addWidget(m_further);
    fillChips();
    m_goal = chooserBox(content, tr("What is to be least"),
                        {{tr("least time or bytes"), QString()},
                         {tr("least time"), QStringLiteral("time")},
                         {tr("least stored bytes"), QStringLiteral("stored")},
                         {tr("least bytes moved"), QStringLiteral("moved")},
                         {tr("least error"), QStringLiteral("error")}});
    m_goal->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_goal->setItemData(0, tr("Least time, or least stored bytes where times are not known"),
                        Qt::ToolTipRole);
    m_tolerance = planNumberBox(content, tr("error of a layer \u2264 "), tr("Tolerance"));
    m_tolerance->setDecimals(4);
    m_tolerance->setRange(0, 10);
    m_tolerance->setSingleStep(0.005);
    m_tolerance->setValue(0.01);
    m_maxBytes = planNumberBox(content, tr("stored \u2264 "), tr("Most stored bytes"));
    m_maxBytes->setDecimals(0);
    m_maxBytes->setRange(0, 1e15);
    m_maxBytes->setSingleStep(1024);
    m_maxBytes->setSpecialValueText(tr("any stored bytes"));
    m_maxBytes->setSuffix(tr(" B"));
    for (QWidget *widget : std::initializer_list<QWidget *>{m_goal, m_tolerance, m_maxBytes})
        bar->addWidget(widget);
    buildErrors(content, bar);
    column->addWidget(fields);
    m_facts = new QLabel(content);
    m_facts->setTextFormat(Qt::RichText);
    m_facts->setWordWrap(true);
    m_facts->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_facts);
}

void PlanDock::buildTable(QWidget *content, QVBoxLayout *column)
{
    m_model = new PlanModel(this);
    auto *splitter = new QSplitter(Qt::Horizontal, content);
    splitter->setChildrenCollapsible(false);
    m_table = new QTableView(splitter);
    m_table->setAccessibleName(tr("Planned forms"));
    m_table->setModel(m_model);
    prepareTable(m_table);
    setColumnWidths(m_table->horizontalHeader(), {12, 5, 9, 6, 6, 5, 6, 7, 16});
    new AlikeNames(m_table, m_model->columnOf("weight"));
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_plot = new FrontPlot(splitter);
    m_plot->setMinimumHeight(theme::em(this, 9));
    splitter->addWidget(m_table);
    splitter->addWidget(m_plot);
    splitter->setStretchFactor(0, 3);
    splitter->setStretchFactor(1, 2);
    column->addWidget(splitter, 1);
    auto *bar = new QHBoxLayout;
    m_form = chooserBox(content, tr("Form by hand"), {});
    m_form->setMinimumContentsLength(16);
    m_form->setToolTip(tr("The form of the selected weight; the rest is planned again"));
    m_axis = chooserBox(content, tr("What the error is drawn against"),
                        {{tr("against stored bytes"), {}}, {tr("against time"), {}}});
    m_axis->setMinimumContentsLength(14);
    m_write = new QPushButton(tr("Write\u2026"), content);
    m_told = new QLabel(content);
    m_told->setWordWrap(true);
    m_told->setTextInteractionFlags(Qt::TextSelectableByMouse);
    bar->addWidget(m_form, 2);
    bar->addWidget(m_told, 3);
    bar->addWidget(m_axis, 1);
    bar->addWidget(m_write);
    column->addLayout(bar);
    connect(m_write, &QPushButton::clicked, this, &PlanDock::askAndWrite);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this] {
        fillForms();
        if (!m_following && m_survey && currentRow() < m_survey->rows.size())
            session().goToWeight(m_survey->rows[currentRow()].weight, this);
    });
}

void PlanDock::fillChips()
{
    m_chips->clear();
    for (const target::Target *target : allTargets()) {
        QAction *action = m_chips->addAction(
            fromUtf8(target->name + (target->silicon.empty() ? "" : " (" + target->silicon + ")")));
        action->setCheckable(true);
        action->setChecked(m_furtherNames.count(target->name) > 0);
        connect(action, &QAction::toggled, this, [this, name = target->name](bool on) {
            auto names = m_furtherNames;
            if (on)
                names.insert(name);
            else
                names.erase(name);
            m_furtherNames = names;
            m_further->setText(names.empty() ? tr("one chip")
                                             : tr("and %n more", nullptr, int(names.size())));
            scheduleRefresh();
        });
    }
    m_further->setText(m_furtherNames.empty()
                           ? tr("one chip")
                           : tr("and %n more", nullptr, int(m_furtherNames.size())));
}

/// What is asked of errors besides those of a layer, and where shapes are given.
void PlanDock::buildErrors(QWidget *content, QLayout *bar)
{
    m_total = planNumberBox(content, tr("error of the network \u2264 "), tr("Total tolerance"));
    m_total->setDecimals(4);
    m_total->setRange(0, 10);
    m_total->setSingleStep(0.005);
    m_total->setSpecialValueText(tr("any error of the network"));
    m_errors = chooserBox(content, tr("What errors are taken from"),
                          {{tr("errors of weights"), {}}, {tr("errors of outputs"), {}}});
    m_errors->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_errors->setItemData(1, tr("Of a layer's outputs, through the engine's reduction; slower"),
                          Qt::ToolTipRole);
    m_shapes = new QPushButton(content);
    m_shapes->setAccessibleName(tr("Shapes of inputs"));
    m_shapes->hide();
    for (QWidget *widget : std::initializer_list<QWidget *>{m_total, m_errors, m_shapes})
        bar->addWidget(widget);
}

/// The button for the document's shapes, where the program leaves any open.
void PlanDock::showShapes()
{
    const BundlePtr &bundle = session().bundle();
    const bool bound = bundle && bundle->shapeBindings();
    m_shapes->setVisible(bound || (bundle && !bundle->openInputs().empty()));
    m_shapes->setText(bound ? tr("shapes of inputs given\u2026")
                            : tr("shapes of inputs open\u2026"));
    m_shapes->setToolTip(tr("Times and moved bytes that depend on them are known with them only; "
                            "they hold for the whole window"));
}

} // namespace kernscope::ui
