// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "resources/sample.h"
#include "tests/test_program.h"
#include "widgets/common/dock.h"
#include "widgets/models/table_text.h"
#include "widgets/models/task_manager.h"
#include "widgets/models/theme.h"

/// What the tests of the docks share: the embedded sample as bundles in memory, docks alone, and
/// what both say.
namespace kernscope::test {

/// The embedded sample in a build: "dense", "sparse", "palette", or its whole name.
inline sample::SampleBundle sampleOf(std::string_view build)
{
    for (sample::SampleBundle &bundle : sample::bundles()) {
        if (bundle.name.find(build) != std::string::npos)
            return std::move(bundle);
    }
    return {};
}

/// The same, opened; null where it cannot be. Every call opens its own copy, so that edits stay
/// within a test.
inline BundlePtr openSample(std::string_view build)
{
    const sample::SampleBundle sample = sampleOf(build);
    return Bundle::open(sample.name, {.memory = sample.files}).value_or(nullptr);
}

/// The same with its weights cut to one part in `parts`; 0: without their bytes.
inline BundlePtr cutSample(std::string_view build, std::size_t parts)
{
    sample::SampleBundle sample = sampleOf(build);
    for (auto &[path, bytes] : sample.files) {
        if (path.ends_with("weight.bin"))
            bytes.resize(parts == 0 ? 0 : bytes.size() / parts);
    }
    return Bundle::open(sample.name, {.memory = sample.files}).value_or(nullptr);
}

/// Rows of a test: the three builds, and both themes.
inline void addBuilds()
{
    QTest::addColumn<QString>("build");
    for (const char *build : {"dense", "sparse", "palette"})
        addRow(build, QString::fromLatin1(build));
}

inline void addThemes()
{
    QTest::addColumn<bool>("dark");
    addRow("light", false);
    addRow("dark", true);
}

/// Turns bits of a byte over, all of them or those given, as an edit does.
inline bool turnByte(const Bundle &bundle, std::size_t file, FileOffset at,
                     std::byte bits = std::byte{0xff})
{
    OverlaidFile &of = *bundle.files()[file].file;
    const std::byte now = of.bytes()[at.value] ^ bits;
    return of.write(at, std::span(&now, 1)).has_value();
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

/// The first weight stored as a build of the sample stores weights: with a mask, a codebook, or
/// neither.
inline std::size_t builtWeight(const Bundle &bundle)
{
    for (const auto role : {codec::PartRole::Mask, codec::PartRole::Lut, codec::PartRole::Data}) {
        if (const std::size_t index = weightWith(bundle, role); index != kNoIndex)
            return index;
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

inline bool showDock(ui::Dock &dock, ui::Session &session, BundlePtr bundle, QSize size)
{
    return showDock(dock, session, std::move(bundle), nullptr, size);
}

/// Shows a widget that is no dock.
inline bool expose(QWidget &widget, QSize size = {500, 400})
{
    widget.resize(size);
    widget.show();
    return QTest::qWaitForWindowExposed(&widget);
}

/// The action of the dock's menu whose text begins so; null where there is none.
inline QAction *actionOf(const ui::Dock &dock, const QString &text)
{
    for (QAction *action : dock.menuActions()) {
        if (action->text().startsWith(text))
            return action;
    }
    return nullptr;
}

/// Whether a visible label says so.
inline bool says(const QWidget &widget, const QString &text)
{
    const auto labels = widget.findChildren<QLabel *>();
    return std::ranges::any_of(labels, [&text](const QLabel *label) {
        return label->isVisible() && label->text().contains(text);
    });
}

/// Cancels every task that starts, until it is disconnected.
inline QMetaObject::Connection cancelTasks(ui::Session &session)
{
    return QObject::connect(&session.tasks(), &ui::TaskManager::changed, &session,
                            [&session] { session.tasks().cancelAll(); });
}

} // namespace kernscope::test
