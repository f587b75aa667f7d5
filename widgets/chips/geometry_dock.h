// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/roofline.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/dock.h"
#include "widgets/models/chip_models.h"

namespace kernscope::ui {

class DatapathView;

/// Groups, passes, cores, buffering, Winograd and cycles of an operation: a consumer of the bundle,
/// or numbers typed in by hand.
class GeometryDock final : public Dock
{
    Q_OBJECT

public:
    explicit GeometryDock(Session &session, QWidget *parent = nullptr);

    EngineFactModel &model() { return *m_model; }
    DatapathView &datapath() { return *m_datapath; }
    QComboBox &activation()
    {
        return *m_activation;
    } ///< of the activation: fp16, int8, uint8, e4m3
    QComboBox &chooser() { return *m_chooser; }
    /// Input and output channels, kernel, output and stride, as they stand.
    QSpinBox &field(std::size_t which) { return *m_fields[which]; }
    enum Field : std::size_t { In, Out, KernelW, KernelH, OutputW, OutputH, Stride, Bits, Fields };

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    struct Choice {
        std::size_t weight = kNoIndex, consumer = 0;
    };
    class OperationList;
    QWidget *buildFields(QWidget *parent);
    void buildActions();
    void fillChooser();
    void takeOperation();
    void showOperation();
    void typed();
    void takeModes();
    void compute();
    std::optional<roofline::Layer> layerOf(const Choice &choice) const;
    Result<decision::Geometry> geometry(const decision::GeometryOptions &options);

    ChipState &m_state;
    OperationList *m_operations = nullptr;
    QComboBox *m_chooser = nullptr, *m_mode = nullptr, *m_reading = nullptr;
    QComboBox *m_activation = nullptr, *m_workUnit = nullptr;
    std::array<QSpinBox *, Fields> m_fields{};
    QDoubleSpinBox *m_density = nullptr;
    QLabel *m_summary = nullptr;
    DatapathView *m_datapath = nullptr;
    EngineFactModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    BundlePtr m_shown;
    decision::LayerOperation m_operation;
    std::optional<roofline::Layer> m_layer; ///< that the operation is of; empty: typed in
    bool m_filling = false;
};

} // namespace kernscope::ui
