// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "resources/sample.h"
#include "tests/test_program.h"
#include "widgets/common/dock.h"
#include "widgets/models/session.h"

/// What the tests of the weight views share: the embedded sample as bundles in memory.
namespace kernscope::test {

/// "sample-dense.mlmodelc", "sample-sparse.mlmodelc" or "sample-palette.mlmodelc"; null where it
/// cannot be opened. Every call opens its own copy, so that edits stay within a test.
inline BundlePtr openSample(std::string_view name)
{
    for (const sample::SampleBundle &bundle : sample::bundles()) {
        if (bundle.name != name)
            continue;
        return Bundle::open(bundle.name, {.memory = bundle.files}).value_or(nullptr);
    }
    return nullptr;
}

/// Index of the first weight that has a part of that role and `rank` axes or more.
inline std::size_t weightWith(const Bundle &bundle, codec::PartRole role, std::size_t rank = 2)
{
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        if (bundle.weights()[i].has(role) && bundle.weights()[i].shape.size() >= rank)
            return i;
    }
    return kNoIndex;
}

/// A dock over a session of its own:
///     auto [session, dock] = test::Alone<ui::HexDock>();
template <class D>
struct Alone {
    ui::Session session;
    D dock{session};
};

/// Shows a dock alone and waits until it has drawn what it shows.
inline bool settle(ui::Dock &dock)
{
    return QTest::qWaitFor([&dock] { return !dock.busy(); }, 20000);
}

inline bool showDock(ui::Dock &dock, int width = 900, int height = 700)
{
    dock.resize(width, height);
    dock.show();
    dock.activateWindow();
    return QTest::qWaitForWindowActive(&dock) && settle(dock);
}

/// The same, once the session has these bundles.
inline bool showDock(ui::Dock &dock, ui::Session &session, BundlePtr a, BundlePtr b = nullptr,
                     QSize size = {900, 700})
{
    session.setBundle(std::move(a));
    if (b)
        session.setOther(std::move(b));
    return showDock(dock, size.width(), size.height());
}

} // namespace kernscope::test
