// SPDX-License-Identifier: GPL-3.0-or-later
// Widths of the columns of the bundle's tree.
#include "widgets/common/elided_name.h"
#include "widgets/common/short_names.h"
#include "widgets/common/theme.h"
#include "widgets/overview/bundle_dock.h"

#include <QHeaderView>
#include <QTreeView>

#include <algorithm>

namespace kernscope::ui {

namespace {

constexpr double kNameWidth = 24, kLeastName = 8; // in ems
constexpr double kMostForm = 9;                   // a longer form is cut, so that names have room
constexpr double kTitleRoom = 0.9;
constexpr int kFirstFigures = 2;       ///< columns that stand beside the name even where it is cut
constexpr std::size_t kMeasured = 100; ///< weights or files: a key must not wait for more

} // namespace

/// Form and bytes stand beside the names; further figures where they fit whole beside names that
/// are not cut. Until the user sets a width.
void BundleDock::fitNameColumn()
{
    QHeaderView *header = m_tree->header();
    m_fitAgain = m_fitting; // a scroll bar came or went, by the widths that are set below
    if (m_userSized || m_fitting)
        return;
    m_fitting = true;
    fitFigureColumns();
    const int names = m_model->columnOf("name");
    const int room = m_tree->viewport()->width(), least = theme::em(this, kLeastName);
    const int wanted = std::min(static_cast<QAbstractItemView *>(m_tree)->sizeHintForColumn(names),
                                theme::em(this, kNameWidth));
    int figures = 0;
    for (int visual = 1; visual <= kFirstFigures && visual < header->count(); ++visual)
        figures += header->sectionSize(header->logicalIndex(visual));
    // Names that are short in any case leave room for further figures: not less than a name has at
    // least, or the edge cuts the last of them. A bundle without weights has none to show.
    const int wide =
        std::max(least, room - figures < wanted ? std::min(wanted, shortNamesWidth()) : wanted);
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
    m_fitting = false;
    shortenNames();
    if (m_fitAgain && room != m_tree->viewport()->width())
        fitNameColumn();
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

/// Names of one kind: where one is too long for the column, all lose what they share.
void BundleDock::shortenNames()
{
    const int names = m_model->columnOf("name");
    const bool tooLong = static_cast<QAbstractItemView *>(m_tree)->sizeHintForColumn(names) >
                         m_tree->header()->sectionSize(names);
    if (m_tree->property(kAlwaysShort).toBool() == tooLong)
        return;
    m_tree->setProperty(kAlwaysShort, tooLong);
    m_tree->viewport()->update();
}

/// Form and bytes are as wide as what they hold: the names have the rest.
void BundleDock::fitFigureColumns()
{
    QHeaderView *header = m_tree->header();
    for (const char *key : {"form", "stored_bytes"}) {
        const int column = m_model->columnOf(key);
        // The arrow of the order has its room only while it is there: names need it more.
        const int title =
            fontMetrics().horizontalAdvance(
                m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()) +
            theme::em(this, kTitleRoom);
        const int wanted =
            std::max({static_cast<QAbstractItemView *>(m_tree)->sizeHintForColumn(column),
                      filesWidth(column), title});
        header->resizeSection(column, std::min(wanted, theme::em(this, kMostForm)));
    }
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
