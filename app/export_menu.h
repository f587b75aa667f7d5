// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window_parts.h"
#include "core/base/error.h"

#include <QString>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

class QAction;

namespace kernscope {
struct SliceOptions;
}
namespace kernscope::plan {
struct SectionOptions;
}
namespace kernscope::quantized {
struct QuantizeOptions;
}
namespace kernscope::section {
struct LoadAddresses;
}
namespace kernscope::target {
struct Target;
}

namespace kernscope::app {

/// What is written beside the open bundle: its values and a report of it, quantised weights and
/// their layouts, weight sections.
class ExportMenu final : public Controller
{
    Q_OBJECT

public:
    explicit ExportMenu(const WindowParts &parts) : Controller(parts) {}

    void fill(QMenu *menu);
    QAction *report() const { return m_report; }

Q_SIGNALS:
    void docksAsked(); ///< the docks are to be in view

private:
    void fillMake(QMenu *menu);
    void askExport(const QString &title, const QString &filters, const QString &suffix,
                   const std::function<void(const QString &)> &write);
    void askQuantize();
    void startQuantize(std::size_t weight, const quantized::QuantizeOptions &options,
                       const QString &path);
    void askSection();
    void startSection(const std::vector<std::size_t> &weights, const plan::SectionOptions &options,
                      const target::Target &chip, const QString &path);
    void startSlices(const std::vector<std::size_t> &weights, const SliceOptions &options,
                     const target::Target &chip, const QString &path);
    void sayWritten(const Result<void> &made, const QString &path);
    void askRelayout();
    void askRelocate();
    void makeSection(const QString &title, const std::optional<section::LoadAddresses> &addresses);

    QAction *m_report = nullptr;
};

} // namespace kernscope::app
