// SPDX-License-Identifier: GPL-3.0-or-later
// What the other bundle has and the limits allow, taken over as one step.
#include "core/bundle/bundle.h"
#include "core/patch/edit/copy_values.h"
#include "widgets/common/counted_words.h"
#include "widgets/common/table_text.h"
#include "widgets/compare/compare_dock.h"
#include "widgets/compare/limits_bar.h"

#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace kernscope::ui {

namespace {

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

Result<Accepted> acceptedOf(const BundlePtr &to, const BundlePtr &from, bool swapped,
                            const std::vector<AcceptedPair> &pairs, const ValueLimits &limits,
                            Progress &progress)
{
    Accepted accepted;
    for (const AcceptedPair &pair : pairs) {
        const auto within = [&](double before, double after) {
            return swapped ? elementWithin(after, before, pair.type, limits)
                           : elementWithin(before, after, pair.type, limits);
        };
        auto edits = patch::copyValues(*to, pair.to, *from, pair.from, 0,
                                       to->weights()[pair.to].elements.value, &progress, within);
        if (!edits)
            return tl::unexpected(std::move(edits.error()));
        accepted.elements += patch::copiedElements(*edits);
        accepted.weights += edits->empty() ? 0 : 1;
        accepted.edits.insert(accepted.edits.end(), std::make_move_iterator(edits->begin()),
                              std::make_move_iterator(edits->end()));
    }
    return accepted;
}

} // namespace

/// A pair that misses a limit of all its values (cosine, SNR) is left out whole; of the others
/// every element that keeps those of single elements is taken.
void CompareDock::acceptWithinLimits()
{
    const ValueLimits limits = m_model->limits();
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
    for (const report::PairRow &row : m_model->rows()) {
        const auto &values = row.pair.values;
        if (row.pair.slice || !values || values->identical() ||
            !exceededLimits(*values, ofWhole).empty())
            continue;
        pairs.push_back({m_swapped ? row.pair.b : row.pair.a, m_swapped ? row.pair.a : row.pair.b,
                         values->ulpType});
        elements += row.elements;
    }
    const BundlePtr to = m_swapped ? m_b : m_a, from = m_swapped ? m_a : m_b;
    if (m_copying)
        m_copying->cancel();
    m_copying = session().tasks().start(
        this, tr("Reading the values to accept"),
        [=, swapped = m_swapped](Progress &progress) {
            progress.setTotal(elements);
            return acceptedOf(to, from, swapped, pairs, ofElements, progress);
        },
        [this, to](Result<Accepted> accepted) {
            m_copying = nullptr;
            if (!accepted)
                Q_EMIT session().statusMessage(fromUtf8(describe(accepted.error())));
            else if (accepted->edits.empty())
                Q_EMIT session().statusMessage(
                    tr("Nothing that differs keeps the limits: there is nothing to accept."));
            else if (session().bundle() == to) {
                const QString title =
                    tr("Accept %1 of %2 within the limits")
                        .arg(countedWords(accepted->elements, tr("1 element"), tr("%1 elements")),
                             countedWords(accepted->weights, tr("1 weight"), tr("%1 weights")));
                session().requestEdits(std::move(accepted->edits), title);
            }
        });
}

} // namespace kernscope::ui
