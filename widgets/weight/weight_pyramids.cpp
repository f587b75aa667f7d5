// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/weight/weight_pyramids.h"

#include "widgets/models/session.h"

namespace kernscope::ui {

namespace {

/// Slices that are told apart; older ones are forgotten, and their tiles go as they age.
constexpr std::size_t kMostPictures = 64;

} // namespace

WeightPyramids &WeightPyramids::of(Session &session)
{
    if (auto *own = session.findChild<WeightPyramids *>(QString(), Qt::FindDirectChildrenOnly))
        return *own;
    return *new WeightPyramids(session);
}

WeightPyramids::WeightPyramids(Session &session)
    : QObject(&session), m_store(std::make_shared<BoxStore>())
{
    const auto forget = [this] { m_pictures.clear(); };
    connect(&session, &Session::bundleChanged, this, forget);
    connect(&session, &Session::otherChanged, this, forget);
    connect(&session, &Session::bytesChanged, this, forget);
}

PicturePyramid WeightPyramids::pyramid(const Bundle *bundle, std::size_t weight,
                                       const SliceMap &map, Kind kind)
{
    return pyramidOfPair({bundle, weight, map}, {}, kind);
}

PicturePyramid WeightPyramids::pyramidOfPair(const Slice &a, const Slice &b, Kind kind)
{
    for (const Picture &known : m_pictures) {
        if (known.kind == kind && known.a == a && known.b == b)
            return {m_store, known.number};
    }
    if (m_pictures.size() >= kMostPictures)
        m_pictures.erase(m_pictures.begin());
    m_pictures.push_back({a, b, kind, m_next++});
    return {m_store, m_pictures.back().number};
}

} // namespace kernscope::ui

#include "moc_weight_pyramids.cpp"
