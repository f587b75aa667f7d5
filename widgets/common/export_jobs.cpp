// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/common/export_jobs.h"

#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/bundle/stored_values.h"
#include "core/numeric/npy.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/session.h"
#include "widgets/common/table_text.h"
#include "widgets/common/task_manager.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QSaveFile>

#include <algorithm>
#include <bit>
#include <vector>

namespace kernscope::ui {

namespace {

constexpr std::uint64_t kWriteBlock = 1u << 20; ///< elements or bytes written at once

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

template <class Value, class Decode>
bool writeValues(QSaveFile &file, const codec::Decoder &decoder, const Shape &shape,
                 ElementType type, Progress &progress, const Decode &decode)
{
    static_assert(std::endian::native == std::endian::little, "values are written as they lie");
    const std::uint64_t elements = decoder.elements().value;
    const std::string header = npyHeader(type, shape);
    bool sound = file.write(header.data(), static_cast<qint64>(header.size())) > 0;
    std::vector<Value> block(std::min(kWriteBlock, elements));
    for (std::uint64_t at = 0; sound && at < elements; at += block.size()) {
        block.resize(std::min<std::uint64_t>(block.size(), elements - at));
        decode(at, std::span<Value>(block));
        const auto bytes = static_cast<qint64>(sizeof(Value) * block.size());
        sound = file.write(reinterpret_cast<const char *>(block.data()), bytes) == bytes &&
                progress.advance(block.size());
    }
    return sound;
}

/// Values of a type that fp16 does not hold are written as fp64, those of fp32 as fp32.
QString writeWeight(const Bundle &bundle, std::size_t weight, const QString &path,
                    Progress &progress)
{
    const BundleReadLock lock(bundle);
    const auto decoder = bundle.decoder(weight);
    if (!decoder)
        return fromUtf8(describe(decoder.error()));
    progress.setTotal(decoder->elements().value);
    QSaveFile file(path);
    const Shape &shape = bundle.weights()[weight].shape;
    const bool open = file.open(QIODevice::WriteOnly);
    bool sound = false;
    if (exactInHalf(decoder->type()))
        sound = open && writeValues<std::uint16_t>(
                            file, *decoder, shape, ElementType::Fp16, progress,
                            [&](auto at, auto out) { decoder->decodeHalf(at, out); });
    else if (decoder->type() == ElementType::Fp32)
        sound =
            open && writeValues<float>(file, *decoder, shape, ElementType::Fp32, progress,
                                       [&](auto at, auto out) { decoder->decodeFloat(at, out); });
    else
        sound = open &&
                writeValues<double>(file, *decoder, shape, ElementType::Fp64, progress,
                                    [&](auto at, auto out) { decodeDoubles(*decoder, at, out); });
    return finish(file, sound, bundle);
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

void exportWeight(Session &session, const BundlePtr &bundle, std::size_t weight,
                  const QString &path)
{
    if (!bundle || weight >= bundle->weights().size())
        return;
    session.tasks().start(
        &session, ExportWords::tr("Exporting %1").arg(fromUtf8(bundle->weights()[weight].name)),
        [bundle, weight, path](Progress &progress) {
            return writeWeight(*bundle, weight, path, progress);
        },
        [&session, path](const QString &fault) { report(session, fault, path); });
}

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
                    ExportWords::tr("NumPy arrays (*.npy)"));
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
