// SPDX-License-Identifier: GPL-3.0-or-later
// How the navigator counts the zeros of weights.
#include "core/bundle/statistics.h"
#include "widgets/overview/bundle_dock.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kernscope::ui {

/// Weights whose bytes differ from the disk, or did when their zeros were last counted; and those
/// with literals, whose bytes are in the program's text; and those that an edit kept from being
/// counted.
std::vector<std::size_t> BundleDock::staleWeights()
{
    const Bundle &bundle = *m_model->bundle();
    m_touched.resize(bundle.weights().size(), false);
    std::vector<std::size_t> stale;
    for (std::size_t i = 0; i < m_touched.size(); ++i) {
        const OperandList &operands = bundle.weights()[i].operands();
        const bool literal =
            std::any_of(operands.begin(), operands.end(),
                        [](const codec::Operand &operand) { return operand.place->isLiteral(); });
        const bool changed = m_model->isChanged(i);
        const bool known = m_model->zeroFraction(i).has_value();
        const bool waits = m_zerosWanted && !known && !bundle.weights()[i].fault;
        if (waits || (known && (changed || literal || m_touched[i])))
            stale.push_back(i);
        m_touched[i] = changed;
    }
    return stale;
}

void BundleDock::countZeros(std::vector<std::size_t> weights)
{
    if (m_zerosTask)
        m_zerosTask->cancel();
    m_zerosTask = nullptr;
    if (weights.empty())
        return;
    using Shares = std::vector<std::pair<std::size_t, double>>;
    const BundlePtr bundle = m_model->bundle();
    m_zerosTask = session().tasks().start(
        this, tr("Counting zeros"),
        [bundle, weights = std::move(weights)](Progress &progress) {
            const BundleReadLock lock(*bundle);
            std::uint64_t elements = 0;
            for (const std::size_t weight : weights)
                elements += bundle->weights()[weight].elements.value;
            progress.setTotal(elements);
            Shares shares;
            for (const std::size_t weight : weights) {
                if (progress.cancelled())
                    break;
                const auto figures = computeStatistics(*bundle, weight, {}, &progress);
                if (figures)
                    shares.emplace_back(weight, figures->zeroFraction());
            }
            return shares;
        },
        [this](const Shares &shares) {
            m_zerosTask = nullptr;
            m_model->setZeroFractions(shares);
            refilter();
        });
}

void BundleDock::onTasksChanged()
{
    if (m_zerosTask && m_zerosTask->progress().cancelled())
        m_zerosTask = nullptr;
}

} // namespace kernscope::ui
