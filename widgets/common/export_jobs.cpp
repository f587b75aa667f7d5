// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/export_jobs.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "widgets/common/export_whole.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/models/session.h"
#include "widgets/models/table_text.h"
#include "widgets/models/task_manager.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QSaveFile>

#include <algorithm>

namespace kernscope::ui {

namespace {

constexpr std::size_t kWriteBlock = 1u << 20; ///< bytes written at once

struct ExportWords {
    Q_DECLARE_TR_FUNCTIONS(kernscope::ExportJobs)
};

/// Why a file could not be written; empty where it was.
QString finish(QSaveFile &file, bool sound, const Bundle &bundle)
{
    const auto same = bundle.checkUnchanged();
    if (same && sound && file.commit())
        return {};
    if (!same) {
        file.cancelWriting();
        return fromUtf8(describe(same.error()));
    }
    file.cancelWriting();
    return ExportWords::tr("Not written: %1").arg(file.errorString());
}

QString writeBytes(const Bundle &bundle, std::size_t number, ByteRange range, const QString &path,
                   Progress &progress)
{
    const BundleReadLock lock(bundle);
    const OverlaidFile &source = *bundle.files()[number].file;
    if (!fitsInside(range, source.size()))
        return ExportWords::tr("The bytes are no longer in the file.");
    const auto bytes = source.bytes().subspan(range.offset.value, range.bytes.value);
    progress.setTotal(bytes.size());
    QSaveFile file(path);
    bool sound = file.open(QIODevice::WriteOnly);
    for (std::size_t at = 0; sound && at < bytes.size(); at += kWriteBlock) {
        const auto block = bytes.subspan(at, std::min<std::size_t>(kWriteBlock, bytes.size() - at));
        const auto length = static_cast<qint64>(block.size());
        sound = file.write(reinterpret_cast<const char *>(block.data()), length) == length &&
                progress.advance(block.size());
    }
    return finish(file, sound, bundle);
}

void report(Session &session, const QString &fault, const QString &path)
{
    const QString name = QFileInfo(path).fileName();
    Q_EMIT session.statusMessage(fault.isEmpty() ? ExportWords::tr("Exported %1").arg(name)
                                                 : ExportWords::tr("%1: %2").arg(name, fault));
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
    session.tasks().start(
        &session,
        ExportWords::tr("Exporting bytes of %1").arg(fromUtf8(bundle->files()[file].path)),
        [bundle, file, range, path](Progress &progress) {
            return writeBytes(*bundle, file, range, path, progress);
        },
        [&session, path](const QString &fault) { report(session, fault, path); });
}

void askAndExportWeight(QWidget *parent, Session &session, const BundlePtr &bundle,
                        std::size_t weight)
{
    if (!bundle || weight >= bundle->weights().size())
        return;
    const QString path =
        askSavePath(parent, ExportWords::tr("Export Weight"),
                    fileNameOf(bundle->weights()[weight].name) + QStringLiteral(".npy"),
                    ExportWords::tr("Array of NumPy (*.npy);;Arrays of NumPy (*.npz);;"
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
        QStringLiteral("%1-%2.bin")
            .arg(fileNameOf(bundle->files()[file].path), hexNumber(range.offset.value));
    const QString path = askSavePath(parent, ExportWords::tr("Export Bytes"), name,
                                     ExportWords::tr("All files (*)"));
    if (!path.isEmpty())
        exportBytes(session, bundle, file, range, path);
}

} // namespace kernscope::ui
