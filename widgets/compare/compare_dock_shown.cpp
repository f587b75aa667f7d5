// SPDX-License-Identifier: GPL-3.0-or-later
// The table of pairs, and what the pictures and figures of the shown pair need: a sample, then all
// its values once.
#include "widgets/common/alike_names.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/table_text.h"
#include "widgets/common/theme.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/compare_header.h"
#include "widgets/compare/compare_runner.h"
#include "widgets/compare/error_bar_delegate.h"
#include "widgets/compare/pair_figures.h"
#include "widgets/compare/pair_pictures.h"
#include "widgets/compare/places_dock.h"

#include <QAction>
#include <QEvent>
#include <QHeaderView>
#include <QTableView>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace kernscope::ui {

namespace {

constexpr double kLastColumn = 8; // in ems, before it takes what is left

/// Where a window is narrow the column of names leaves room for those up to the verdict; where it
/// is wide the verdict has room for its longest words, and no column stands at the edge in part.
/// Until the user sets the width of either.
class NamesGiveWay final : public QObject
{
public:
    NamesGiveWay(QTableView *table, const CompareModel &model)
        : QObject(table), m_table(table), m_names(model.columnOf("weight")),
          m_verdict(model.columnOf("verdict")), m_next(model.columnOf("cosine")),
          m_usualName(table->columnWidth(m_names)), m_usualVerdict(table->columnWidth(m_verdict))
    {
        table->viewport()->installEventFilter(this);
        connect(table->horizontalHeader(), &QHeaderView::sectionResized, this, [this](int column) {
            if ((column == m_names || column == m_verdict) && !m_fitting)
                m_userSized = true;
            else if (!m_fitting)
                QTimer::singleShot(0, this, &NamesGiveWay::fit);
        });
    }

protected:
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        if (event->type() == QEvent::Resize || event->type() == QEvent::Show)
            fit();
        return QObject::eventFilter(watched, event);
    }

private:
    static constexpr double kLeastName = 9.5, kMostName = 26, kMostVerdict = 15; // in ems

    void fit()
    {
        if (m_userSized)
            return;
        int others = 0;
        for (int column = m_names + 1; column < m_verdict; ++column)
            others += m_table->columnWidth(column); // 0 where it is hidden
        m_fitting = true;
        const int least = std::min(m_usualName, theme::em(m_table, kLeastName));
        const int room = m_table->viewport()->width() - others;
        const int verdict = std::clamp(room - m_usualName, m_usualVerdict,
                                       std::max(m_usualVerdict, theme::em(m_table, kMostVerdict)));
        int name = room - verdict;
        if (name >= m_usualName + m_table->columnWidth(m_next)) {
            // Where every column has its room, long names have what is left.
            for (int column = m_verdict + 1; column < m_table->model()->columnCount() - 1; ++column)
                name -= m_table->columnWidth(column);
            name -= theme::em(m_table, kLastColumn);
            name = std::clamp(name, m_usualName, theme::em(m_table, kMostName));
        }
        m_table->setColumnWidth(m_verdict, verdict);
        m_table->setColumnWidth(m_names, std::max(least, name));
        m_fitting = false;
    }

    QTableView *m_table;
    const int m_names, m_verdict, m_next; ///< columns
    int m_usualName, m_usualVerdict;      ///< widths that they have where there is room
    bool m_fitting = false, m_userSized = false;
};

} // namespace

void CompareDock::buildTable(QWidget *parent)
{
    m_table = new QTableView(parent);
    m_table->setAccessibleName(tr("Weights of both bundles in pairs"));
    m_table->setModel(m_model);
    prepareTable(m_table);
    m_table->setMinimumHeight(theme::em(this, 4));
    m_table->setColumnHidden(m_model->columnOf("limits"), true);
    m_table->setItemDelegateForColumn(m_model->columnOf("relative_rmse"),
                                      new ErrorBarDelegate(*m_model, m_table));
    setColumnWidths(m_table->horizontalHeader(),
                    {15,  6, 6,   6,   4.8, 6.4, 4.4, 5.2, 4.4, 6, 12,         14,
                     5.2, 5, 5.5, 5.5, 5.5, 5.5, 5,   6.2, 5.2, 5, kLastColumn});
    m_table->horizontalHeader()->setStretchLastSection(true);
    new NamesGiveWay(m_table, *m_model);
    new AlikeNames(m_table, m_model->columnOf("weight"));
}

PairSubject CompareDock::subjectOf(std::size_t number) const
{
    if (number >= m_model->rows().size())
        return {};
    const report::PairRow &row = m_model->rows()[number];
    PairSubject subject{m_a, m_b, row.pair, {}};
    if (row.state == report::PairState::NoValues || row.state == report::PairState::OneSided)
        subject.obstacle = verdictSentence(row);
    return subject;
}

void CompareDock::cancelPair()
{
    for (TaskPtr *task : {&m_sampling, &m_locating}) {
        if (*task)
            (*task)->cancel();
        *task = nullptr;
    }
}

/// A person cancelled what the shown pair needs: what was there of the pair before goes. Where an
/// edit did, a refresh comes first.
void CompareDock::onTasksChanged()
{
    const auto cut = [](const TaskPtr &task) { return task && task->progress().cancelled(); };
    if (!cut(m_sampling) && !cut(m_locating))
        return;
    QTimer::singleShot(0, this, [this, sampling = m_sampling, locating = m_locating, cut] {
        if (m_sampling != sampling || m_locating != locating ||
            (!cut(m_sampling) && !cut(m_locating)))
            return;
        PairSubject subject = subjectOf(m_row);
        if (!subject.comparable())
            return;
        m_cut = true;
        const QString why = tr("This was cancelled. Select the pair again to see it.");
        if (cut(m_sampling)) {
            subject.obstacle = why;
            m_pictures->show(subject, PairSample::none());
        }
        m_sampling = m_locating = nullptr;
        showPlaces({subject, m_swapped, nullptr, why}, 1);
    });
}

/// The colours of the three pictures need a common range first; it costs a few milliseconds.
void CompareDock::takeSample(const PairSubject &subject)
{
    m_sampling = session().tasks().start(
        this, tr("Sampling a pair of weights"),
        [subject](Progress &progress) {
            return samplePair(*subject.a, *subject.b, subject.sides, progress);
        },
        [this, subject](Result<PairSample> sample) {
            m_sampling = nullptr;
            PairSubject shown = subject;
            if (!sample)
                shown.obstacle = fromUtf8(describe(sample.error()));
            m_pictures->show(shown, sample ? *sample : PairSample::none());
            const Place &now = place();
            if (documentWeight(m_row) == now.weight && now.element)
                m_pictures->setElement(shown.elementOf(!m_swapped, *now.element));
            if (sample)
                findPlaces(shown, sample->valueRange);
            else
                showPlaces({shown, m_swapped, nullptr, shown.obstacle}, 1);
        });
}

/// All elements once: channels, the worst elements, and how often each value occurs.
void CompareDock::findPlaces(const PairSubject &subject, double range)
{
    constexpr std::size_t kElements = 256;
    m_locating = session().tasks().start(
        this, tr("Looking for the places that differ"),
        [subject](Progress &progress) {
            progress.setTotal(subject.weight().elements.value);
            const PlacesWanted wanted{PlacesWanted::kMostChannels, kElements, true};
            return findWorstPlaces(*subject.a, *subject.b, subject.sides, wanted, &progress);
        },
        [this, subject, range](Result<WorstPlaces> found) {
            m_locating = nullptr;
            PairPlaces places{subject, m_swapped, nullptr, {}};
            if (found)
                places.places = std::make_shared<const WorstPlaces>(*std::move(found));
            else
                places.obstacle = fromUtf8(describe(found.error()));
            showPlaces(places, range);
        });
}

void CompareDock::showPlaces(const PairPlaces &places, double range)
{
    std::shared_ptr<const PairBins> bins;
    if (places.places && places.places->bins) // shared with what holds it
        bins = {places.places, &*places.places->bins};
    if (places.places) {
        const auto &worst = places.places->worstElements;
        m_pictures->setLargestDifference(
            worst.empty() ? 0 : static_cast<double>(std::abs(worst.front().b - worst.front().a)));
    }
    m_figures->showBins(bins, range);
    m_figures->showPlaces(places);
    Q_EMIT placesChanged(places);
}

/// What a comparison that runs shows of itself.
void CompareDock::connectRunner()
{
    connect(&session().tasks(), &TaskManager::changed, this, &CompareDock::onTasksChanged);
    connect(m_runner, &CompareRunner::summedUp, this, &CompareDock::showOutcome);
    connect(m_runner, &CompareRunner::rowsReady, this, &CompareDock::onRows);
    connect(m_runner, &CompareRunner::filesCompared, this, &CompareDock::showProgram);
    connect(m_runner, &CompareRunner::pairCompared, this, [this](std::size_t row) {
        if (row == m_row)
            m_figures->showRow(m_model->rows()[row]);
        countLimits();
    });
    const auto progress = [this] {
        m_header->setProgress(m_runner->running(), m_runner->fraction());
        m_againAction->setEnabled(m_runner->stopped());
    };
    connect(m_runner, &CompareRunner::progressed, this, progress);
    connect(m_runner, &CompareRunner::finished, this, [this, progress] {
        onFinished();
        progress();
    });
    progress();
}

} // namespace kernscope::ui
