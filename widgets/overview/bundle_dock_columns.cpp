// SPDX-License-Identifier: GPL-3.0-or-later
// Widths of the columns of the bundle's tree.
#include "widgets/common/absent_columns.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/elided_name.h"
#include "widgets/common/short_names.h"
#include "widgets/common/theme.h"
#include "widgets/overview/bundle_dock.h"
#include "widgets/overview/navigator_header.h"
#include "widgets/overview/two_line_rows.h"

#include <QAction>
#include <QTimer>
#include <QTreeView>

#include <algorithm>

namespace kernscope::ui {

namespace {

constexpr double kNameWidth = 24, kLeastName = 8; // in ems
constexpr double kMostForm = 9;                   // a longer form is cut, so that names have room
constexpr double kTitleRoom = 0.9;
constexpr double kLikelyWidth = 27;    // of short names with all figures beside them
constexpr double kLeastForm = 4;       // below it a name, which also takes room beside its number
constexpr int kFirstFigures = 2;       ///< columns that stand beside the name even where it is cut
constexpr std::size_t kMeasured = 100; ///< weights or files: a key must not wait for more
constexpr std::size_t kFigures = 32;   ///< weights whose figures are written out to be measured

} // namespace

/// All figures stand beside the names where they fit whole beside names that are short. Where they
/// do not, form, ratio and zeros have a second line. Until the user sets a width.
void BundleDock::fitNameColumn()
{
    m_fitAgain = m_fitting; // a scroll bar came or went, by the widths that are set below
    if (m_userSized || m_fitting)
        return;
    m_fitting = true;
    const int room = m_tree->viewport()->width();
    setTwoLines(wantsTwoLines());
    if (m_header->twoLines())
        fitTwoLines();
    else
        fitOneLine();
    m_fitting = false;
    shortenNames();
    if (m_fitAgain && room != m_tree->viewport()->width())
        fitNameColumn();
}

bool BundleDock::wantsTwoLines() const
{
    return m_twoAction->isChecked() && !columnsChosen() && !fitsOneLine();
}

/// Between two workspaces a dock is as wide as the window for a moment, and rows of other lines are
/// laid out anew, however many there are: they change once the dock has its place.
void BundleDock::fitResized()
{
    if (!m_userSized && !m_fitting && wantsTwoLines() != m_header->twoLines())
        m_refit->start();
    else
        fitNameColumn();
}

/// Form and bytes stand beside the names; further figures where they fit whole beside short names.
void BundleDock::fitOneLine()
{
    QHeaderView *header = m_header;
    for (const char *key : {"form", "stored_bytes", "ratio", "zero_fraction"}) {
        const int column = m_model->columnOf(key);
        const int cells = static_cast<QAbstractItemView *>(m_tree)->sizeHintForColumn(column);
        header->resizeSection(
            column, std::min(std::max(cells, figureWidth(key)), theme::em(this, kMostForm)));
    }
    const int names = m_model->columnOf("name");
    const int room = m_tree->viewport()->width(), least = theme::em(this, kLeastName);
    const int wanted = std::min(static_cast<QAbstractItemView *>(m_tree)->sizeHintForColumn(names),
                                theme::em(this, kNameWidth));
    // Names that are short leave room for all figures: not less than a name has at least, or the
    // edge cuts the last of them. A bundle without weights has no further ones to show.
    const int wide = std::max(least, std::min(wanted, shortNamesWidth()));
    const bool weights = m_model->bundle() && !m_model->bundle()->weights().empty();
    const int most = weights ? header->count() : kFirstFigures + 1;
    int name = room;
    for (int visual = 1; visual < most; ++visual) {
        const int left = name - header->sectionSize(header->logicalIndex(visual));
        if (left < (visual <= kFirstFigures ? std::min(wanted, least) : wide))
            break;
        name = left;
    }
    header->resizeSection(names, std::max(least, name));
}

/// The figures have what they need, the names the rest.
void BundleDock::fitTwoLines()
{
    const int bytes = m_model->columnOf("stored_bytes"), names = m_model->columnOf("name");
    const int figures = static_cast<QAbstractItemView *>(m_tree)->sizeHintForColumn(bytes);
    m_header->resizeSection(bytes, figures);
    m_header->resizeSection(
        names, std::max(theme::em(this, kLeastForm), m_tree->viewport()->width() - figures));
}

/// Whether form, bytes, ratio and zeros fit whole beside short names. A bundle without weights has
/// nothing for a second line. Before there is one, as most bundles will want it: its rows then come
/// with the lines that they keep.
bool BundleDock::fitsOneLine() const
{
    if (!m_model->bundle())
        return m_tree->viewport()->width() >= theme::em(this, kLikelyWidth);
    if (m_model->bundle()->weights().empty())
        return true;
    const int names = std::max(theme::em(this, kLeastName), shortNamesWidth());
    int wanted = std::min(names, theme::em(this, kNameWidth));
    for (const char *key : {"form", "stored_bytes", "ratio", "zero_fraction"})
        wanted += std::min(figureWidth(key), theme::em(this, kMostForm));
    return wanted <= m_tree->viewport()->width();
}

/// Whether the user has hidden a column that the second line would show: columns then stay columns.
bool BundleDock::columnsChosen() const
{
    const QVariantList own = m_header->property(kAbsentColumns).toList();
    for (int column = 0; column < m_header->count(); ++column) {
        if (m_header->isSectionHidden(column) && !own.contains(column))
            return true;
    }
    return false;
}

void BundleDock::setTwoLines(bool two)
{
    if (two == m_header->twoLines())
        return;
    const int names = m_model->columnOf("name"), bytes = m_model->columnOf("stored_bytes");
    QVariantList below;
    for (int column = 0; column < m_header->count(); ++column) {
        if (column == names || column == bytes)
            continue;
        m_header->setSectionHidden(column, two);
        if (two)
            below << column;
    }
    m_header->setProperty(kAbsentColumns, below); // not what the user hides
    m_tree->setItemDelegateForColumn(names, two ? m_rows : m_oneLine);
    m_tree->setItemDelegateForColumn(bytes, two ? m_rows : nullptr);
    m_header->setTwoLines(two);
    m_tree->doItemsLayout();
    m_tree->scrollTo(m_tree->currentIndex());
}

void BundleDock::onSectionResized(int before, int now)
{
    if (growsByItself(m_header)) {
        fitNameColumn();
    } else if (!m_fitting && m_header->twoLines() && before == 0 && now > 0) {
        // A column that the user wants to see: all of them are columns then.
        QTimer::singleShot(0, this, [this] { m_twoAction->setChecked(false); });
    } else if (!m_fitting && !m_userSized && before > 0 && now > 0) {
        m_userSized = true;
        if (!m_header->twoLines())
            m_tree->setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    }
    if (m_userSized)
        shortenNames();
}

/// Of the first weights.
int BundleDock::shortNamesWidth() const
{
    const std::size_t weights = m_model->bundle() ? m_model->bundle()->weights().size() : 0;
    int widest = 0;
    for (std::size_t i = 0; i < std::min(weights, kMeasured); ++i) {
        const QModelIndex index = m_model->indexOfWeight(i, m_model->columnOf("name"));
        if (index.isValid())
            widest = std::max(widest, m_tree->fontMetrics().horizontalAdvance(
                                          index.data(kShortNameRole).toString()));
    }
    // Levels of the tree and margins.
    return widest + 2 * m_tree->indentation() + theme::em(this, 1.5);
}

/// Names of one kind: where one is too long for its room, all lose what they share.
void BundleDock::shortenNames()
{
    const bool cut = cutsNames();
    if (m_tree->property(kAlwaysShort).toBool() == cut)
        return;
    m_tree->setProperty(kAlwaysShort, cut);
    m_tree->viewport()->update();
}

bool BundleDock::cutsNames() const
{
    const int names = m_model->columnOf("name");
    if (!m_header->twoLines())
        return static_cast<QAbstractItemView *>(m_tree)->sizeHintForColumn(names) >
               m_header->sectionSize(names);
    const std::size_t weights = m_model->bundle() ? m_model->bundle()->weights().size() : 0;
    for (std::size_t i = 0; i < std::min(weights, kMeasured); ++i) {
        const QModelIndex name = m_model->indexOfWeight(i, names);
        if (name.isValid() && m_rows->wholeNameWidth(name) > m_rows->nameRoom(name))
            return true;
    }
    return false;
}

/// A column of figures as wide as what it holds and its title.
int BundleDock::figureWidth(const char *key) const
{
    const int column = m_model->columnOf(key);
    // The arrow of the order has its room only while it is there: names need it more.
    const int title = fontMetrics().horizontalAdvance(
                          m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()) +
                      theme::em(this, kTitleRoom);
    // In two lines the cells of the bytes hold more than the bytes. As the style has it: a margin
    // on both sides of a text, and of an icon.
    const int margins = 2 * (m_tree->style()->pixelMetric(QStyle::PM_FocusFrameHMargin) + 1);
    int cells = 0;
    const std::size_t weights = m_model->bundle() ? m_model->bundle()->weights().size() : 0;
    for (std::size_t i = 0; i < std::min(weights, kFigures); ++i) {
        const QModelIndex index = m_model->indexOfWeight(i, column);
        if (!index.isValid())
            continue;
        const int icon = index.data(Qt::DecorationRole).isValid()
                             ? m_tree->iconSize().width() + 2 * margins
                             : margins;
        cells = std::max(cells, icon + m_tree->fontMetrics().horizontalAdvance(
                                           index.data(Qt::DisplayRole).toString()));
    }
    for (const QModelIndex &group : m_model->groupIndexes()) {
        if (group.parent().isValid()) // "13 weights"; the bundle takes its row for its name
            cells = std::max(cells, m_tree->fontMetrics().horizontalAdvance(
                                        group.siblingAtColumn(column).data().toString()));
    }
    cells += cells > 0 ? theme::em(this, kTitleRoom) - margins / 2 : 0;
    return std::max({cells, filesWidth(column), title});
}

/// Of the first files, which the view does not measure while their group is closed: opening it must
/// neither cut what they say nor move the columns.
int BundleDock::filesWidth(int column) const
{
    const std::size_t files = m_model->bundle() ? m_model->bundle()->files().size() : 0;
    int widest = 0;
    for (std::size_t i = 0; i < std::min(files, kMeasured); ++i) {
        const QModelIndex index = m_model->indexOfFile(i, column);
        if (index.isValid())
            widest = std::max(widest, m_tree->fontMetrics().horizontalAdvance(
                                          index.data(Qt::DisplayRole).toString()));
    }
    return widest > 0 ? widest + theme::em(this, kTitleRoom) : 0;
}

} // namespace kernscope::ui
