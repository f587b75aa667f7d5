// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/compare/comparison_job.h"

#include "core/bundle/pair_read_lock.h"
#include "core/diff/weight_fingerprint.h"

#include <algorithm>
#include <utility>

namespace kernscope::ui {

namespace {

ComparisonMemory::PairKey keyOf(const ComparedPair &pair)
{
    return {pair.a, pair.b};
}

bool comparable(const ComparedPair &pair)
{
    return pair.shapeEqual && !pair.fault;
}

/// The three stages over two bundles.
class Comparison
{
public:
    Comparison(ComparisonMemory &now, const ComparisonMemory *before, ComparisonInbox &inbox)
        : m_now(now), m_before(before), m_inbox(inbox)
    {
    }

    void run(Progress &progress)
    {
        pairUp(progress);
        if (!progress.cancelled())
            compareFiles(progress);
        for (std::size_t i = 0; i < m_pairs.size() && !progress.cancelled(); ++i)
            comparePair(i, progress);
        if (!progress.cancelled())
            sumUp();
    }

private:
    void pairUp(Progress &progress)
    {
        PairedWeights paired = pairWeights(*m_now.a, *m_now.b, m_now.chosen, &progress);
        if (progress.cancelled())
            return;
        m_pairs = std::move(paired.pairs);
        {
            const PairReadLock lock(*m_now.a, *m_now.b);
            m_now.printsA = weightFingerprints(*m_now.a);
            m_now.printsB = weightFingerprints(*m_now.b);
        }
        for (ComparedPair &pair : m_pairs) {
            if (const auto *known = m_before ? m_before->find(m_now, keyOf(pair)) : nullptr)
                pair.values = *known;
            else if (comparable(pair))
                m_elements += comparedWeight(*m_now.a, *m_now.b, pair).elements.value;
        }
        auto rows = report::pairRows(*m_now.a, *m_now.b, m_pairs, paired.onlyA, paired.onlyB);
        const std::lock_guard guard(m_inbox.mutex);
        m_inbox.rows = std::move(rows);
    }

    /// The program and the stored bytes of each pair; they count as much as the elements after.
    void compareFiles(Progress &progress)
    {
        auto files =
            compareBundles(*m_now.a, *m_now.b,
                           {.values = false, .bytes = false, .pairs = m_now.chosen}, &progress);
        if (!files || progress.cancelled())
            return;
        std::uint64_t total = m_elements;
        for (std::size_t i = 0; i < std::min(m_pairs.size(), files->weights.size()); ++i) {
            const ComparedPair &found = files->weights[i];
            if (keyOf(found) != keyOf(m_pairs[i]))
                continue;
            m_pairs[i].layoutEqual = found.layoutEqual;
            m_pairs[i].storedEqual = found.storedEqual;
            if (found.layoutEqual)
                total += m_now.a->weights()[found.a].storedBytes.value;
        }
        progress.setTotal(total);
        m_files = std::make_shared<const Difference>(*std::move(files));
        const std::lock_guard guard(m_inbox.mutex);
        m_inbox.files = m_files;
    }

    void comparePair(std::size_t number, Progress &progress)
    {
        ComparedPair &pair = m_pairs[number];
        if (!comparable(pair)) {
            if (!pair.shapeEqual && findReshaped(*m_now.a, *m_now.b, pair, &progress) &&
                (pair.reshaped || pair.rule))
                tell(number);
            return;
        }
        if (pair.values)
            describeValues(*m_now.a, *m_now.b, pair);
        else if (!findValues(*m_now.a, *m_now.b, pair, 0.0, &progress) || progress.cancelled())
            return;
        if (pair.values)
            m_now.values[keyOf(pair)] = *pair.values;
        tell(number);
    }

    void tell(std::size_t number)
    {
        auto row = report::pairRow(*m_now.a, *m_now.b, m_pairs[number]);
        const std::lock_guard guard(m_inbox.mutex);
        m_inbox.pairs.push_back({number, std::move(row)});
    }

    void sumUp()
    {
        if (!m_files)
            return;
        Difference whole = *m_files;
        whole.weights = m_pairs;
        auto outcome =
            std::make_shared<const ComparisonOutcome>(m_now.a, m_now.b, std::move(whole));
        const std::lock_guard guard(m_inbox.mutex);
        m_inbox.outcome = std::move(outcome);
    }

    ComparisonMemory &m_now;
    const ComparisonMemory *m_before;
    ComparisonInbox &m_inbox;
    std::vector<ComparedPair> m_pairs; ///< one a row, in the order of the first rows
    std::shared_ptr<const Difference> m_files;
    std::uint64_t m_elements = 0; ///< to be decoded on either side
};

} // namespace

const ValueDifference *ComparisonMemory::find(const ComparisonMemory &now, PairKey key) const
{
    const auto at = values.find(key);
    const auto [wa, wb] = key;
    const bool same = at != values.end() && wa < printsA.size() && wb < printsB.size() &&
                      wa < now.printsA.size() && wb < now.printsB.size() &&
                      printsA[wa] == now.printsA[wa] && printsB[wb] == now.printsB[wb];
    return same ? &at->second : nullptr;
}

void runComparison(ComparisonMemory &now, const ComparisonMemory *before, ComparisonInbox &inbox,
                   Progress &progress)
{
    Comparison(now, before, inbox).run(progress);
}

} // namespace kernscope::ui
