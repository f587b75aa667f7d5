// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/test_program.h"

/// Folders of the published layout of what a Mac compiles. Made up: no Mac made any of them.
namespace kernscope::test {

inline bool putFile(const QString &path, const QByteArray &content, qint64 bytes = -1)
{
    QFile file(path);
    return QDir().mkpath(QFileInfo(path).path()) && file.open(QIODevice::WriteOnly) &&
           file.write(content) == content.size() && (bytes < 0 || file.resize(bytes));
}

inline const QByteArray kSourceHash(64, 'a');
/// The SHA-256 of nothing, as the platform writes hashes.
inline const QByteArray kNothing =
    "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855";

inline QByteArray madeManifest(const QByteArray &regionHash)
{
    return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"PropertyList-1.0.dtd\">\n"
           "<!-- made up -->\n<plist version=\"1.0\">\n<dict>\n<key>Package Version</key>\n<dict>"
           "<key>7.0.63</key><dict>"
           "<key>ANERegionsHash</key><dict><key>h17c</key><string>" +
           regionHash +
           "</string></dict>"
           "<key>Original</key><string>original_model_0.mpsgraph</string>"
           "<key>GPU adapter present</key><string>NO</string>"
           "<key>Optimized Modules</key><array><string>{\"deviceDescriptor\":[0,40,\"h17c\"],"
           "\"compilationDescriptor\":{\"preferredDevice\":2},\"a\":\"x &amp; y\"}</string>"
           "</array><key>Nothing</key><array/><key>Yes</key><true/>"
           "</dict></dict>\n</dict>\n</plist>\n";
}

/// NAME.aimodelc: one region of 48,800,000 bytes on the engine among 500,000,000.
inline QString madeCompiledFolder(const QString &folder, const QByteArray &regionHash = "1111_2222")
{
    const QString root = folder + QStringLiteral("/made-up.h17c.aimodelc/");
    const QString package =
        root + QStringLiteral("main-h17c-delegates/MPSGraph/mpsExecutable.mpsgraphpackage/");
    const QString name = QStringLiteral("main_0_ANE_region_0_0");
    const QString region =
        package + QStringLiteral("binary_0.llir.bundle/") + name + QStringLiteral(".bc/");
    const QByteArray metadata = "{\"assetVersion\":\"2.0\",\"producer\":\"coreai-build-0 made up\","
                                "\"sourceHash\":\"" +
                                kSourceHash + "\"}";
    const QByteArray statistics = "{\"storage\":{\"Float16\":{\"count\":250}}}";
    const QByteArray manifest = madeManifest(regionHash);
    const qint64 small = metadata.size() + statistics.size() + manifest.size() + 32 + 1628;
    const bool made =
        putFile(root + QStringLiteral("metadata.json"), metadata) &&
        putFile(root + QStringLiteral("stats.json"), statistics) &&
        putFile(root + QStringLiteral("main.hash"), QByteArray(32, 'h')) &&
        putFile(root + QStringLiteral("main-h17c.mlirb"), {}, 1628) &&
        putFile(package + QStringLiteral("manifest.plist"), manifest) &&
        putFile(package + QStringLiteral("resources.bin"), {}, 451200000 - small) &&
        putFile(region + QStringLiteral("h17c/") + name + QStringLiteral(".mlir.bc"), {}, 800000) &&
        putFile(region + name + QStringLiteral(".bc.weights"), {}, 48000000);
    return made ? root.chopped(1) : QString();
}

inline QString madePackage(const QString &folder, const QByteArray &hash)
{
    const QString path = folder + QStringLiteral("/made.aimodel");
    return putFile(path + QStringLiteral("/main.hash"), hash) ? path : QString();
}

} // namespace kernscope::test
