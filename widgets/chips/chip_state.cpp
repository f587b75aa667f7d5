// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/chip_state.h"

#include "core/assessment/weight_layers.h"
#include "core/base/csv.h"
#include "core/bundle/bundle.h"
#include "core/target/rules.h"
#include "widgets/common/labels.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"
#include "widgets/models/words.h"

#include <QSignalBlocker>

namespace kernscope::ui {

namespace {

struct Content {
    std::shared_ptr<const DecisionTable> table;
    std::vector<bool> faster;
};

/// Weights with a layer that would take less time on the default chip in another form, where the
/// program waits for its engine: below the dispatch floor nothing gets faster.
std::vector<bool> fasterForms(const Bundle &bundle, Progress &progress)
{
    const std::size_t weights = bundle.weights().size();
    std::vector<bool> faster(weights, false);
    const auto roofs = roofline::roofsOf(target::defaultTarget());
    if (!roofs)
        return faster;
    roofline::LayerTimes times;
    const auto note = [&](const ChipLayer &placed) {
        const auto &stored = placed.figures->stored().timeS;
        const roofline::Assessment *best = placed.figures->bestForm();
        times.add(placed.figures->layer, placed.figures->stored());
        if (stored && best && best->timeS && *best->timeS < 0.99 * *stored)
            faster[placed.weight] = true;
    };
    const bool whole = forEachPlacement(bundle, *roofs, {}, 1, KeptForms::Ends, &progress, note);
    if (!whole || times.total(*roofs).hidesGains())
        faster.assign(weights, false);
    return faster;
}

} // namespace

ChipState &ChipState::of(Session &session)
{
    if (auto *state = session.findChild<ChipState *>(QString(), Qt::FindDirectChildrenOnly))
        return *state;
    return *new ChipState(session);
}

ChipState::ChipState(Session &session)
    : QObject(&session), m_session(session), m_target(&target::defaultTarget()),
      m_assessed(m_target)
{
    connect(&session, &Session::bundleChanged, this, [this] {
        forget();
        rebuild();
    });
    // After an edit the table stands until the new one comes: its rows are the same weights.
    connect(&session, &Session::bytesChanged, this, &ChipState::rebuild);
    m_task.whenCancelled([this] {
        m_cut = true;
        forget();
        Q_EMIT tableChanged();
    });
    rebuild();
}

void ChipState::setTarget(const target::Target &target)
{
    if (&target == m_target)
        return;
    m_target = &target;
    m_choice = {}; // what was chosen is of the other chip
    Q_EMIT targetChanged();
}

void ChipState::setAssessed(const target::Target &target)
{
    if (&target == m_assessed)
        return;
    m_assessed = &target;
    Q_EMIT assessedChanged();
}

void ChipState::setChoice(const target::TargetChoice &choice)
{
    m_choice = choice;
    Q_EMIT targetChanged();
}

QString ChipState::waitingText() const
{
    return m_cut
               ? tr("Judging the weights was cancelled. Judge the Weights Again in the Chips menu "
                    "starts it anew.")
               : tr("Judging the weights\u2026");
}

void ChipState::forget()
{
    m_table = nullptr;
    m_fasterOnM1.clear();
}

void ChipState::rebuild()
{
    m_task.stop();
    m_cut = false;
    const BundlePtr bundle = m_session.bundle();
    if (!bundle || (m_table && m_table->rows() != bundle->weights().size()))
        forget();
    if (bundle) {
        m_task.start(
            tr("Judging weights by chip"),
            [bundle](Progress &progress) {
                const BundleReadLock lock(*bundle);
                Content content;
                content.faster = fasterForms(*bundle, progress);
                if (progress.cancelled())
                    return content;
                content.table = std::make_shared<DecisionTable>(*bundle, allTargets());
                return content;
            },
            [this](Content content) {
                m_table = std::move(content.table);
                m_fasterOnM1 = std::move(content.faster);
                Q_EMIT tableChanged();
            });
    }
    Q_EMIT tableChanged();
}

ChipBox::ChipBox(QWidget *parent) : QComboBox(parent)
{
    setAccessibleName(tr("Chip"));
    for (const target::Target &target : target::targets()) {
        // Its name first: typing it chooses the chip.
        const QString name = fromUtf8(target.name), product = productWord(target);
        addItem(product.isEmpty() ? name : QStringLiteral("%1 \u00B7 %2").arg(name, product));
        QStringList facts;
        for (const std::string &alias : target.aliases)
            facts += fromUtf8(alias);
        facts = {facts.join(QStringLiteral(", ")), fromUtf8(target.silicon), fromUtf8(target.note)};
        facts.removeAll(QString());
        setItemData(count() - 1, facts.join(QStringLiteral("; ")), Qt::ToolTipRole);
    }
    setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    setMinimumContentsLength(14);
    connect(this, &QComboBox::activated, this, [this] { Q_EMIT targetChosen(target()); });
}

const target::Target &ChipBox::target() const
{
    const auto targets = target::targets();
    const auto at = static_cast<std::size_t>(std::max(currentIndex(), 0));
    return targets[std::min(at, targets.size() - 1)];
}

void ChipBox::setTarget(const target::Target &target)
{
    const QSignalBlocker quiet(this);
    setCurrentIndex(static_cast<int>(target.index));
}

ChipBox *sharedChipBox(ChipState &state, QWidget *parent)
{
    auto *box = new ChipBox(parent);
    box->setTarget(state.target());
    QObject::connect(box, &ChipBox::targetChosen, &state, &ChipState::setTarget);
    QObject::connect(&state, &ChipState::targetChanged, box,
                     [box, &state] { box->setTarget(state.target()); });
    return box;
}

QComboBox *sharedCoresBox(ChipState &state, QWidget *parent)
{
    auto *box = named(new QComboBox(parent), ChipBox::tr("Cores"));
    const auto fill = [box, &state] {
        const QSignalBlocker quiet(box);
        box->clear();
        const auto standard = target::cores(state.target(), state.choice());
        for (const target::Claim &claim : target::claims(state.target(), "cores")) {
            const auto number = parseInteger(claim.value);
            if (!number)
                continue;
            const bool contested = target::isContested(state.target(), "cores");
            box->addItem(
                (contested ? theme::glyph(Token::MarkContested) + QLatin1Char(' ') : QString()) +
                    ChipBox::tr("%1 cores").arg(*number),
                static_cast<uint>(*number));
            box->setItemData(box->count() - 1, fromUtf8(claim.source), Qt::ToolTipRole);
            if (standard && standard->value == static_cast<unsigned>(*number))
                box->setCurrentIndex(box->count() - 1);
        }
        if (box->count() == 0)
            box->addItem(state.target().cores ? ChipBox::tr("%1 cores").arg(*state.target().cores)
                                              : ChipBox::tr("cores unknown"));
        box->setEnabled(box->count() > 1);
        box->setToolTip(standard ? fromUtf8(standard->source) : QString());
    };
    fill();
    QObject::connect(&state, &ChipState::targetChanged, box, fill);
    QObject::connect(box, &QComboBox::activated, &state, [box, &state] {
        state.setChoice({box->currentData().toUInt(), {}});
    });
    return box;
}

namespace {

/// Leaves of the trail only the stored, the dense and the best form, and of these the figures.
void keepEnds(roofline::Placement &placed)
{
    std::vector<roofline::Assessment> kept;
    const auto keep = [&](std::size_t &index) {
        if (index == 0)
            return;
        kept.push_back(std::move(placed.trail[index]));
        index = kept.size() - 1;
    };
    const bool same = placed.best == placed.dense;
    kept.reserve(3);
    kept.push_back(std::move(placed.trail.front()));
    keep(placed.dense);
    if (same)
        placed.best = placed.dense;
    else if (placed.best)
        keep(*placed.best);
    placed.trail = std::move(kept);
    for (roofline::Assessment &one : placed.trail) {
        one.weight = {};
        if (one.outcome != decision::Outcome::Rejected) // which refusal it is stays known
            one.decision = {};
        one.measured = {};
        one.speedup.reset();
        one.energy.reset();
        one.energyMeasured = {};
    }
}

/// Places layers, equal ones once.
class LayerPlacer
{
public:
    LayerPlacer(const roofline::Roofs &roofs, const target::TargetChoice &choice,
                std::uint64_t batch, KeptForms kept)
        : m_roofs(roofs), m_judge(choice), m_batch(batch), m_kept(kept)
    {
    }

    /// Nothing where the batch is out of range.
    std::optional<ChipLayer> place(roofline::Layer &&layer)
    {
        layer.name.clear();
        ChipLayer placed{std::exchange(layer.weight, 0), std::exchange(layer.consumer, 0), nullptr};
        if (const auto known = m_known.find(layer); known != m_known.end()) {
            placed.figures = known->second;
            return placed;
        }
        auto figures = roofline::place(layer, m_roofs, m_judge, m_batch);
        if (!figures)
            return std::nullopt;
        if (m_kept == KeptForms::Ends)
            keepEnds(*figures);
        placed.figures = std::make_shared<const roofline::Placement>(std::move(*figures));
        if (m_known.size() >= kMostPlacements) // layers that have them share them
            m_known.clear();
        m_known.emplace(std::move(layer), placed.figures);
        return placed;
    }

private:
    const roofline::Roofs &m_roofs;
    decision::Judge m_judge;
    std::uint64_t m_batch;
    KeptForms m_kept;
    std::unordered_map<roofline::Layer, std::shared_ptr<const roofline::Placement>, Hashed> m_known;
};

} // namespace

const std::string &ChipLayer::name(const Bundle &bundle) const
{
    return layerName(bundle.weights()[weight], consumer);
}

std::string ChipLayer::label(const Bundle &bundle) const
{
    const roofline::Layer &common = figures->layer;
    return common.ofSeveral ? common.function + "/" + name(bundle) : name(bundle);
}

roofline::Layer ChipLayer::layer(const Bundle &bundle) const
{
    roofline::Layer whole = figures->layer;
    whole.name = name(bundle);
    whole.weight = weight;
    whole.consumer = consumer;
    return whole;
}

roofline::Placement ChipLayer::placement(const Bundle &bundle) const
{
    roofline::Placement whole = *figures;
    whole.layer = layer(bundle);
    return whole;
}

bool forEachPlacement(const Bundle &bundle, const roofline::Roofs &roofs,
                      const target::TargetChoice &choice, std::uint64_t batch, KeptForms kept,
                      Progress *progress, const std::function<void(ChipLayer &&)> &visit)
{
    const LayerReader reader(bundle);
    if (progress)
        progress->setTotal(reader.weights());
    LayerPlacer placer(roofs, choice, batch, kept);
    for (std::size_t i = 0; i < reader.weights(); ++i) {
        for (roofline::Layer &layer : reader.layers(i, reader.form(i))) {
            auto placed = placer.place(std::move(layer));
            if (!placed)
                return false;
            visit(std::move(*placed));
        }
        if (progress && !progress->advance(1))
            return false;
    }
    return true;
}

std::optional<ChipNetwork> placeNetwork(const Bundle &bundle, const roofline::Roofs &roofs,
                                        const target::TargetChoice &choice, std::uint64_t batch,
                                        Progress *progress)
{
    ChipNetwork network;
    network.roofs = roofs;
    roofline::LayerTimes times;
    const auto add = [&](ChipLayer &&placed) {
        times.add(placed.figures->layer, placed.figures->stored());
        network.layers.push_back(std::move(placed));
    };
    if (!forEachPlacement(bundle, roofs, choice, batch, KeptForms::Ends, progress, add))
        return std::nullopt;
    network.layers.shrink_to_fit();
    network.program = times.total(roofs);
    return network;
}

} // namespace kernscope::ui

#include "moc_chip_state.cpp"
