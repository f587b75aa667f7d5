// SPDX-License-Identifier: GPL-3.0-or-later
// Where HexDock goes with the others.
#include "core/bundle/bundle.h"
#include "widgets/bytes/hex_dock.h"
#include "widgets/bytes/hex_view.h"

#include <utility>

namespace kernscope::ui {

void HexDock::follow(const Place &place, QObject *origin)
{
    const BundlePtr &bundle = m_view->bundle();
    if (!bundle || origin == this)
        return;
    std::size_t file = place.file;
    std::optional<ByteRange> bytes = place.bytes;
    if (place.element) {
        // A whole section is too much where one element is meant.
        const auto exact = m_view->placeOf(place.weight, *place.element);
        countMask();
        const bool whole = bytes && place.section < bundle->sections().size() &&
                           *bytes == bundle->sections()[place.section].range;
        if (exact && (!bytes || whole)) {
            file = exact->file;
            bytes = exact->bytes;
        }
    }
    if (file >= bundle->files().size() || !bytes)
        return;
    if (file != m_view->file())
        showFile(file);
    if (m_view->selection() != *bytes)
        m_view->select(*bytes);
    m_view->markBits(place.bits);
    describeCursor();
}

/// A value of a large mask has its place once the mask is counted. Until then the whole weight is
/// selected.
void HexDock::countMask()
{
    const BoundOrder::Wanted wanted = m_view->wantedCounts();
    const bool counts = m_counting && !m_counting->progress().cancelled();
    if (!wanted.mask || (counts && m_counted == wanted.mask))
        return;
    if (m_counting)
        m_counting->cancel();
    m_counted = wanted.mask;
    m_counting = session().tasks().start(
        this, tr("Counting the mask"),
        [bundle = m_view->bundle(), wanted](Progress &) {
            const BundleReadLock lock(*bundle);
            return countedMask(*bundle, *wanted.mask, wanted.bits);
        },
        [this, bundle = m_view->bundle(),
         mask = wanted.mask](std::shared_ptr<const codec::MaskIndex> ranks) {
            m_counting = nullptr;
            if (m_view->bundle() != bundle)
                return;
            m_view->giveCounts(*mask, std::move(ranks));
            followPlace();
        });
}

} // namespace kernscope::ui
