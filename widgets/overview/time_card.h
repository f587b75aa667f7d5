// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"
#include "widgets/common/card_frame.h"

#include <memory>

class QLabel;

namespace kernscope::target {
struct Target;
}

namespace kernscope::ui {

class ChipState;

/// A card of the overview: the time that the engine is predicted to take for all layers of the
/// bundle on the chip that the docks judge by, and what binds.
class TimeCard final : public CardFrame
{
    Q_OBJECT

public:
    explicit TimeCard(QWidget *parent);

    /// Works the time out where the bundle or the chip are others than before.
    void showTime(const BundlePtr &bundle, const ChipState &chips);
    QString text() const; ///< the figure and its note

private:
    std::weak_ptr<const Bundle> m_bundle; ///< the one whose time is shown
    const target::Target *m_target = nullptr;
    QLabel *m_value = nullptr, *m_note = nullptr;
};

} // namespace kernscope::ui
