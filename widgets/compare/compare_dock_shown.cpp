// SPDX-License-Identifier: GPL-3.0-or-later
// What the pictures and figures of the shown pair need: a sample, then all its values once.
#include "widgets/common/table_text.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/compare_header.h"
#include "widgets/compare/compare_runner.h"
#include "widgets/compare/pair_figures.h"
#include "widgets/compare/pair_pictures.h"
#include "widgets/compare/places_dock.h"

#include <QAction>
#include <QTimer>

#include <cmath>
#include <memory>
#include <utility>

namespace kernscope::ui {

PairSubject CompareDock::subjectOf(std::size_t number) const
{
    if (number >= m_model->rows().size())
        return {};
    const CompareRow &row = m_model->rows()[number];
    PairSubject subject{m_a, m_b, row.pair.a, row.pair.b, {}};
    subject.joined = row.whole;
    subject.part = row.partIndex;
    if (row.state == CompareState::NoValues || row.state == CompareState::OneSided)
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
            return subject.joined
                       ? samplePair(*subject.a, *subject.b, *subject.joined, subject.part, progress)
                       : samplePair(*subject.a, subject.weightA, *subject.b, subject.weightB,
                                    progress);
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
            return subject.joined ? findWorstPlaces(*subject.a, *subject.b, *subject.joined,
                                                    subject.part, wanted, &progress)
                                  : findWorstPlaces(*subject.a, subject.weightA, *subject.b,
                                                    subject.weightB, wanted, &progress);
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
