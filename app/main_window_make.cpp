// SPDX-License-Identifier: GPL-3.0-or-later
// What is made beside the open bundle: quantised weights, their layouts, addresses of a section.
#include "app/main_window.h"

#include "app/ask_fields.h"
#include "app/error_text.h"
#include "app/made_files.h"
#include "app/paths.h"
#include "app/status_line.h"
#include "core/base/csv.h"
#include "core/format/tquant.h"
#include "core/report/text_table.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/table_text.h"
#include "widgets/common/task_manager.h"

#include <QFileDialog>
#include <QMenu>

namespace kernscope::app {

namespace {

/// "0x40000"; empty: none.
std::optional<std::uint64_t> addressIn(const QString &text)
{
    const auto number = parseInteger(text.toStdString());
    return number && *number >= 0 ? std::optional(static_cast<std::uint64_t>(*number))
                                  : std::nullopt;
}

} // namespace

void MainWindow::buildMakeActions(QMenu *menu)
{
    QMenu *make = menu->addMenu(tr("&Make Beside It"));
    m_needBundle << add(make, tr("&Quantise the Weight\u2026"), {}, [this] { askQuantize(); })
                 << add(make, tr("&Build a Weight Section\u2026"), {}, [this] { askSection(); })
                 << add(make, tr("&Relocate the Section\u2026"), {}, [this] { askRelocate(); })
                 << add(make, tr("&Strip the Section\u2026"), {},
                        [this] { makeSection(tr("Strip the Section"), {}); });
    add(make, tr("Change the &Layout of a Quantised Folder\u2026"), {}, [this] { askRelayout(); });
}

/// The place's weight as pto.tquant has it, into a new folder.
void MainWindow::askQuantize()
{
    const std::size_t weight = m_session.place().weight;
    if (weight >= m_session.bundle()->weights().size()) {
        m_status->showMessage(tr("Select the weight that is to be quantised."));
        return;
    }
    QStringList devices{QString()};
    for (const std::string &device : format::tquantDevices())
        devices << ui::fromUtf8(device);
    const auto words = [](const char *text) { return QString::fromLatin1(text).split(u' '); };
    askFields(
        this, tr("Quantise the Weight"),
        tr("%1 as pto.tquant makes it of fp32 values, its first axis the rows. The result is a new "
           "folder; the bundle stays as it is.")
            .arg(ui::fromUtf8(m_session.bundle()->weights()[weight].findableName())),
        {{tr("Format"), words("mxfp8 mxfp4 int8 uint8"), QStringLiteral("mxfp8")},
         {tr("Groups along"), {tr("columns (1)"), tr("rows (0)")}, tr("columns (1)")},
         {tr("Algorithm"), words("ocp nv"), QStringLiteral("ocp")},
         {tr("Data"), words("nd nz"), QStringLiteral("nd")},
         {tr("Exponents"),
          {QString(), QStringLiteral("nd"), QStringLiteral("zz"), QStringLiteral("interleaved")},
          QString()},
         {tr("Source"),
          {QString(), QStringLiteral("fp32"), QStringLiteral("fp16"), QStringLiteral("bf16")},
          QString()},
         {tr("Device"), devices, QString()}},
        [this, weight](const QStringList &asked) {
            quantized::QuantizeOptions options;
            options.format = asked[0].toStdString();
            options.axis = asked[1] == tr("rows (0)") ? 0 : 1;
            options.algorithm = asked[2].toStdString();
            options.layout = asked[3].toStdString();
            options.exponents = asked[4].toStdString();
            options.source = asked[5].toStdString();
            options.device = asked[6].toStdString();
            options.tiles = true;
            ui::openSaveDialog(this, tr("New Folder"), QStringLiteral("weight.") + asked[0], {},
                               [this, weight, options](const QString &path) {
                                   startQuantize(weight, options, path);
                               });
        });
}

void MainWindow::startQuantize(std::size_t weight, const quantized::QuantizeOptions &options,
                               const QString &path)
{
    const BundlePtr bundle = m_session.bundle();
    if (!bundle || weight >= bundle->weights().size())
        return;
    m_session.tasks().start(
        this, tr("Quantising"),
        [bundle, weight, options, path](Progress &) {
            return quantizeWeight(*bundle, weight, options, toPath(path));
        },
        [this, path](const Result<quantized::Quantized> &made) {
            if (!made) {
                m_status->showMessage(tr("Not quantised: %1").arg(errorSentence(made.error())));
                return;
            }
            m_status->showMessage(tr("%1: %2, relative error %3")
                                      .arg(path, ui::fromUtf8(report::bytesText(made->bytes)))
                                      .arg(made->figures.relative, 0, 'g', 3));
        });
}

void MainWindow::askRelayout()
{
    const QString from = QFileDialog::getExistingDirectory(this, tr("Folder That Quantise Wrote"),
                                                           {}, QFileDialog::ShowDirsOnly);
    if (from.isEmpty())
        return;
    askFields(
        this, tr("Change the Layout"),
        tr("The same numbers in other layouts, as TMOV makes them, in a new folder."),
        {{tr("Data"), {QString(), QStringLiteral("nd"), QStringLiteral("nz")}, QString()},
         {tr("Exponents"),
          {QString(), QStringLiteral("nd"), QStringLiteral("zz"), QStringLiteral("interleaved")},
          QString()}},
        [this, from](const QStringList &asked) {
            const quantized::RelayoutOptions options{asked[0].toStdString(),
                                                     asked[1].toStdString()};
            ui::openSaveDialog(this, tr("New Folder"), QStringLiteral("relaid"), {},
                               [this, from, options](const QString &path) {
                                   sayWritten(relayoutTo(toPath(from), options, toPath(path)),
                                              path);
                               });
        });
}

/// The place's weight, or all of them, as a weight section for the chosen chip.
void MainWindow::askSection()
{
    const target::Target &chip = ui::ChipState::of(m_session).target();
    const auto words = [](const char *text) { return QString::fromLatin1(text).split(u' '); };
    const QString all = tr("all"), one = tr("the selected one");
    askFields(this, tr("Build a Weight Section"),
              tr("A relocatable section (.ksec) for %1, read back before it is written.")
                  .arg(ui::fromUtf8(chip.name)),
              {{tr("Weights"), {all, one}, all},
               {tr("Form"), words("stored dense sparse palette affine"), QStringLiteral("stored")},
               {tr("Bits of a palette"), words("1 2 3 4 6 8"), QStringLiteral("4")},
               {tr("Entries of a palette"), words("fp16 int8 e4m3"), QStringLiteral("fp16")}},
              [this, &chip, one](const QStringList &asked) {
                  plan::SectionOptions options;
                  options.form = asked[1].toStdString();
                  options.bits = asked[2].toUInt();
                  options.entries = asked[3].toStdString();
                  const std::size_t weight = m_session.place().weight;
                  if (asked[0] == one && weight >= m_session.bundle()->weights().size()) {
                      m_status->showMessage(tr("Select the weight that is to be built."));
                      return;
                  }
                  const auto weights = asked[0] == one ? std::vector<std::size_t>{weight}
                                                       : plan::sectionWeights(*m_session.bundle());
                  askExport(tr("Build a Weight Section"), tr("Weight sections (*.ksec)"),
                            QStringLiteral("ksec"),
                            [this, &chip, options, weights](const auto &path) {
                                startSection(weights, options, chip, path);
                            });
              });
}

void MainWindow::startSection(const std::vector<std::size_t> &weights,
                              const plan::SectionOptions &options, const target::Target &chip,
                              const QString &path)
{
    const BundlePtr bundle = m_session.bundle();
    m_session.tasks().start(
        this, tr("Building the section"),
        [bundle, weights, options, &chip, path](Progress &) {
            return buildSectionTo(*bundle, weights, options, chip, toPath(path));
        },
        [this, path](const Result<void> &made) { sayWritten(made, path); });
}

/// How something that was made ended.
void MainWindow::sayWritten(const Result<void> &made, const QString &path)
{
    m_status->showMessage(made ? tr("Written: %1").arg(path)
                               : tr("Not written: %1").arg(errorSentence(made.error())));
}

void MainWindow::askRelocate()
{
    askFields(this, tr("Relocate the Section"),
              tr("Fills the slots of the records with the addresses that a loader would give, in a "
                 "copy of the section."),
              {{tr("Base"), {}, QStringLiteral("0x0"), tr("A multiple of 64")},
               {tr("Input tile"), {}, {}, tr("Empty: its slots stay unresolved")},
               {tr("Output tile"), {}, {}, tr("Empty: its slots stay unresolved")}},
              [this](const QStringList &asked) {
                  for (const QString &text : asked) {
                      if (!text.isEmpty() && !addressIn(text)) {
                          m_status->showMessage(tr("%1 is no address such as 0x40000.").arg(text));
                          return;
                      }
                  }
                  makeSection(tr("Relocate the Section"),
                              section::LoadAddresses{addressIn(asked[0]).value_or(0),
                                                     addressIn(asked[1]), addressIn(asked[2])});
              });
}

/// With its slots filled, or taken back.
void MainWindow::makeSection(const QString &title,
                             const std::optional<section::LoadAddresses> &addresses)
{
    if (!m_session.bundle()->section()) {
        m_status->showMessage(tr("Open a weight section (.ksec) first."));
        return;
    }
    askExport(title, tr("Weight sections (*.ksec)"), QStringLiteral("out.ksec"),
              [this, addresses](const QString &path) {
                  sayWritten(relocateTo(*m_session.bundle(), addresses, toPath(path)), path);
              });
}

} // namespace kernscope::app
