// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_facts.h"
#include "core/report/verdict.h"
#include "widgets/models/session.h"
#include "widgets/models/task_manager.h"

#include <QComboBox>

namespace kernscope::ui {

/// What the docks about chips share: the chip that they judge by, and every weight's decision on
/// every chip, made off the GUI thread when a bundle comes. One a session.
class ChipState final : public QObject
{
    Q_OBJECT

public:
    static ChipState &of(Session &session);

    const target::Target &target() const { return *m_target; }
    void setTarget(const target::Target &target);
    /// The chip of the cell that was chosen in the matrix: the assessment is of that one.
    const target::Target &assessed() const { return *m_assessed; }
    void setAssessed(const target::Target &target);
    /// Figures chosen otherwise than the chapters have them.
    const target::TargetChoice &choice() const { return m_choice; }
    void setChoice(const target::TargetChoice &choice);

    /// The decisions of the open bundle; null while they are being made or without a bundle.
    const std::shared_ptr<const DecisionTable> &table() const { return m_table; }
    /// What the program waits for on target(), and which weights would gain; nothing while that is
    /// being worked out for another bundle or chip.
    const std::optional<report::ProgramVerdict> &verdict() const { return m_verdict; }
    bool working() const { return m_task.running() || m_judging.running(); }
    /// Why there is no table: it is being made, or a person cancelled that.
    QString waitingText() const;
    /// Makes the table anew.
    void judgeAgain() { rebuild(); }

Q_SIGNALS:
    void targetChanged();
    void assessedChanged();
    void tableChanged();
    void verdictChanged();

private:
    explicit ChipState(Session &session);
    void rebuild();
    void forget() { m_table = nullptr; }
    void judgeProgram();

    Session &m_session;
    const target::Target *m_target = nullptr, *m_assessed = nullptr;
    target::TargetChoice m_choice;
    std::shared_ptr<const DecisionTable> m_table;
    std::optional<report::ProgramVerdict> m_verdict;
    Job m_task{m_session.tasks()}, m_judging{m_session.tasks()};
    bool m_cut = false; ///< making the table was cancelled
};

/// Chooses a chip, by its name and products. Beside it, the cores where sources disagree.
class ChipBox final : public QComboBox
{
    Q_OBJECT

public:
    explicit ChipBox(QWidget *parent = nullptr);
    const target::Target &target() const;
    void setTarget(const target::Target &target); ///< emits nothing

Q_SIGNALS:
    void targetChosen(const kernscope::target::Target &target);
};

/// A box that follows and sets the chip of the session.
ChipBox *sharedChipBox(ChipState &state, QWidget *parent);
/// A box with the numbers of cores that sources give the chip; follows and sets the choice.
QComboBox *sharedCoresBox(ChipState &state, QWidget *parent);

/// A network of at most this many weights is placed within a frame; a larger one in a task.
inline constexpr std::size_t kMostPlacedAtOnce = 500;

/// A layer of a bundle on a chip.
struct ChipLayer {
    std::size_t weight = 0, consumer = 0;
    /// What layers that differ in nothing but their names and these two have in common: their layer
    /// has no name, and the numbers 0.
    std::shared_ptr<const roofline::Placement> figures;

    /// All of these read the names in the bundle that the layer was placed of.
    const std::string &name(const Bundle &bundle) const;
    std::string label(const Bundle &bundle) const;             ///< roofline::Layer::label
    roofline::Layer layer(const Bundle &bundle) const;         ///< whole
    roofline::Placement placement(const Bundle &bundle) const; ///< with the whole layer
};

/// The layers of a bundle on a chip, in the order of its weights.
struct ChipNetwork {
    roofline::Roofs roofs;
    std::vector<ChipLayer> layers;
    roofline::ProgramTime program;
};

/// What is kept of the forms that a layer was tried in.
enum class KeptForms : std::uint8_t {
    All,
    Ends, ///< the stored, the dense and the best form: times, bytes and rates only
};

/// How many different placements are remembered while layers are placed: some kilobytes each;
/// networks have hundreds of different layers at most.
inline constexpr std::size_t kMostPlacements = 4096;

/// Places the layers of a bundle one after the other, in the order of its weights, and hands each
/// to `visit`: whole trails of 50,000 layers would take half a gigabyte. Equal layers are placed
/// once. `progress` counts weights. False where it was cancelled, or the batch is out of range.
bool forEachPlacement(const Bundle &bundle, const roofline::Roofs &roofs,
                      const target::TargetChoice &choice, std::uint64_t batch, KeptForms kept,
                      Progress *progress, const std::function<void(ChipLayer &&)> &visit);

/// The layers of a bundle on a chip, as roofline::assessNetwork gives them, but with the figures of
/// the stored, the dense and the best form only. Nothing where it was cancelled, or the batch is
/// out of range.
std::optional<ChipNetwork> placeNetwork(const Bundle &bundle, const roofline::Roofs &roofs,
                                        const target::TargetChoice &choice, std::uint64_t batch,
                                        Progress *progress = nullptr);

} // namespace kernscope::ui
