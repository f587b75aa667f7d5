// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/widgets/sample_session.h"
#include "widgets/common/tile_view.h"

namespace kernscope::test {

/// Elements of row `row` of the whole slice: one that the mask keeps, one that it leaves out.
inline std::pair<std::uint64_t, std::uint64_t> keptAndLeftOut(const Bundle &bundle,
                                                              std::size_t weight)
{
    const auto decoder = bundle.decoder(weight);
    std::uint64_t kept = 0, left = 0;
    while (!decoder->stored(kept))
        ++kept;
    while (decoder->stored(left))
        ++left;
    return {kept, left};
}

inline std::vector<Edit> editsOf(const QSignalSpy &spy, int call)
{
    return spy.at(call).at(0).value<std::vector<Edit>>();
}

inline QRgb centreOf(ui::TileView &view, const ui::Cell &cell)
{
    return view.viewport()->grab().toImage().pixel(view.cellRect(cell).topLeft() + QPoint(3, 3));
}

/// A build of the sample, and the first weight that is stored as it stores weights.
class WeightDockFixture : public QObject
{
    Q_OBJECT

protected:
    /// Of initTestCase().
    static void begin()
    {
        qRegisterMetaType<std::vector<Edit>>();
        ui::theme::apply(false);
    }

    void open(ui::Session &session, const char *build)
    {
        m_bundle = openSample(build);
        QVERIFY(m_bundle);
        m_weight = builtWeight(*m_bundle);
        QVERIFY(m_weight != kNoIndex);
        session.setBundle(m_bundle);
        session.goToWeight(m_weight);
    }

    /// The same, and shows a dock of it.
    bool show(ui::Session &session, ui::Dock &dock, const char *build, QSize size = {900, 700})
    {
        open(session, build);
        return m_weight != kNoIndex && showDock(dock, size.width(), size.height());
    }

    BundlePtr m_bundle;
    std::size_t m_weight = 0;
};
} // namespace kernscope::test
