// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/compare_copies.h"

#include "core/base/error_builder.h"
#include "core/report/difference_json.h"
#include "widgets/common/qt.h"
#include "widgets/models/words.h"

namespace kernscope::ui {

QString differenceKinds()
{
    return Words::tr("Changes for another copy of A (*.kpatch);;Report (*.html);;"
                     "Markdown (*.md);;Table (*.csv);;JSON (*.json);;JUnit (*.xml)");
}

Result<std::string> differenceDocument(const BundlePtr &a, const BundlePtr &b,
                                       const DiffLimits &limits,
                                       const std::vector<PairChoice> &chosen,
                                       const QString &fileName, Progress &progress)
{
    static constexpr std::pair<const char *, const char *> kFormats[] = {
        {"kpatch", "changes"}, {"html", "html"}, {"md", "markdown"},
        {"csv", "csv"},        {"xml", "junit"}, {"json", "json"}};
    const std::string ending = QFileInfo(fileName).suffix().toLower().toStdString();
    const auto format = std::find_if(std::begin(kFormats), std::end(kFormats),
                                     [&](const auto &each) { return ending == each.first; });
    if (format == std::end(kFormats)) {
        return ErrorBuilder("diff.format")
            .file(fileName.toStdString())
            .expected(".kpatch, .html, .md, .csv, .json or .xml")
            .found(ending)
            .message("The ending of the name gives the format")
            .unexpected();
    }
    report::ComparisonWanted wanted;
    wanted.options.values = true;
    wanted.limits = limits;
    auto all =
        TRY(report::compareChecked(a, std::span(&b, 1), std::span(&chosen, 1), wanted, &progress));
    report::setRowOrder(all, format->second, {});
    return report::differenceDocument(all, format->second, {}, &progress);
}

namespace {

/// Elements [first, first + count) of a pair as runs that lie alike on both sides.
void addRuns(const PairSubject &subject, bool toA, std::uint64_t first, std::uint64_t count,
             std::vector<patch::CopyRun> &runs)
{
    const std::uint64_t run =
        subject.isPart() ? diff::sliceOf(*subject.a, *subject.b, subject.sides).run : UINT64_MAX;
    for (std::uint64_t at = first; at < first + count;) {
        const std::uint64_t left = run == UINT64_MAX ? count : run - at % run;
        const std::uint64_t some = std::min(left, first + count - at);
        runs.push_back({subject.elementOn(toA, at), subject.elementOn(!toA, at), some});
        at += some;
    }
}

/// Weights of the document and of the other bundle, and the type that ULP are counted in.
struct AcceptedPair {
    std::size_t to = 0, from = 0;
    ElementType type = ElementType::Fp16;
};

struct Accepted {
    std::vector<Edit> edits;
    std::uint64_t elements = 0;
    std::size_t weights = 0; ///< that get other values
};

Result<Accepted> acceptedOf(const BundlePtr &to, const BundlePtr &from, bool documentIsB,
                            const std::vector<AcceptedPair> &pairs, const ValueLimits &limits,
                            Progress &progress)
{
    Accepted accepted;
    for (const AcceptedPair &pair : pairs) {
        const auto within = [&](double before, double after) {
            return documentIsB ? elementWithin(after, before, pair.type, limits)
                               : elementWithin(before, after, pair.type, limits);
        };
        auto edits =
            TRY(patch::copyValues(*to, pair.to, *from, pair.from, 0,
                                  to->weights()[pair.to].elements.value, &progress, within));
        accepted.elements += patch::copiedElements(edits);
        accepted.weights += edits.empty() ? 0 : 1;
        accepted.edits.insert(accepted.edits.end(), std::make_move_iterator(edits.begin()),
                              std::make_move_iterator(edits.end()));
    }
    return accepted;
}

} // namespace

CompareCopies::CompareCopies(Session &session, const CompareModel &model,
                             std::function<std::optional<std::uint64_t>()> element, QObject *parent)
    : QObject(parent), m_session(session), m_model(model), m_element(std::move(element))
{
    const auto add = [this](const QString &text, const QString &tip, Extent extent) {
        connect(make(text, tip), &QAction::triggered, this, [this, extent] { copy(extent); });
    };
    add(tr("Copy Element from the Other"),
        tr("Give the selected element the value that it has in the other bundle"), Extent::Element);
    add(tr("Copy Channel from the Other"),
        tr("Give the output channel of the selected element the values of the other bundle"),
        Extent::Channel);
    add(tr("Copy Codebook from the Other"),
        tr("Give the codebooks the entries of the other bundle; the indices stay"),
        Extent::Codebook);
    add(tr("Copy Weight from the Other"),
        tr("Give the whole weight the values that it has in the other bundle, in its own form"),
        Extent::Weight);
    connect(make(tr("Accept All Within the Limits"),
                 tr("Give the document the values of the other bundle wherever they keep the "
                    "limits, as one step")),
            &QAction::triggered, this, &CompareCopies::acceptWithinLimits);
    connect(&session, &Session::patchingEnabledChanged, this, &CompareCopies::updateActions);
}

QAction *CompareCopies::make(const QString &text, const QString &tip)
{
    auto *action = new QAction(text, this);
    action->setToolTip(tip);
    action->setEnabled(false);
    m_actions.append(action);
    return action;
}

void CompareCopies::setBundles(BundlePtr a, BundlePtr b, bool documentIsB)
{
    m_a = std::move(a);
    m_b = std::move(b);
    m_documentIsB = documentIsB;
}

void CompareCopies::setSubject(const PairSubject &subject)
{
    m_subject = subject;
    updateActions();
}

void CompareCopies::updateActions()
{
    const bool enabled = m_session.patchingEnabled();
    for (QAction *action : m_actions)
        action->setEnabled(enabled && m_subject.comparable());
    QAction *codebook = m_actions[static_cast<int>(Extent::Codebook)];
    codebook->setEnabled(codebook->isEnabled() && !m_subject.isPart() &&
                         hasCodebooks(*m_subject.a, *m_subject.b, m_subject.sides));
    m_actions.back()->setEnabled(enabled && m_model.limits().any());
}

void CompareCopies::copy(Extent extent)
{
    if (!m_subject.comparable())
        return;
    const auto element = m_element();
    if ((extent == Extent::Element || extent == Extent::Channel) && !element) {
        Q_EMIT m_session.statusMessage(tr("Pick an element first."));
        return;
    }
    const Weight &weight = m_subject.weight();
    const QString name = fromUtf8(weight.name);
    const std::uint64_t channels =
        weight.shape.empty() ? 1 : std::max<std::uint64_t>(weight.shape[0], 1);
    const std::uint64_t perChannel = std::max<std::uint64_t>(weight.elements.value / channels, 1);
    const auto range = [this](std::uint64_t first, std::uint64_t count, const QString &title) {
        std::vector<patch::CopyRun> runs;
        addRuns(m_subject, !m_documentIsB, first, count, runs);
        copyRuns(std::move(runs), title);
    };
    switch (extent) {
    case Extent::Element:
        return range(*element, 1, tr("Copy an element of %1 from the other").arg(name));
    case Extent::Channel:
        return range(*element / perChannel * perChannel, perChannel,
                     tr("Copy a channel of %1 from the other").arg(name));
    case Extent::Weight:
        return range(0, weight.elements.value, tr("Copy %1 from the other").arg(name));
    case Extent::Codebook:
        return take(patch::copyCodebooks(*document(), weightOf(true), *other(), weightOf(false)),
                    tr("Copy the codebook of %1 from the other").arg(name),
                    tr("These values are the same already."));
    }
}

void CompareCopies::copyChosen(const QList<quint64> &elements)
{
    if (!m_subject.comparable() || !m_session.patchingEnabled()) {
        Q_EMIT m_session.statusMessage(tr("Patching is locked: unlock it in the Edit menu first."));
        return;
    }
    std::vector<patch::CopyRun> runs;
    for (const quint64 element : elements)
        addRuns(m_subject, !m_documentIsB, element, 1, runs);
    copyRuns(std::move(runs), tr("Copy %1 of %2 from the other")
                                  .arg(countedWords(static_cast<std::uint64_t>(elements.size()),
                                                    tr("1 element"), tr("%1 elements")),
                                       fromUtf8(m_subject.weight().name)));
}

void CompareCopies::copyRuns(std::vector<patch::CopyRun> runs, const QString &title)
{
    m_task.start(
        tr("Reading the values to copy"),
        [to = document(), from = other(), weightTo = weightOf(true), weightFrom = weightOf(false),
         runs = std::move(runs)](Progress &progress) {
            std::uint64_t elements = 0;
            for (const patch::CopyRun &run : runs)
                elements += run.count;
            progress.setTotal(elements);
            return patch::copyRuns(*to, weightTo, *from, weightFrom, runs, &progress);
        },
        [this, to = document(), title](Result<std::vector<Edit>> edits) {
            if (!edits || m_session.bundle() == to)
                take(std::move(edits), title, tr("These values are the same already."));
        });
}

void CompareCopies::take(Result<std::vector<Edit>> edits, const QString &title, const QString &none)
{
    if (!edits)
        Q_EMIT m_session.statusMessage(fromUtf8(describe(edits.error())));
    else if (edits->empty())
        Q_EMIT m_session.statusMessage(none);
    else
        m_session.requestEdits(*std::move(edits), title);
}

/// A pair that misses a limit of all its values (cosine, SNR) is left out whole; of the others
/// every element that keeps those of single elements is taken.
void CompareCopies::acceptWithinLimits()
{
    const ValueLimits limits = m_model.limits();
    if (!m_a || !m_b || !limits.any())
        return;
    ValueLimits ofWhole;
    ofWhole.minCosine = limits.minCosine;
    ofWhole.minSnr = limits.minSnr;
    // Without a limit of single elements those of the whole allow all of them.
    ValueLimits ofElements = limits;
    if (!limits.maxAbs && !limits.maxRel && !limits.maxUlp)
        ofElements.maxAbs = std::numeric_limits<double>::max();
    std::vector<AcceptedPair> pairs;
    std::uint64_t elements = 0;
    for (const report::PairRow &row : m_model.rows()) {
        const auto &values = row.pair.values;
        if (row.pair.slice || !values || values->identical() ||
            !exceededLimits(*values, ofWhole).empty())
            continue;
        pairs.push_back({m_documentIsB ? row.pair.b : row.pair.a,
                         m_documentIsB ? row.pair.a : row.pair.b, values->ulpType});
        elements += row.elements;
    }
    m_task.start(
        tr("Reading the values to accept"),
        [=, to = document(), from = other(), documentIsB = m_documentIsB](Progress &progress) {
            progress.setTotal(elements);
            return acceptedOf(to, from, documentIsB, pairs, ofElements, progress);
        },
        [this, to = document()](Result<Accepted> accepted) {
            if (accepted && m_session.bundle() != to)
                return;
            const QString title =
                accepted
                    ? tr("Accept %1 of %2 within the limits")
                          .arg(countedWords(accepted->elements, tr("1 element"), tr("%1 elements")),
                               countedWords(accepted->weights, tr("1 weight"), tr("%1 weights")))
                    : QString();
            take(std::move(accepted).map([](Accepted &&all) { return std::move(all.edits); }),
                 title, tr("Nothing that differs keeps the limits: there is nothing to accept."));
        });
}

} // namespace kernscope::ui

#include "moc_compare_copies.cpp"
