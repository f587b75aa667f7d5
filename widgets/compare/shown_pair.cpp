// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/shown_pair.h"

namespace kernscope::ui {

void PairChoices::add(const Choice &choice)
{
    std::erase_if(m_choices, [&](const Choice &before) {
        return (!choice.document.isEmpty() && before.document == choice.document) ||
               (!choice.other.isEmpty() && before.other == choice.other);
    });
    m_choices.push_back(choice);
}

std::vector<PairChoice> PairChoices::resolve(const Bundle &document, const Bundle &other,
                                             bool swapped) const
{
    const auto weight = [](const Bundle &bundle,
                           const QString &name) -> std::optional<std::size_t> {
        return name.isEmpty() ? std::optional(kNoIndex) : bundle.weightByName(name.toStdString());
    };
    std::vector<PairChoice> resolved;
    for (const Choice &choice : m_choices) {
        const auto ofDocument = weight(document, choice.document);
        const auto ofOther = weight(other, choice.other);
        if (ofDocument && ofOther)
            resolved.push_back(swapped ? PairChoice{*ofOther, *ofDocument}
                                       : PairChoice{*ofDocument, *ofOther});
    }
    return resolved;
}

QStringList PairChoices::names() const
{
    QStringList list;
    for (const Choice &choice : m_choices)
        list << choice.document << choice.other;
    return list;
}

PairChoices PairChoices::fromNames(const QStringList &names)
{
    PairChoices choices;
    for (qsizetype i = 0; i + 1 < names.size(); i += 2) {
        if (!names[i].isEmpty() || !names[i + 1].isEmpty())
            choices.add({names[i], names[i + 1]});
    }
    return choices;
}

ShownPair::ShownPair(TaskManager &tasks, QObject *parent)
    : QObject(parent), m_sampling(tasks, this), m_locating(tasks, this)
{
    m_sampling.whenCancelled([this] { Q_EMIT cut(m_subject, true); });
    m_locating.whenCancelled([this] { Q_EMIT cut(m_subject, false); });
}

bool ShownPair::working() const
{
    return m_sampling.running() || m_locating.running();
}

void ShownPair::cancel()
{
    m_sampling.stop();
    m_locating.stop();
}

/// The sample costs a few milliseconds.
void ShownPair::look(const PairSubject &subject)
{
    cancel();
    m_subject = subject;
    m_sampling.start(
        tr("Sampling a pair of weights"),
        [subject](Progress &progress) {
            return samplePair(*subject.a, *subject.b, subject.sides, progress);
        },
        [this](const Result<PairSample> &sample) {
            Q_EMIT sampled(m_subject, std::cref(sample));
            if (sample)
                findPlaces(sample->valueRange);
        });
}

/// All elements once: channels, the worst elements, and how often each value occurs.
void ShownPair::findPlaces(double range)
{
    constexpr std::size_t kElements = 256;
    m_locating.start(
        tr("Looking for the places that differ"),
        [subject = m_subject](Progress &progress) {
            progress.setTotal(subject.weight().elements.value);
            return findWorstPlaces(*subject.a, *subject.b, subject.sides,
                                   {PlacesWanted::kMostChannels, kElements, true}, &progress);
        },
        [this, range](const Result<WorstPlaces> &places) {
            Q_EMIT found(m_subject, std::cref(places), range);
        });
}

} // namespace kernscope::ui

#include "moc_shown_pair.cpp"
