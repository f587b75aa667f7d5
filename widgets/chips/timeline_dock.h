// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/placement_table.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock.h"
#include "widgets/common/plot_widget.h"

namespace kernscope::ui {

/// A layer with its two times in the form that is looked at.
struct TimelineLayer {
    std::size_t weight = 0, consumer = 0;
    /// Without its name and the compiler's estimate: what layers that differ in nothing else have
    /// in common.
    std::shared_ptr<const report::TimedLayer> figures;
};

/// The layers one after the other along an axis of time, in two lanes: their arithmetic and their
/// bytes. The longer one, which binds, is full, the other one hatched. A third lane has the stored
/// forms where others are looked at. Lines: all layers together, and what a call takes at least,
/// unless that lies far out.
class TimelinePlot final : public PlotWidget
{
    Q_OBJECT

public:
    explicit TimelinePlot(QWidget *parent = nullptr);

    /// The layers of `bundle`, which it keeps for their names; null where there are none.
    void setContent(BundlePtr bundle, std::vector<TimelineLayer> layers, std::optional<double> sumS,
                    std::optional<double> floorS);
    const BundlePtr &bundle() const { return m_bundle; }
    std::size_t weightOf(int point) const { return at(point).weight; }
    const report::TimedLayer &figuresOf(int point) const { return *at(point).figures; }
    report::TimedLayer layer(int point) const;   ///< whole
    int pointOfWeight(std::size_t weight) const; ///< -1: none

    int pointCount() const override { return static_cast<int>(m_layers.size()); }
    QString pointText(int point) const override;

protected:
    double keyOf(int point) const override { return (startOf(point) + startOf(point + 1)) / 2; }
    int pointAt(double key) const override;
    void applyColors(bool dark) override;

private:
    struct Line {
        QCPItemStraightLine *line = nullptr;
        QCPItemText *text = nullptr;
    };
    Line makeLine(Qt::Alignment side);
    void showLine(const Line &line, const std::optional<double> &seconds, double textAt,
                  const QString &text);
    static void addBox(QCPCurve &lane, double middle, double from, double seconds);
    double fillLanes(); ///< the end of the third lane; 0 where there is none
    void nameLayers();
    /// Seconds from the start of the call; of pointCount(): the end of the last one.
    double startOf(int point) const { return m_starts[static_cast<std::size_t>(point)]; }

    const TimelineLayer &at(int point) const { return m_layers[static_cast<std::size_t>(point)]; }

    BundlePtr m_bundle; ///< whose layers are shown
    std::vector<TimelineLayer> m_layers;
    std::optional<double> m_sum, m_floor;
    std::vector<double> m_starts{0};
    int m_namedAt = -1; ///< width of the axes for which the layers are named
    QCPCurve *m_compute = nullptr, *m_memory = nullptr;           ///< those that bind
    QCPCurve *m_computeSlack = nullptr, *m_memorySlack = nullptr; ///< those that do not
    QCPCurve *m_before = nullptr;
    Line m_sumLine, m_floorLine;
};

/// The layers one after the other with their two times, for the stored forms and for any other.
class TimelineDock final : public Dock
{
    Q_OBJECT

public:
    explicit TimelineDock(Session &session, QWidget *parent = nullptr);

    TimelinePlot &plot() { return *m_plot; }
    QComboBox &forms() { return *m_forms; }
    QLabel &facts() { return *m_facts; }

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    struct Placed;
    static Placed place(const Bundle &bundle, const roofline::Roofs &roofs,
                        const target::TargetChoice &choice, std::uint64_t batch,
                        const std::string &form, Progress *progress);
    void fillForms();
    static QString timesFact(const roofline::ProgramTime &program);
    void showPlaced(const BundlePtr &bundle, Placed placed);
    void forget();

    ChipState &m_state;
    QComboBox *m_forms = nullptr;
    QSpinBox *m_batch = nullptr;
    QLabel *m_facts = nullptr;
    TimelinePlot *m_plot = nullptr;
    Job m_task{session().tasks(), this};  ///< places the layers of a large bundle
    std::weak_ptr<const Bundle> m_placed; ///< whose layers are shown
};

} // namespace kernscope::ui
