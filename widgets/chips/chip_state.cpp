// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/chips/chip_state.h"

#include "core/assessment/weight_layers.h"
#include "core/base/csv.h"
#include "widgets/common/labels.h"
#include "widgets/models/words.h"

#include <QSignalBlocker>

namespace kernscope::ui {

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
        m_verdict.reset();
        rebuild();
        judgeProgram();
    });
    // After an edit the table stands until the new one comes: its rows are the same weights.
    connect(&session, &Session::bytesChanged, this, &ChipState::rebuild);
    connect(&session, &Session::bytesChanged, this, &ChipState::judgeProgram);
    connect(this, &ChipState::targetChanged, this, [this] {
        m_verdict.reset();
        judgeProgram();
    });
    m_task.whenCancelled([this] {
        m_cut = true;
        forget();
        Q_EMIT tableChanged();
    });
    rebuild();
    judgeProgram();
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
    return m_cut ? tr("Judging the weights was cancelled. Judge the Weights Again in View, Docks "
                      "starts it anew.")
                 : tr("Judging the weights\u2026");
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
            [bundle](Progress &) {
                const BundleReadLock lock(*bundle);
                return std::make_shared<const DecisionTable>(*bundle, allTargets());
            },
            [this](std::shared_ptr<const DecisionTable> table) {
                m_table = std::move(table);
                Q_EMIT tableChanged();
            });
    }
    Q_EMIT tableChanged();
}

void ChipState::judgeProgram()
{
    m_judging.stop();
    const BundlePtr bundle = m_session.bundle();
    const auto roofs = roofline::roofsOf(*m_target);
    if (bundle && roofs)
        m_judging.start(
            tr("Judging the program"),
            [bundle, roofs = *roofs, choice = m_choice](Progress &progress) {
                const BundleReadLock lock(*bundle);
                report::VerdictMaker maker;
                forEachPlacement(*bundle, roofs, choice, 1, KeptForms::Ends, &progress,
                                 [&maker](const ChipLayer &placed) {
                                     maker.add(placed.weight, *placed.figures);
                                 });
                return maker.verdict(*bundle, roofs);
            },
            [this](report::ProgramVerdict verdict) {
                m_verdict = std::move(verdict);
                Q_EMIT verdictChanged();
            });
    Q_EMIT verdictChanged();
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
