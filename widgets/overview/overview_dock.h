// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/bundle_report.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock.h"
#include "widgets/models/row_table_model.h"
#include "widgets/overview/overview_cells.h"

namespace kernscope::ui {

/// Writes a widget as it is drawn: PDF where the name ends so, else PNG in twice its resolution.
/// Whole or not at all; the message of what went wrong, or empty.
QString exportWidgetPicture(QWidget &widget, const QString &path);

class ElidedLabel;

/// The page that a bundle opens with: its totals, a treemap of the stored bytes, and a table of
/// what is worth a look, each row a link.
class OverviewDock final : public Dock
{
    Q_OBJECT

public:
    /// What the treemap's colours say.
    using Colors = OverviewColoring;

    explicit OverviewDock(Session &session, QWidget *parent = nullptr);

    void setColors(Colors colors);
    TreemapView &treemap() { return *m_map; }
    const BundleFigures &figures() const { return m_figures; }
    QTableView &findings() { return *m_findings; }
    QLineEdit &findingFilter() { return *m_filter; }
    QLabel &oddNote() { return *m_oddNote; }
    const TimeCard &time() const { return *m_time; }

Q_SIGNALS:
    /// Colours by error need a bundle to measure against, and none is open.
    void baseWanted();

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool working() const override
    {
        return m_task.running() || m_summing.running() || m_measuring.running() ||
               m_folding.running() || m_finding.running() || m_chips.working();
    }
    void resizeEvent(QResizeEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    QLayout *buildBytes(QWidget *content);
    QWidget *buildSwitch(QWidget *parent);
    void connectParts();
    void examine(bool all);
    void findFolds();
    std::vector<Finding> allFindings() const;
    void sumUp();
    void measureErrors();
    void onBaseChanged();
    void onCancelled();
    void showTotals();
    void showStored();
    void showFindings();
    void showMap();
    void showLegend();
    OverviewColors mapColors() const;
    void open(const QString &link);
    void buildFindings(QWidget *content, QVBoxLayout *column);
    void goToFinding(const Finding &finding, bool raise);

    ChipState &m_chips;
    BundlePtr m_shown;
    BundleFigures m_figures;
    std::vector<Finding> m_folds; ///< weights that no chip streams; none until they are judged
    Job m_folding{session().tasks()};
    bool m_read = false; ///< the values were read
    bool m_cut = false;  ///< looking over them was cancelled
    Job m_task{session().tasks()};
    Colors m_colors = Colors::Form;
    WeightNames &m_names;
    ElidedLabel *m_facts = nullptr;
    QStringList m_tools;              ///< that made m_shown, with their versions
    QStringList m_about;              ///< what its author says of m_shown, and who that is
    std::optional<BundleSums> m_sums; ///< of m_shown; nothing while they are added up
    Job m_summing{session().tasks()};
    std::shared_ptr<const BaseErrors> m_errors; ///< against the other bundle; null: not measured
    Job m_measuring{session().tasks()};
    QLabel *m_title = nullptr, *m_legend = nullptr;
    QLabel *m_odd = nullptr, *m_oddNote = nullptr; ///< how many findings; what is left out of them
    std::vector<Finding> m_listed;                 ///< what the rows show, of m_listedOf
    BundlePtr m_listedOf;
    RowTable<report::FindingRow> *m_rows = nullptr;
    QTableView *m_findings = nullptr;
    QLineEdit *m_filter = nullptr;
    Job m_finding{session().tasks()};
    bool m_disputedShown = false; ///< the reports themselves, not their number alone
    CardFrame *m_stored = nullptr, *m_moved = nullptr;
    TimeCard *m_time = nullptr;
    TreemapView *m_map = nullptr;
};

} // namespace kernscope::ui
