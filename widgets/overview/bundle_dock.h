// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"
#include "widgets/models/bundle_tree_model.h"
#include "widgets/overview/navigator_rows.h"

namespace kernscope::ui {

/// The open bundle as a tree of functions, weights and files. Its current row and the common
/// position follow each other.
class BundleDock final : public Dock
{
    Q_OBJECT

public:
    explicit BundleDock(Session &session, QWidget *parent = nullptr);

    /// Bundles of at most this many elements have the zeros of every weight counted at once.
    static constexpr std::uint64_t kMostElementsUnasked = 64u << 20;

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void buildTree(QWidget *content);
    void connectParts();
    void buildActions();
    void showBundle();
    void spanBundle();
    void openGroups();
    void takeNames()
    {
        m_model->setShortNames(m_names.namesInFunctions());
    } ///< those that are made of the weights, as far as they are
    void onCurrentChanged(const QModelIndex &index);
    void open(const QModelIndex &index);
    void showInHex();
    QModelIndex rowOf(const Place &place) const;
    bool leadsTo(const QModelIndex &row, const Place &place) const;
    void fitNameColumn();
    void fitResized();
    bool wantsTwoLines() const;
    void fitOneLine();
    void fitTwoLines();
    int figureWidth(const char *key) const;
    bool fitsOneLine() const;
    bool columnsChosen() const;
    void setTwoLines(bool two);
    void onSectionResized(int before, int now);
    int shortNamesWidth() const;
    int filesWidth(int column) const;
    void updateFooter();
    void showFault();
    void refilter();
    static QString filterHelp();
    std::vector<std::size_t> staleWeights();
    void countZeros(std::vector<std::size_t> weights);

    WeightNames &m_names;
    BundleTreeModel *m_model = nullptr;
    QLineEdit *m_filter = nullptr;
    QTreeView *m_tree = nullptr;
    NavigatorHeader *m_header = nullptr;
    TwoLineRows *m_rows = nullptr;              ///< draws the rows where they have two lines
    QAbstractItemDelegate *m_oneLine = nullptr; ///< draws the names where they have one
    QAction *m_twoAction = nullptr;
    QTimer *m_refit = nullptr; ///< until the dock has the width that it keeps
    QLabel *m_fault = nullptr;
    QLabel *m_footer = nullptr;
    QAction *m_zerosAction = nullptr;
    Job m_zerosTask{session().tasks(), this};
    Totals m_totals;             ///< of the bundle, as of the last refresh
    bool m_bytesKnown = true;    ///< no weight's stored bytes are unknown
    std::vector<bool> m_touched; ///< weights that had changed bytes when their zeros were counted
    bool m_newBundle = true, m_following = false, m_fitting = false, m_fitAgain = false,
         m_userSized = false;
    bool m_zerosWanted = false; ///< of every weight, by the user or because it costs little
};

} // namespace kernscope::ui
