// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/window_parts.h"
#include "core/bundle/bundle.h"
#include "core/container/quantized/quantize.h"
#include "core/plan/section_build.h"

#include <QStringList>

/// Files that the window makes beside what is open, as `quantize`, `relayout` and `section` make
/// them: new ones, whole or not there. Nothing that is open is changed.

namespace kernscope::app {

/// A line of a small form: a choice of words, or a text.
struct AskedField {
    QString label;
    QStringList choices; ///< empty: a text
    QString text;        ///< what stands there at first
    QString tip = {};
};
/// Asks without waiting; `answered` gets a text a field, and nothing is called where the person
/// cancels. The dialog is a child of `parent`.
void askFields(QWidget *parent, const QString &title, const QString &intro,
               const std::vector<AskedField> &fields,
               std::function<void(const QStringList &)> answered);

/// The weight's values, as they stand, quantised into a new folder. Errors: those of the decoder,
/// of quantizeArray() and of OutputPlace.
Result<quantized::Quantized> quantizeWeight(const Bundle &bundle, std::size_t weight,
                                            const quantized::QuantizeOptions &options,
                                            const std::filesystem::path &folder);
/// A folder that `quantize` wrote, in other layouts as a new folder. Errors: those of
/// relayoutFolder() and of OutputPlace.
Result<void> relayoutTo(const std::filesystem::path &from,
                        const quantized::RelayoutOptions &options,
                        const std::filesystem::path &folder);
/// Weights of the bundle as a weight section for a chip, as a new file. Errors: "section.legality"
/// (the chip's encoder writes no such form), those of plan::buildSection() and of OutputPlace.
Result<void> buildSectionTo(const Bundle &bundle, const std::vector<std::size_t> &weights,
                            const plan::SectionOptions &options, const target::Target &target,
                            const std::filesystem::path &file);
/// The open weight section with its slots filled, or taken back where there are no addresses, as a
/// new file. Errors: those of relocate(), of writeSection() and of OutputPlace.
Result<void> relocateTo(const Bundle &bundle,
                        const std::optional<section::LoadAddresses> &addresses,
                        const std::filesystem::path &file);

/// What is written beside the open bundle: its values and a report of it, quantised weights and
/// their layouts, weight sections.
class ExportMenu final : public Controller
{
    Q_OBJECT

public:
    explicit ExportMenu(const WindowParts &parts) : Controller(parts) {}

    void fill(QMenu *menu);
    /// What makes new files beside the bundle.
    void fillMake(QMenu *make);
    QAction *report() const { return m_report; }

Q_SIGNALS:
    void docksAsked(); ///< the docks are to be in view

private:
    void askExport(const QString &title, const QString &filters, const QString &suffix,
                   const std::function<void(const QString &)> &write);
    void askQuantize();
    void make(const QString &title, const QString &path,
              std::function<Result<QString>(const Bundle &)> work);
    void askSection();
    void sayWritten(const Result<void> &made, const QString &path);
    void askRelayout(const QString &from);
    void askRelocate();
    void makeSection(const QString &title, const std::optional<section::LoadAddresses> &addresses);

    QAction *m_report = nullptr;
};

} // namespace kernscope::app
