// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/structure_table.h"
#include "widgets/common/qt_fwd.h"
#include "widgets/models/compare_model.h"
#include "widgets/models/session.h"
#include "widgets/models/task_manager.h"

#include <QList>
#include <QStackedWidget>
#include <QStyledItemDelegate>
#include <QWidget>

namespace kernscope::ui {

/// The line above a comparison: both bundles with their bytes, the button that swaps them, whether
/// the programs are the same, and how far the comparison is.
class CompareHeader : public QWidget
{
    Q_OBJECT

public:
    explicit CompareHeader(QWidget *parent = nullptr);

    void setBundles(const BundlePtr &a, const BundlePtr &b);
    /// Null: not known yet.
    void setDifference(const Difference *difference);
    /// 0 to 1; `running` false empties the bar without moving anything.
    void setProgress(bool running, double fraction);
    QToolButton *swapButton() const { return m_swap; }
    QToolButton *thirdButton() const { return m_third; }
    /// Stands at the end of the line.
    void setSwitch(QWidget *choice);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void relabel();

    QString m_nameA, m_nameB, m_bytesA, m_bytesB;
    QString m_ratio; ///< B of A
    QLabel *m_a = nullptr, *m_b = nullptr, *m_program = nullptr;
    QToolButton *m_swap = nullptr, *m_third = nullptr;
    QWidget *m_switch = nullptr;
    QProgressBar *m_progress = nullptr;
};

/// The relative error of a pair as its number over a bar, whose length is the share of the
/// largest one of all pairs: which weight suffers most is seen at once.
class ErrorBarDelegate final : public QStyledItemDelegate
{
    Q_OBJECT

public:
    explicit ErrorBarDelegate(const CompareModel &model, QObject *parent = nullptr);

    void paint(QPainter *painter, const QStyleOptionViewItem &option,
               const QModelIndex &index) const override;
    /// 0 to 1; nothing where no figure is there. What is not finite fills the bar.
    std::optional<double> share(const QModelIndex &index) const;

private:
    double largest() const;

    const CompareModel &m_model;
    mutable std::optional<double> m_largest; ///< of all rows; found when it is asked for
};

/// The table of pairs: where it is narrow the names give way, where it is wide the verdict has
/// room. Limits and functions are hidden at first.
QTableView *makeCompareTable(CompareModel &model, QWidget *parent);

/// A page of the comparison beside the values: what differs as a table, under a filter and a line
/// that says how much there is.
class StructureList : public QWidget
{
    Q_OBJECT

public:
    StructureList(Session &session, RowTableModel *model, const QString &name, const char *fileName,
                  QWidget *parent = nullptr);

    void setNote(const QString &text);
    QString note() const;
    QTableView *table() const { return m_table; }
    QLineEdit *filter() const { return m_filter; }

private:
    RowTableModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    QLineEdit *m_filter = nullptr;
    QLabel *m_note = nullptr;
};

class Segmented;

/// The pages of a comparison: the values, which its owner fills; operations that differ; files,
/// sections, tasks and registers.
class ComparePages : public QStackedWidget
{
    Q_OBJECT

public:
    enum class Page : std::uint8_t { Values, Program, Structure };

    explicit ComparePages(Session &session);
    void setValues(QWidget *values);

    /// Buttons for the pages, and the same as actions.
    Segmented *makeSwitch(QWidget *parent);
    QList<QAction *> actions() const { return m_actions; }
    void showPage(Page page);

    /// What is compared. The rows of the structure are made where they are first on view.
    void setBundles(BundlePtr a, BundlePtr b, std::vector<PairChoice> pairs, bool documentIsB);
    /// What the files say; null: not known yet.
    void showProgram(const std::shared_ptr<const Difference> &files);

    StructureList *program() const { return m_program; }
    StructureList *structure() const { return m_structure; }
    bool working() const { return m_task.running(); }

Q_SIGNALS:
    void pageShown(kernscope::ui::ComparePages::Page page);

private:
    void findStructure();
    void goToChange(const ProgramChange &change);

    Session &m_session;
    StructureList *m_program = nullptr, *m_structure = nullptr;
    RowTable<ProgramChange> *m_programModel = nullptr;
    RowTable<report::StructureFacts> *m_structureModel = nullptr;
    QList<QAction *> m_actions;
    BundlePtr m_a, m_b;
    std::vector<PairChoice> m_pairs;
    bool m_documentIsB = false, m_structureKnown = false;
    Job m_task{m_session.tasks()};
};

} // namespace kernscope::ui
