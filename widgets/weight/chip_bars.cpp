// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/chip_bars.h"

#include "core/bundle/bundle.h"
#include "widgets/chips/chip_state.h"
#include "widgets/chips/chip_words.h"
#include "widgets/common/counted_words.h"
#include "widgets/common/design.h"
#include "widgets/common/share_bar.h"
#include "widgets/common/table_text.h"

#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>

namespace kernscope::ui {

/// Chips on which the same bytes cross.
struct AlikeChips {
    const TargetTotals *totals = nullptr;
    std::vector<const target::Target *> chips;
};

namespace {

constexpr std::size_t kMostRows = 6;
constexpr double kBarHeight = 0.7; // in ems

/// The chip of `first` and those alike before the others.
std::vector<AlikeChips> alikeChips(const DecisionTable &table, const target::Target &first)
{
    std::vector<AlikeChips> groups;
    for (std::size_t column = 0; column < table.columns(); ++column) {
        const TargetTotals &totals = table.totals(column);
        auto found = std::find_if(groups.begin(), groups.end(), [&totals](const AlikeChips &group) {
            return group.totals->bytesMoved == totals.bytesMoved &&
                   group.totals->movedOpen == totals.movedOpen;
        });
        if (found == groups.end())
            found = groups.insert(groups.end(), AlikeChips{&totals, {}});
        found->chips.push_back(&table.target(column));
    }
    std::stable_partition(groups.begin(), groups.end(), [&first](const AlikeChips &group) {
        return std::find(group.chips.begin(), group.chips.end(), &first) != group.chips.end();
    });
    return groups;
}

/// The chips of the group, `first` before the others.
std::vector<const target::Target *> chipsOf(const AlikeChips &group, const target::Target &first)
{
    std::vector<const target::Target *> chips = group.chips;
    std::stable_partition(chips.begin(), chips.end(),
                          [&first](const target::Target *chip) { return chip == &first; });
    return chips;
}

QString chipNames(const std::vector<const target::Target *> &chips)
{
    QStringList names;
    for (const target::Target *chip : chips)
        names += chipName(*chip);
    return names.join(QStringLiteral(", "));
}

/// "M1 and 20 more": the bars beside it need the room; the whole list is a tool tip.
QString briefNames(const std::vector<const target::Target *> &chips)
{
    const QString product = productWord(*chips.front(), true);
    const QString first = product.isEmpty() ? fromUtf8(chips.front()->name) : product;
    return chips.size() > 1 ? ChipBars::tr("%1 and %2 more").arg(first).arg(chips.size() - 1)
                            : first;
}

} // namespace

ChipBars::ChipBars(Session &session, QWidget *parent)
    : QWidget(parent), m_session(session), m_state(ChipState::of(session))
{
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    for (const auto signal : {&ChipState::tableChanged, &ChipState::targetChanged})
        connect(&m_state, signal, this, &ChipBars::showRows);
    showRows();
}

QString ChipBars::text() const
{
    return m_words.join(QLatin1Char('\n'));
}

void ChipBars::addNote(const QString &text)
{
    auto *note = design::label(text, design::Type::Small, m_body);
    note->setWordWrap(true);
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    note->setSizePolicy(policy);
    auto *grid = static_cast<QGridLayout *>(m_body->layout());
    grid->addWidget(note, grid->rowCount(), 0, 1, 3);
    m_words += text;
}

void ChipBars::showRows()
{
    delete m_body;
    m_words.clear();
    m_body = new QWidget(this);
    layout()->addWidget(m_body);
    auto *grid = new QGridLayout(m_body);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(design::space(this, design::Space::Medium));
    grid->setVerticalSpacing(design::space(this, design::Space::Hair));
    grid->setColumnStretch(1, 1);
    const auto &table = m_state.table();
    if (!table) {
        addNote(m_session.bundle() ? m_state.waitingText() : QString());
        m_body->show();
        return;
    }
    const std::vector<AlikeChips> groups = alikeChips(*table, m_state.target());
    std::uint64_t most = 1;
    for (const AlikeChips &group : groups)
        most = std::max(most, group.totals->bytesMoved);
    for (std::size_t i = 0; i < groups.size() && i < kMostRows; ++i) {
        addRow(static_cast<int>(i), groups[i], most);
    }
    if (groups.size() > kMostRows)
        addNote(tr("and %1 other figures: see Stream or Fold").arg(groups.size() - kMostRows));
    m_body->show();
}

/// Chips that move the same bytes: their names, a bar as a share of the most, the figure.
void ChipBars::addRow(int row, const AlikeChips &group, std::uint64_t most)
{
    auto *grid = static_cast<QGridLayout *>(m_body->layout());
    const bool known = group.totals->movedOpen == 0;
    const auto members = chipsOf(group, m_state.target());
    const QString all = chipNames(members);
    const QString bytes = group.totals->movedOpen == m_state.table()->rows() ? tr("not known")
                          : known ? tr("%1 B").arg(groupedNumber(group.totals->bytesMoved))
                                  : tr("\u2265 %1 B").arg(groupedNumber(group.totals->bytesMoved));
    auto *chips = new QLabel(m_body);
    chips->setTextFormat(Qt::RichText);
    chips->setText(QStringLiteral("<a href=\"%1\">%2</a>")
                       .arg(fromUtf8(group.chips.front()->name).toHtmlEscaped(),
                            briefNames(members).toHtmlEscaped()));
    chips->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    chips->setToolTip(tr("%1\nJudge by %2").arg(all, fromUtf8(group.chips.front()->name)));
    connect(chips, &QLabel::linkActivated, this,
            [this, chip = group.chips.front()] { m_state.setTarget(*chip); });
    auto *bar = new ShareBar(kBarHeight, m_body);
    bar->setParts({{static_cast<double>(group.totals->bytesMoved) / static_cast<double>(most),
                    Token::OutStreams, QStringLiteral("%1: %2").arg(all, bytes)}});
    auto *figure = new QLabel(bytes, m_body);
    figure->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    figure->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (!known)
        figure->setToolTip(countedWords(group.totals->movedOpen,
                                        tr("Of one weight it is not known"),
                                        tr("Of %1 weights it is not known")));
    grid->addWidget(chips, row, 0);
    grid->addWidget(bar, row, 1, Qt::AlignVCenter);
    grid->addWidget(figure, row, 2);
    m_words += QStringLiteral("%1: %2").arg(all, bytes);
}

} // namespace kernscope::ui

#include "moc_chip_bars.cpp"
