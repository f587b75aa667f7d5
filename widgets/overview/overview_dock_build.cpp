// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of the overview.
#include "widgets/overview/overview_dock.h"

#include "widgets/common/card_frame.h"
#include "widgets/common/design.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/elided_label.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/segmented.h"
#include "widgets/common/theme.h"
#include "widgets/overview/picture_export.h"
#include "widgets/overview/time_card.h"
#include "widgets/overview/treemap_view.h"
#include "widgets/overview/weight_names.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <array>
#include <tuple>
#include <utility>

namespace kernscope::ui {

OverviewDock::OverviewDock(Session &session, QWidget *parent)
    : Dock(session, QStringLiteral("overview"), tr("Overview"), parent),
      m_chips(ChipState::of(session)), m_names(WeightNames::of(session))
{
    using design::Space;
    auto *content = new QWidget(this);
    auto *column = new QVBoxLayout(content);
    const int gap = design::space(this, Space::Medium);
    column->setContentsMargins(gap, design::space(this, Space::Small), gap, gap);
    column->setSpacing(design::space(this, Space::Small));
    m_title = design::label({}, design::Type::Title, content);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_facts = new ElidedLabel(Qt::ElideRight, content);
    m_facts->setFont(design::type(font(), design::Type::Small));
    m_facts->setForegroundRole(QPalette::PlaceholderText);
    m_described = new QLabel(content);
    m_described->setTextFormat(Qt::RichText);
    m_described->setWordWrap(true);
    m_described->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_described->setAccessibleName(tr("Description of the model"));
    auto *head = new QHBoxLayout;
    head->addWidget(design::label(tr("Where the bytes are"), design::Type::Heading, content), 1);
    head->addWidget(buildSwitch(content));
    m_map = new TreemapView(content);
    m_map->setMinimumHeight(theme::em(this, 9));
    m_legend = new QLabel(content);
    m_legend->setTextFormat(Qt::RichText);
    m_legend->setWordWrap(true);
    m_findings = new QLabel(content);
    m_findings->setTextFormat(Qt::RichText);
    m_findings->setWordWrap(true);
    m_findings->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_findings->setAccessibleName(tr("Worth a look"));
    column->addWidget(m_title);
    column->addWidget(m_facts);
    column->addWidget(m_described);
    column->addLayout(buildCards(content));
    column->addLayout(head);
    column->addWidget(m_map, 1);
    column->addWidget(m_legend);
    column->addWidget(m_findings);
    setContent(content);
    content->setFocusProxy(m_map);
    connectParts();
    m_actions += dockAction(this, tr("Look Over All Values"), {}, [this] {
        if (!m_shown)
            return;
        if (!m_sums && !m_summing)
            sumUp(); // was cancelled
        examine(true);
        showTotals();
    });
    m_actions += dockAction(this, tr("Export Treemap\u2026"), {}, [this] {
        const QString path = askSavePath(this, tr("Export Picture"), QStringLiteral("treemap.png"),
                                         tr("PNG picture (*.png);;PDF (*.pdf)"));
        const QString why = path.isEmpty() ? QString() : exportWidgetPicture(*m_map, path);
        if (!why.isEmpty())
            Q_EMIT this->session().statusMessage(why);
    });
    m_map->addActions(m_actions);
    m_map->setContextMenuPolicy(Qt::ActionsContextMenu);
}

QLayout *OverviewDock::buildCards(QWidget *parent)
{
    auto *cards = new QHBoxLayout;
    cards->setSpacing(design::space(this, design::Space::Medium));
    m_stored = addCard(parent, cards, tr("Weights stored"));
    m_moved = addCard(parent, cards, tr("Weights read per call"));
    m_time = new TimeCard(parent);
    cards->addWidget(m_time, 1);
    m_odd = addCard(parent, cards, tr("Worth a look"));
    return cards;
}

OverviewDock::Card OverviewDock::addCard(QWidget *parent, QHBoxLayout *row, const QString &title)
{
    auto *card = new CardFrame(parent);
    auto *column = qobject_cast<QVBoxLayout *>(card->layout());
    Card made;
    made.value = design::label({}, design::Type::Figure, card);
    made.note = design::label({}, design::Type::Small, card);
    made.note->setWordWrap(true);
    made.note->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    column->addWidget(design::label(title, design::Type::Small, card));
    column->addWidget(made.value);
    column->addWidget(made.note, 1);
    row->addWidget(card, 1);
    return made;
}

QWidget *OverviewDock::buildSwitch(QWidget *parent)
{
    auto *box = new Segmented(tr("Colours of the treemap"), parent);
    auto *group = new QActionGroup(this);
    const std::array words{
        std::tuple{Colors::Form, tr("Colour by Form"), tr("Form")},
        std::tuple{Colors::Outcome, tr("Colour by Outcome"), tr("Outcome")},
        std::tuple{Colors::Zeros, tr("Colour by Zeros"), tr("Zeros")},
        std::tuple{Colors::Error, tr("Colour by Error Against\u2026"), tr("Error against\u2026")}};
    for (const auto &[colors, text, word] : words) {
        auto *action = new QAction(text, group);
        action->setIconText(word);
        action->setCheckable(true);
        action->setChecked(colors == m_colors);
        connect(action, &QAction::triggered, this, [this, wanted = colors] { setColors(wanted); });
        m_actions += action;
        box->add(action);
    }
    return box;
}

} // namespace kernscope::ui
