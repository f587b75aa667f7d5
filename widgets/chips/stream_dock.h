// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/chips/chip_state.h"
#include "widgets/common/dock.h"
#include "widgets/models/chip_models.h"

#include <QHeaderView>

namespace kernscope::ui {

/// Header of a table with a column a chip: "H13" and below it "M1", which more people know. A
/// product that is longer than its column is wide goes on in a second line ("M1 Pro/Max/",
/// "Ultra").
class ChipHeader final : public QHeaderView // no meta-object: to assistive tools it is that header
{
public:
    explicit ChipHeader(QWidget *parent = nullptr);

    QSize sizeHint() const override;
    /// The lines below a chip's name in a column `width` pixels wide, one or two.
    static QStringList productLines(const QString &product, const QFontMetrics &metrics, int width);
    /// The least width in which productLines() cuts nothing.
    static int leastWidth(const QString &product, const QFontMetrics &metrics);

protected:
    void initStyleOptionForIndex(QStyleOptionHeader *option, int logicalIndex) const override;

private:
    QString product(int logicalIndex) const;
    QStringList linesOf(int logicalIndex) const;
    qsizetype mostLines() const;

    mutable qsizetype m_lines = 0; ///< that the height has room for
    bool m_asks = false;           ///< whether they are as many, in the next turn
};

/// Stream or fold: every weight on every chip. The assessment of the selected cell is the dock of
/// that name.
class StreamDock final : public Dock
{
    Q_OBJECT

public:
    explicit StreamDock(Session &session, QWidget *parent = nullptr);

    StreamMatrixModel &model() { return *m_model; }
    QTableView &matrix() { return *m_matrix; }
    QCheckBox &onlyFaster() { return *m_onlyFaster; }

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool working() const override { return m_state.working(); }
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void buildActions();
    int leastChipWidth(int room) const;
    void fitChips();
    void fitFunctions();
    void measureNames();
    void fitNames();
    void connectParts();
    void onCurrent(const QModelIndex &current);

    ChipState &m_state;
    StreamMatrixModel *m_model = nullptr;
    QTableView *m_matrix = nullptr;
    QLineEdit *m_filter = nullptr;
    QCheckBox *m_onlyFaster = nullptr;
    bool m_selecting = false, m_sized = false, m_fitting = false, m_chipsSetByHand = false,
         m_namesSetByHand = false;
    int m_widestName = 0; ///< pixels that the longest name needs
};

} // namespace kernscope::ui
