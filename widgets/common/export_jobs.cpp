// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/export_jobs.h"

#include "core/base/error_builder.h"
#include "core/base/overlaid_file.h"
#include "core/report/tensor_export.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/qt.h"
#include "widgets/models/session.h"
#include "widgets/models/table_text.h"
#include "widgets/models/task_manager.h"

namespace kernscope::ui {

namespace {

/// How an export ended, for the status line.
struct WholeOutcome {
    QString fault; ///< empty: written
    std::size_t leftOut = 0;
};

QString notWritten(const QSaveFile &file)
{
    return Words::tr("Not written: %1").arg(file.errorString());
}

/// Puts the file in its place, unless what it was read from changed meanwhile.
QString commitWhole(QSaveFile &file, const Bundle &bundle)
{
    if (const auto same = bundle.checkUnchanged(); !same) {
        file.cancelWriting();
        return fromUtf8(describe(same.error()));
    }
    return file.commit() ? QString() : notWritten(file);
}

WholeOutcome writeTensorFile(const Bundle &bundle, const std::vector<std::size_t> &weights,
                             const QString &path, Progress &progress)
{
    const BundleReadLock lock(bundle);
    const auto kind = report::tensorFileOf(path.toStdString());
    if (!kind || (weights.size() > 1 && !report::holdsTensors(*kind)))
        return {Words::tr("Nothing is exported: the end of the name says what is written, %1")
                    .arg(kind ? u".npz, .safetensors"_s : fromUtf8(report::kTensorEndings))};
    const auto plan = report::planTensors(bundle, weights, std::nullopt, *kind);
    if (!plan)
        return {fromUtf8(describe(plan.error()))};
    if (plan->tensors.empty())
        return {plan->notes.empty() ? Words::tr("No weight can be read")
                                    : fromUtf8(describe(plan->notes.front().error))};
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return {notWritten(file)};
    const auto written = report::writeTensors(
        bundle, *plan,
        [&file](std::span<const std::byte> bytes) -> Result<void> {
            const auto length = static_cast<qint64>(bytes.size());
            if (file.write(reinterpret_cast<const char *>(bytes.data()), length) == length)
                return {};
            return ErrorBuilder("io.write").message(file.errorString().toStdString()).unexpected();
        },
        &progress);
    if (!written) {
        file.cancelWriting();
        return {fromUtf8(describe(written.error()))};
    }
    return {commitWhole(file, bundle), weights.size() - plan->tensors.size()};
}

/// A4, with the text as wide as the page: wide tables shrink to it.
bool writeReportPdf(QSaveFile &file, const std::string &html, const QString &title)
{
    QPdfWriter pdf(&file);
    pdf.setTitle(title);
    pdf.setPageSize(QPageSize(QPageSize::A4));
    pdf.setPageOrientation(QPageLayout::Landscape);
    QTextDocument document;
    document.setDefaultFont(QFont(u"Sans"_s, 7));
    document.setDefaultStyleSheet(u"h1{font-size:16pt}h2{font-size:11pt}"
                                  "th{text-align:left}.n{text-align:right}"_s);
    // Sizes in pixels are those of a screen.
    QString text = QString::fromUtf8(html.data(), static_cast<qsizetype>(html.size()));
    const qsizetype style = text.indexOf("<style>"_L1);
    if (style >= 0)
        text.remove(style, text.indexOf("</style>"_L1) - style);
    putFiguresOnPages(text);
    text.replace("<table"_L1, "<table cellpadding=\"2\""_L1);
    document.setHtml(text);
    document.print(&pdf);
    return file.error() == QFileDevice::NoError && file.size() > 0;
}

WholeOutcome writeReport(const Bundle &bundle, std::vector<report::ReportNote> notes,
                         const QString &path, Progress &progress)
{
    report::BundleReport asked;
    asked.bundle = &bundle;
    asked.notes = std::move(notes);
    {
        const BundleReadLock lock(bundle);
        asked.diagnostics = bundle.diagnostics();
        std::uint64_t elements = 0;
        for (const Weight &weight : bundle.weights())
            elements += weight.fault ? 0 : weight.elements.value;
        progress.setTotal(2 * elements);
        for (Diagnostic &fault : verifyPayloads(bundle, &progress))
            asked.diagnostics.push_back(std::move(fault));
        AllStatistics statistics = computeAllStatistics(bundle, {true, true}, &progress);
        asked.statistics = std::move(statistics.weights);
        for (Diagnostic &fault : statistics.diagnostics)
            asked.diagnostics.push_back(std::move(fault));
    }
    asked.findings = report::findAll(bundle, asked.statistics, progress); // takes the locks itself
    const auto html = report::bundleHtml(asked, &progress);               // and so does this
    if (!html)
        return {fromUtf8(describe(html.error()))};
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return {notWritten(file)};
    const auto length = static_cast<qint64>(html->size());
    const bool sound = path.endsWith(".pdf"_L1, Qt::CaseInsensitive)
                           ? writeReportPdf(file, *html, fromUtf8(bundle.name()))
                           : file.write(html->data(), length) == length;
    if (!sound) {
        file.cancelWriting();
        return {notWritten(file)};
    }
    return {commitWhole(file, bundle)};
}

void tellOutcome(Session &session, const WholeOutcome &outcome, const QString &path)
{
    const QString name = QFileInfo(path).fileName();
    QString text = outcome.fault.isEmpty() ? Words::tr("Exported %1").arg(name)
                                           : Words::tr("%1: %2").arg(name, outcome.fault);
    if (outcome.fault.isEmpty() && outcome.leftOut > 0)
        text += Words::tr("; %n weights that cannot be read are left out", nullptr,
                          static_cast<int>(outcome.leftOut));
    Q_EMIT session.statusMessage(text);
}

/// Runs `work(Progress &)` as a task; the status line tells how it ended.
template <class Work>
void startExport(Session &session, const QString &title, const QString &path, Work work)
{
    session.tasks().start(
        &session, title, std::move(work),
        [&session, path](const WholeOutcome &outcome) { tellOutcome(session, outcome, path); });
}

void startTensors(Session &session, const BundlePtr &bundle, std::vector<std::size_t> weights,
                  const QString &path, const QString &title)
{
    startExport(session, title, path,
                [bundle, weights = std::move(weights), path](Progress &progress) {
                    return writeTensorFile(*bundle, weights, path, progress);
                });
}

} // namespace

void putFiguresOnPages(QString &html)
{
    constexpr int kAcross = 3, kDown = 3;
    const QLatin1String begin("<figure>"), end("</figure>");
    const QLatin1String newPage(" style=\"page-break-before:always\"");
    qsizetype at = html.indexOf(begin), last = at;
    const qsizetype first = at;
    if (at < 0)
        return;
    QString pages;
    for (int count = 0; at >= 0; ++count) {
        const qsizetype stop = html.indexOf(end, at);
        if (stop < 0)
            return;
        last = stop + end.size();
        if (count % (kAcross * kDown) == 0)
            pages += count == 0 ? u"<table><tr>"_s : u"</tr></table><table%1><tr>"_s.arg(newPage);
        else if (count % kAcross == 0)
            pages += u"</tr><tr>"_s;
        pages += u"<td width=\"33%\">"_s + html.mid(at + begin.size(), stop - at - begin.size()) +
                 u"</td>"_s;
        at = html.indexOf(begin, last);
    }
    pages += u"</tr></table>"_s;
    pages.replace("<figcaption>"_L1, "<br>"_L1);
    pages.remove("</figcaption>"_L1);
    html.replace(first, last - first, pages);
    if (const qsizetype title = html.lastIndexOf("<h2>"_L1, first); title >= 0)
        html.insert(title + 3, newPage);
}

void exportTensors(Session &session, const BundlePtr &bundle, const QString &path)
{
    if (!bundle)
        return;
    std::vector<std::size_t> weights(bundle->weights().size());
    std::iota(weights.begin(), weights.end(), std::size_t{0});
    startTensors(session, bundle, std::move(weights), path, Words::tr("Exporting all weights"));
}

void exportWeight(Session &session, const BundlePtr &bundle, std::size_t weight,
                  const QString &path)
{
    if (!bundle || weight >= bundle->weights().size())
        return;
    startTensors(session, bundle, {weight}, path,
                 Words::tr("Exporting %1").arg(fromUtf8(bundle->weights()[weight].name)));
}

void exportReport(Session &session, const BundlePtr &bundle, std::vector<report::ReportNote> notes,
                  const QString &path)
{
    if (!bundle)
        return;
    startExport(session, Words::tr("Writing the report"), path,
                [bundle, notes = std::move(notes), path](Progress &progress) {
                    return writeReport(*bundle, notes, path, progress);
                });
}

namespace {

constexpr std::size_t kWriteBlock = 1u << 20; ///< bytes written at once

WholeOutcome writeBytes(const Bundle &bundle, std::size_t number, ByteRange range,
                        const QString &path, Progress &progress)
{
    const BundleReadLock lock(bundle);
    const OverlaidFile &source = *bundle.files()[number].file;
    if (!fitsInside(range, source.size()))
        return {Words::tr("The bytes are no longer in the file.")};
    const auto bytes = source.bytes().subspan(range.offset.value, range.bytes.value);
    progress.setTotal(bytes.size());
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return {notWritten(file)};
    bool sound = true;
    for (std::size_t at = 0; sound && at < bytes.size(); at += kWriteBlock) {
        const auto block = bytes.subspan(at, std::min<std::size_t>(kWriteBlock, bytes.size() - at));
        const auto length = static_cast<qint64>(block.size());
        sound = file.write(reinterpret_cast<const char *>(block.data()), length) == length &&
                progress.advance(block.size());
    }
    if (!sound)
        file.cancelWriting();
    return {commitWhole(file, bundle)};
}

/// A name that every file system takes.
QString fileNameOf(std::string_view text)
{
    QString name = fromUtf8(text);
    for (QChar &c : name) {
        if (!c.isLetterOrNumber() && c != u'.' && c != u'-')
            c = u'_';
    }
    return name;
}

} // namespace

void exportBytes(Session &session, const BundlePtr &bundle, std::size_t file, ByteRange range,
                 const QString &path)
{
    if (!bundle || file >= bundle->files().size())
        return;
    startExport(session,
                Words::tr("Exporting bytes of %1").arg(fromUtf8(bundle->files()[file].path)), path,
                [bundle, file, range, path](Progress &progress) {
                    return writeBytes(*bundle, file, range, path, progress);
                });
}

void askAndExportWeight(QWidget *parent, Session &session, const BundlePtr &bundle,
                        std::size_t weight)
{
    if (!bundle || weight >= bundle->weights().size())
        return;
    const QString path = askSavePath(parent, Words::tr("Export Weight"),
                                     fileNameOf(bundle->weights()[weight].name) + u".npy"_s,
                                     Words::tr("Array of NumPy (*.npy);;Arrays of NumPy (*.npz);;"
                                               "Tensors (*.safetensors);;Values as text (*.csv);;"
                                               "Bare values (*.bin)"));
    if (!path.isEmpty())
        exportWeight(session, bundle, weight, path);
}

void askAndExportBytes(QWidget *parent, Session &session, const BundlePtr &bundle, std::size_t file,
                       ByteRange range)
{
    if (!bundle || file >= bundle->files().size() || range.bytes.value == 0)
        return;
    const QString name =
        u"%1-%2.bin"_s.arg(fileNameOf(bundle->files()[file].path), hexNumber(range.offset.value));
    const QString path =
        askSavePath(parent, Words::tr("Export Bytes"), name, Words::tr("All files (*)"));
    if (!path.isEmpty())
        exportBytes(session, bundle, file, range, path);
}

} // namespace kernscope::ui
