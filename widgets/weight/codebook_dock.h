// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"
#include "widgets/common/plot_widget.h"
#include "widgets/models/part_models.h"
#include "widgets/models/task_manager.h"

namespace kernscope::ui {

/// How often each entry of a codebook is used. Duplicates are hatched, the chosen entry is framed.
class CodebookPlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit CodebookPlot(QWidget *parent = nullptr);

    struct Entry {
        std::uint64_t uses = 0;
        double value = 0; ///< of the first lane
        bool duplicate = false;
    };
    void setEntries(std::vector<Entry> entries);

    int pointCount() const override { return static_cast<int>(m_entries.size()); }
    QString pointText(int point) const override;

protected:
    void applyColors(bool dark) override;

private:
    const Entry &entry(int point) const { return m_entries[static_cast<std::size_t>(point)]; }

    std::vector<Entry> m_entries;
    QCPBars *m_bars = nullptr, *m_duplicates = nullptr, *m_chosen = nullptr;
};

class WeightHeader;

/// The codebooks of the chosen palette weight: entries as values and swatches, the uses of each as
/// numbers and bars, duplicates and entries that nothing uses. Values can be edited in place.
class CodebookDock final : public Dock
{
    Q_OBJECT

public:
    explicit CodebookDock(Session &session, QWidget *parent = nullptr);

    /// Rows to copy and to export; the plot as a table, as a picture, and its data.
    QList<QAction *> menuActions() const override { return m_tableActions + m_plot->plotActions(); }

    CodebookModel &model() { return *m_model; }
    QTableView &table() { return *m_table; }
    CodebookPlot &plot() { return *m_plot; }
    QSpinBox &chooser() { return *m_chooser; }

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    void buildTable(QWidget *content);
    struct Content; ///< what a worker reads
    void connectViews();
    void showWeight(std::size_t weight);
    void readValues();
    void countUses();
    void showCodebook();
    void showUses();
    void selectEntry(int entry);
    void followElement(std::uint64_t element);
    Edit editOf(quint64 codebook, quint64 entry, quint64 lane, double value) const;
    void requestEdit(quint64 codebook, quint64 entry, quint64 lane, double value);
    int currentEntry() const;

    std::size_t m_weight = kNoIndex;
    BundlePtr m_shown;
    std::shared_ptr<const codec::Decoder> m_decoder;
    Job m_task{session().tasks(), this};
    bool m_selecting = false;
    WeightHeader *m_header = nullptr;
    QLabel *m_summary = nullptr;
    QWidget *m_chooserBox = nullptr;
    QSpinBox *m_chooser = nullptr;
    CodebookModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    QList<QAction *> m_tableActions;
    CodebookPlot *m_plot = nullptr;
};

} // namespace kernscope::ui
