// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/compare/element_changes.h"
#include "core/container/milblob/milblob.h"
#include "tests/widgets/sample_session.h"

// More bundles in memory, for tests of the views of files.
namespace kernscope::test {

/// A bare weight file of `records` uint8 records of `bytes` bytes each.
inline BundlePtr blobBundle(std::size_t records, std::size_t bytes)
{
    milblob::Writer writer;
    std::vector<std::byte> payload(bytes);
    for (std::size_t i = 0; i < records; ++i) {
        for (std::size_t k = 0; k < bytes; ++k)
            payload[k] = static_cast<std::byte>((i + k) & 0xff);
        writer.add(ElementType::Uint8, payload, 0);
    }
    OpenOptions options;
    options.memory.emplace_back("weight.bin", writer.finish());
    return Bundle::open("weight.bin", options).value_or(nullptr);
}

/// The first file of weights.
inline std::size_t weightFile(const Bundle &bundle)
{
    for (std::size_t i = 0; i < bundle.files().size(); ++i) {
        if (bundle.files()[i].role == SectionKind::Data)
            return i;
    }
    return kNoIndex;
}

/// Elements of a weight that differ from the disk.
inline std::set<std::uint64_t> changedElements(const Bundle &bundle, std::size_t weight)
{
    const BundleReadLock lock(bundle);
    const auto decoder = bundle.decoder(weight);
    const ElementChanges changes(bundle, weight, *decoder);
    std::set<std::uint64_t> found;
    for (std::uint64_t e = 0; e < decoder->elements().value; ++e) {
        if (changes.changed(e))
            found.insert(e);
    }
    return found;
}

/// The colour at a place of a widget's picture, whatever the pixel ratio.
inline QColor colorAt(const QImage &picture, const QPoint &at)
{
    return picture.pixelColor((QPointF(at) * picture.devicePixelRatio()).toPoint());
}

/// Shows a dock alone with the keyboard in it, and waits until it has done what it has to do.
inline bool shown(ui::Dock &dock)
{
    dock.resize(900, 500);
    dock.show();
    dock.activateWindow();
    return QTest::qWaitForWindowActive(&dock) && settle(dock);
}

inline bool shown(ui::Dock &dock, ui::Session &session, BundlePtr bundle)
{
    session.setBundle(std::move(bundle));
    return shown(dock);
}

} // namespace kernscope::test
