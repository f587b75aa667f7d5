// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/export_menu.h"

#include "app/bookmarks_dock.h"
#include "app/dock_set.h"
#include "app/files.h"
#include "app/texts.h"
#include "core/base/csv.h"
#include "core/base/output_place.h"
#include "core/base/overlaid_file.h"
#include "core/report/column.h"
#include "widgets/chips/chip_state.h"
#include "widgets/common/export_jobs.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/qt.h"
#include "widgets/common/tile_view.h"
#include "widgets/models/table_text.h"
#include "widgets/models/theme.h"
#include "widgets/patch/patches_dock.h"

#include <sys/stat.h>
#include <unistd.h>

namespace kernscope::app {

void askFields(QWidget *parent, const QString &title, const QString &intro,
               const std::vector<AskedField> &fields,
               std::function<void(const QStringList &)> answered)
{
    auto *dialog = new QDialog(parent);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    auto *form = new QFormLayout(dialog);
    auto *words = new QLabel(intro, dialog);
    words->setWordWrap(true);
    form->addRow(words);
    std::vector<std::function<QString()>> answers;
    for (const AskedField &field : fields) {
        QWidget *asked = nullptr;
        if (field.choices.isEmpty()) {
            auto *edit = new QLineEdit(field.text, dialog);
            answers.emplace_back([edit] { return edit->text().trimmed(); });
            asked = edit;
        } else {
            auto *box = new QComboBox(dialog);
            box->addItems(field.choices);
            box->setCurrentText(field.text);
            answers.emplace_back([box] { return box->currentText(); });
            asked = box;
        }
        asked->setAccessibleName(field.label);
        asked->setToolTip(field.tip);
        form->addRow(field.label, asked);
    }
    auto *buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, dialog);
    form->addRow(buttons);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    QObject::connect(buttons, &QDialogButtonBox::accepted, dialog, &QDialog::accept);
    QObject::connect(dialog, &QDialog::accepted, parent,
                     [answers = std::move(answers), answered = std::move(answered)] {
                         QStringList texts;
                         for (const auto &answer : answers)
                             texts << answer();
                         answered(texts);
                     });
    dialog->resize(ui::theme::em(dialog, 34), dialog->sizeHint().height());
    dialog->open();
}

namespace {

Result<void> writeNewFile(const std::filesystem::path &path, std::span<const std::byte> bytes)
{
    QFile file(path);
    const auto size = static_cast<qint64>(bytes.size());
    if (file.open(QIODevice::WriteOnly) &&
        file.write(reinterpret_cast<const char *>(bytes.data()), size) == size && file.flush() &&
        ::fsync(file.handle()) == 0)
        return {};
    return ErrorBuilder("io.write")
        .file(path.string())
        .message(file.errorString().toStdString())
        .unexpected();
}

Result<void> writeFolder(const quantized::Folder &made, const std::filesystem::path &folder,
                         std::vector<std::filesystem::path> inputs)
{
    auto place = TRY(OutputPlace::claim(folder, OutputKind::Matrix, {false, std::move(inputs)}));
    const std::string manifest = quantized::manifestText(made.manifest);
    auto written =
        writeNewFile(place.temporary() / quantized::kManifest, std::as_bytes(std::span(manifest)));
    for (const auto &[name, bytes] : made.files) {
        if (written)
            written = writeNewFile(place.temporary() / name, std::as_bytes(std::span(bytes)));
    }
    if (!written)
        return written;
    ::fchmod(place.descriptor(), place.defaultPermissions());
    return place.publish();
}

Result<void> writeBesideBundle(std::span<const std::byte> bytes, const std::filesystem::path &file,
                               const Bundle &bundle)
{
    auto place = TRY(OutputPlace::claim(file, OutputKind::File, {false, {bundle.path()}}));
    TRY(writeNewFile(place.temporary(), bytes));
    return place.publish();
}

} // namespace

Result<quantized::Quantized> quantizeWeight(const Bundle &bundle, std::size_t weight,
                                            const quantized::QuantizeOptions &options,
                                            const std::filesystem::path &folder)
{
    auto decoder = TRY(bundle.decoder(weight));
    const Weight &of = bundle.weights()[weight];
    std::vector<float> values(decoder.elements().value);
    {
        const BundleReadLock lock(bundle);
        decoder.decodeFloat(0, values);
    }
    quantized::QuantizeInput input;
    input.array.type = of.type;
    input.array.shape = of.shape;
    input.array.values.assign(values.begin(), values.end());
    input.path = std::filesystem::absolute(bundle.path()).string() + " " + of.address();
    auto made = TRY(quantized::quantizeArray(input, options));
    TRY(writeFolder(made.folder, folder, {bundle.path()}));
    return made;
}

Result<void> relayoutTo(const std::filesystem::path &from,
                        const quantized::RelayoutOptions &options,
                        const std::filesystem::path &folder)
{
    const auto before =
        TRY(quantized::readFolder([&from](std::string_view name, std::uint64_t most) {
            return readSmallFile(from / name, most).map([](const std::string &all) {
                return quantized::Bytes(all.begin(), all.end());
            });
        }));
    const auto made = TRY(quantized::relayoutFolder(before, options));
    return writeFolder(made.folder, folder, {from});
}

Result<void> buildSectionTo(const Bundle &bundle, const std::vector<std::size_t> &weights,
                            const plan::SectionOptions &options, const target::Target &target,
                            const std::filesystem::path &file)
{
    if (const auto refused = plan::sectionRefusals(bundle, weights, options, target);
        !refused.empty()) {
        const auto &[weight, rule] = refused.front();
        return ErrorBuilder("section.legality")
            .field(bundle.weights()[weight].findableName())
            .expected(rule.required)
            .found(rule.found)
            .message("No encoder of " + target.name + " writes this form: " + rule.gate)
            .unexpected();
    }
    const auto built = TRY(plan::buildSection(bundle, weights, options, target, file.string()));
    return writeBesideBundle(built.bytes, file, bundle);
}

Result<void> relocateTo(const Bundle &bundle,
                        const std::optional<section::LoadAddresses> &addresses,
                        const std::filesystem::path &file)
{
    if (!bundle.section())
        return ErrorBuilder("section.none")
            .file(std::string(bundle.name()))
            .message("The open bundle is not a weight section")
            .unexpected();
    const BundleReadLock lock(bundle);
    const auto source = bundle.files().front().file->bytes();
    auto section = TRY(section::readSection(source, std::string(bundle.name())));
    if (!addresses)
        section::strip(section);
    else if (auto done = section::relocate(section, *addresses); !done)
        return done;
    const auto bytes = TRY(section::writeSection(section, source));
    return writeBesideBundle(bytes, file, bundle);
}

namespace {

/// "0x40000"; empty: none.
std::optional<std::uint64_t> addressIn(const QString &text)
{
    const auto number = parseInteger(text.toStdString());
    return number && *number >= 0 ? std::optional(static_cast<std::uint64_t>(*number))
                                  : std::nullopt;
}

/// The bookmarks of the bundle, as the report has them.
std::vector<report::ReportNote> reportNotes(const DockSet &docks)
{
    std::vector<report::ReportNote> notes;
    const Bookmarks bookmarks = docks.bookmarks()->model().bookmarks();
    for (const Bookmark &bookmark : bookmarks)
        notes.push_back({placeInWords(bookmark).toStdString(), bookmark.note.toStdString()});
    return notes;
}

} // namespace

void ExportMenu::fill(QMenu *menu)
{
    menu->addSeparator();
    QAction *one =
        m_actions->add(menu, tr("Export &Weight as .npy, .npz, .safetensors, .csv\u2026"), {},
                       Needs::Bundle, [this] {
                           if (m_session.place().weight >= m_session.bundle()->weights().size())
                               Q_EMIT m_session.statusMessage(tr("Select a weight to export it."));
                           ui::askAndExportWeight(&m_window, m_session, m_session.bundle(),
                                                  m_session.place().weight);
                       });
    for (const char *id : {"weight", "overview"}) {
        for (QAbstractScrollArea *view :
             m_docks->dock(QLatin1String(id))->findChildren<QAbstractScrollArea *>()) {
            const bool tiles = qobject_cast<ui::TileView *>(view) != nullptr;
            if (tiles)
                view->setContextMenuPolicy(Qt::ActionsContextMenu);
            if (tiles || (qobject_cast<QAbstractItemView *>(view) &&
                          view->contextMenuPolicy() == Qt::ActionsContextMenu))
                view->addAction(one);
        }
    }
    m_actions->add(menu, tr("&Export All Weights\u2026"), Qt::CTRL | Qt::ALT | Qt::Key_E,
                   Needs::Bundle, [this] {
                       askExport(tr("Export All Weights"),
                                 tr("Tensors (*.safetensors);;Arrays of NumPy (*.npz)"),
                                 u"safetensors"_s, [this](const QString &path) {
                                     ui::exportTensors(m_session, m_session.bundle(), path);
                                 });
                   });
    m_actions->add(menu, tr("&Import Values of the Weight\u2026"), {}, Needs::Bundle, [this] {
        const std::size_t weight = m_session.place().weight;
        if (weight >= m_session.bundle()->weights().size()) {
            Q_EMIT m_session.statusMessage(tr("Select the weight that gets the values."));
            return;
        }
        Q_EMIT docksAsked();
        m_docks->patches()->importValues();
    });
    m_report =
        m_actions->add(menu, tr("Export Repor&t\u2026"), Qt::CTRL | Qt::ALT | Qt::Key_R, [this] {
            askExport(tr("Export Report"), tr("HTML (*.html);;PDF (*.pdf)"), u"html"_s,
                      [this](const QString &path) {
                          ui::exportReport(m_session, m_session.bundle(), reportNotes(*m_docks),
                                           path);
                      });
        });
}

void ExportMenu::fillMake(QMenu *make)
{
    m_actions->add(make, tr("&Quantise the Weight\u2026"), {}, Needs::Bundle,
                   [this] { askQuantize(); });
    m_actions->add(make, tr("&Build a Weight Section\u2026"), {}, Needs::Bundle,
                   [this] { askSection(); });
    m_actions->add(make, tr("&Relocate the Section\u2026"), {}, Needs::Section,
                   [this] { askRelocate(); });
    m_actions->add(make, tr("&Strip the Section\u2026"), {}, Needs::Section,
                   [this] { makeSection(tr("Strip the Section"), {}); });
    m_actions->add(make, tr("Change the &Layout of a Quantised Folder\u2026"), {}, [this] {
        pickFolder(m_window, tr("Folder That Quantise Wrote"),
                   [this](const QString &from) { askRelayout(from); });
    });
}

/// Asks for a file; `write` gets its path.
void ExportMenu::askExport(const QString &title, const QString &filters, const QString &suffix,
                           const std::function<void(const QString &)> &write)
{
    const QString name =
        QFileInfo(m_document.name()).completeBaseName() + QLatin1Char('.') + suffix;
    ui::openSaveDialog(&m_window, title, name, filters, [this, write](const QString &path) {
        if (m_session.bundle())
            write(path);
    });
}

/// The place's weight as pto.tquant has it, into a new folder.
void ExportMenu::askQuantize()
{
    const std::size_t weight = m_session.place().weight;
    if (weight >= m_session.bundle()->weights().size()) {
        Q_EMIT m_session.statusMessage(tr("Select the weight that is to be quantised."));
        return;
    }
    QStringList devices{QString()};
    for (const std::string &device : format::tquantDevices())
        devices << ui::fromUtf8(device);
    const auto words = [](const char *text) { return QString::fromLatin1(text).split(u' '); };
    askFields(
        &m_window, tr("Quantise the Weight"),
        tr("%1 as pto.tquant makes it of fp32 values, its first axis the rows. The result is a new "
           "folder; the bundle stays as it is.")
            .arg(ui::fromUtf8(m_session.bundle()->weights()[weight].findableName())),
        {{tr("Format"), words("mxfp8 mxfp8_e5m2 mxfp4 int8 uint8"), u"mxfp8"_s},
         {tr("Groups along"), {tr("columns (1)"), tr("rows (0)")}, tr("columns (1)")},
         {tr("Algorithm"), words("ocp nv"), u"ocp"_s},
         {tr("Data"), words("nd nz"), u"nd"_s},
         {tr("Exponents"), {QString(), u"nd"_s, u"zz"_s, u"interleaved"_s}, QString()},
         {tr("Source"), {QString(), u"fp32"_s, u"fp16"_s, u"bf16"_s}, QString()},
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
            ui::openSaveDialog(&m_window, tr("New Folder"), u"weight."_s + asked[0], {},
                               [this, weight, options](const QString &path) {
                                   if (const BundlePtr now = m_session.bundle();
                                       !now || weight >= now->weights().size())
                                       return;
                                   make(tr("Quantising"), path, [=](const Bundle &bundle) {
                                       return quantizeWeight(bundle, weight, options, toPath(path))
                                           .map([&path](const quantized::Quantized &made) {
                                               return tr("%1: %2, relative error %3")
                                                   .arg(path,
                                                        ui::fromUtf8(report::bytesText(made.bytes)))
                                                   .arg(made.figures.relative, 0, 'g', 3);
                                           });
                                   });
                               });
        });
}

/// As a task on what is open; the status line tells what came of it.
void ExportMenu::make(const QString &title, const QString &path,
                      std::function<Result<QString>(const Bundle &)> work)
{
    if (!m_session.bundle())
        return;
    m_session.tasks().start(
        this, title, [bundle = m_session.bundle(), work](Progress &) { return work(*bundle); },
        [this, path](const Result<QString> &said) {
            if (said)
                Q_EMIT m_session.statusMessage(*said);
            else
                sayWritten(tl::unexpected(said.error()), path);
        });
}

/// The place's weight, or all of them, as a weight section for the chosen chip.
void ExportMenu::askSection()
{
    const target::Target &chip = ui::ChipState::of(m_session).target();
    const auto words = [](const char *text) { return QString::fromLatin1(text).split(u' '); };
    const QString all = tr("all"), one = tr("the selected one");
    askFields(
        &m_window, tr("Build a Weight Section"),
        tr("A relocatable section (.ksec) for %1, read back before it is written.")
            .arg(ui::fromUtf8(chip.name)),
        {{tr("Weights"), {all, one}, all},
         {tr("Form"), words("stored dense sparse palette affine"), u"stored"_s},
         {tr("Bits of a palette"), words("1 2 3 4 6 8"), u"4"_s},
         {tr("Entries of a palette"), words("fp16 int8 e4m3"), u"fp16"_s},
         {tr("Most channels of a group"), {}, {}, tr("Empty: as the chip deals them")}},
        [=, this, &chip](const QStringList &asked) {
            const std::size_t weight = m_session.place().weight;
            if (asked[0] == one && weight >= m_session.bundle()->weights().size()) {
                Q_EMIT m_session.statusMessage(tr("Select the weight that is to be built."));
                return;
            }
            const std::uint64_t lanes = addressIn(asked[4]).value_or(0);
            if (!asked[4].isEmpty() && lanes == 0) {
                Q_EMIT m_session.statusMessage(tr("%1 is not a number from 1 on.").arg(asked[4]));
                return;
            }
            const auto weights = asked[0] == one ? std::vector<std::size_t>{weight}
                                                 : plan::sectionWeights(*m_session.bundle());
            plan::SectionOptions options;
            options.form = asked[1].toStdString();
            options.bits = asked[2].toUInt();
            options.entries = asked[3].toStdString();
            options.lanes = lanes;
            askExport(tr("Build a Weight Section"), tr("Weight sections (*.ksec)"), u"ksec"_s,
                      [this, &chip, options, weights](const QString &path) {
                          make(tr("Building the section"), path, [=, &chip](const Bundle &bundle) {
                              return buildSectionTo(bundle, weights, options, chip, toPath(path))
                                  .map([&path] { return tr("Written: %1").arg(path); });
                          });
                      });
        });
}

void ExportMenu::askRelayout(const QString &from)
{
    askFields(&m_window, tr("Change the Layout"),
              tr("The same numbers in other layouts, as TMOV makes them, in a new folder."),
              {{tr("Data"), {QString(), u"nd"_s, u"nz"_s}, QString()},
               {tr("Exponents"), {QString(), u"nd"_s, u"zz"_s, u"interleaved"_s}, QString()}},
              [this, from](const QStringList &asked) {
                  const quantized::RelayoutOptions options{asked[0].toStdString(),
                                                           asked[1].toStdString()};
                  ui::openSaveDialog(&m_window, tr("New Folder"), u"relaid"_s, {},
                                     [this, from, options](const QString &path) {
                                         sayWritten(relayoutTo(toPath(from), options, toPath(path)),
                                                    path);
                                     });
              });
}

void ExportMenu::askRelocate()
{
    askFields(&m_window, tr("Relocate the Section"),
              tr("Fills the slots of the records with the addresses that a loader would give, in a "
                 "copy of the section."),
              {{tr("Base"), {}, u"0x0"_s, tr("A multiple of 64")},
               {tr("Input tile"), {}, {}, tr("Empty: its slots stay unresolved")},
               {tr("Output tile"), {}, {}, tr("Empty: its slots stay unresolved")}},
              [this](const QStringList &asked) {
                  for (const QString &text : asked) {
                      if (!text.isEmpty() && !addressIn(text)) {
                          Q_EMIT m_session.statusMessage(
                              tr("%1 is not an address such as 0x40000.").arg(text));
                          return;
                      }
                  }
                  makeSection(tr("Relocate the Section"),
                              section::LoadAddresses{addressIn(asked[0]).value_or(0),
                                                     addressIn(asked[1]), addressIn(asked[2])});
              });
}

/// With its slots filled, or taken back.
void ExportMenu::makeSection(const QString &title,
                             const std::optional<section::LoadAddresses> &addresses)
{
    askExport(title, tr("Weight sections (*.ksec)"), u"out.ksec"_s,
              [this, addresses](const QString &path) {
                  sayWritten(relocateTo(*m_session.bundle(), addresses, toPath(path)), path);
              });
}

/// How something that was made ended.
void ExportMenu::sayWritten(const Result<void> &made, const QString &path)
{
    Q_EMIT m_session.statusMessage(made ? tr("Written: %1").arg(path)
                                        : tr("Not written: %1").arg(errorSentence(made.error())));
}

} // namespace kernscope::app

#include "moc_export_menu.cpp"
