// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/overview/weight_names.h"

#include "core/bundle/bundle.h"
#include "widgets/models/function_words.h"
#include "widgets/models/short_names.h"
#include "widgets/models/table_text.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace kernscope::ui {

namespace {

/// As the program has them; `told`: with their function where another one has the name as well.
QStringList wholeNames(const Bundle &bundle, bool told)
{
    QStringList names;
    names.reserve(static_cast<qsizetype>(bundle.weights().size()));
    for (const Weight &weight : bundle.weights())
        names += fromUtf8(told ? weight.findableName() : weight.name);
    return names;
}

/// Across the bundle, and within its functions.
using BothNames = std::pair<QStringList, QStringList>;

BothNames bothNames(const Bundle &bundle)
{
    const QStringList whole = wholeNames(bundle, false), told = wholeNames(bundle, true);
    QStringList functions;
    functions.reserve(whole.size());
    for (const Weight &weight : bundle.weights())
        functions += fromUtf8(functionWords(weight));
    const QStringList across = shortNames(told);
    const bool several =
        std::any_of(functions.begin(), functions.end(),
                    [&functions](const QString &each) { return each != functions[0]; });
    if (!several && told == whole)
        return {across, across};
    return {across, several ? shortNames(whole, functions) : shortNames(whole)};
}

} // namespace

WeightNames &WeightNames::of(Session &session)
{
    if (auto *names = session.findChild<WeightNames *>(QString(), Qt::FindDirectChildrenOnly))
        return *names;
    return *new WeightNames(session);
}

WeightNames::WeightNames(Session &session) : QObject(&session), m_session(session)
{
    connect(&session, &Session::bundleChanged, this, &WeightNames::rebuild);
    // An edit leaves the names; shapes that are bound may leave other weights.
    connect(&session, &Session::bytesChanged, this, [this] {
        const BundlePtr &bundle = m_session.bundle();
        if (bundle && !m_task && static_cast<qsizetype>(bundle->weights().size()) != m_names.size())
            rebuild();
    });
    connect(&session.tasks(), &TaskManager::changed, this, [this] {
        if (m_task && m_task->progress().cancelled())
            m_task.reset(); // the whole names stay
    });
    rebuild();
}

QString WeightNames::nameOf(std::size_t weight) const
{
    const auto at = static_cast<qsizetype>(weight);
    if (at < m_names.size())
        return m_names[at];
    const BundlePtr &bundle = m_session.bundle();
    return bundle && weight < bundle->weights().size()
               ? fromUtf8(bundle->weights()[weight].findableName())
               : QString();
}

void WeightNames::rebuild()
{
    if (const TaskPtr before = std::exchange(m_task, nullptr))
        before->cancel();
    m_names.clear();
    m_inFunctions.clear();
    const BundlePtr bundle = m_session.bundle();
    if (!bundle)
        return;
    if (bundle->weights().size() <= kMostAtOnce) {
        std::tie(m_names, m_inFunctions) = bothNames(*bundle);
        Q_EMIT namesChanged();
        return;
    }
    m_task = m_session.tasks().start(
        this, tr("Shortening names"),
        [bundle](Progress &progress) {
            const BundleReadLock lock(*bundle);
            return progress.cancelled() ? BothNames() : bothNames(*bundle);
        },
        [this](BothNames made) {
            m_task.reset();
            std::tie(m_names, m_inFunctions) = std::move(made);
            Q_EMIT namesChanged();
        });
}

} // namespace kernscope::ui

#include "moc_weight_names.cpp"
