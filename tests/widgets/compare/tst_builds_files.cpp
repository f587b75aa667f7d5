// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "tests/widgets/compare/pair_bundles.h"
#include "tests/widgets/sample_session.h"
#include "widgets/compare/builds_dock.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace kernscope;
using namespace kernscope::ui;
using kernscope::test::denseBundle;
using kernscope::test::showDock;

namespace {

/// A safetensors file of one tensor "w" of four fp32 numbers.
bool write(const QString &path, const std::vector<float> &values)
{
    const QByteArray header = R"({"w":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})";
    QByteArray bytes;
    for (int i = 0; i < 8; ++i)
        bytes.append(static_cast<char>(header.size() >> 8 * i & 0xFF));
    bytes += header;
    bytes += QByteArray(reinterpret_cast<const char *>(values.data()), 16);
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

} // namespace

/// Builds that were added and whose files other programs change.
class TestBuildsFiles : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reopened();
    void removed();
};

void TestBuildsFiles::reopened()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("third.safetensors"));
    QVERIFY(write(path, {1, 2, 3, 4}));
    Session session;
    BuildsDock dock(session);
    session.setBundle(denseBundle({{"w", "[4]", {1, 2, 3, 4}}}, false));
    const BundlePtr before = *Bundle::open(path.toStdString());
    QSignalSpy changed(&dock, &BuildsDock::addedChanged);
    dock.addBuild(before);
    QCOMPARE(changed.size(), 1);
    QVERIFY(showDock(dock));
    // Replaced, as most programs write; what is mapped stays the old file.
    QVERIFY(QFile::remove(path) && write(path, {1, 2, 3, 9}));
    dock.reopen(before);
    QVERIFY(QTest::qWaitFor([&] { return changed.size() == 2 && !dock.busy(); }, 20000));
    QCOMPARE(dock.added().size(), std::size_t(1));
    QVERIFY(dock.added().front() != before);
    const auto &cell = dock.model().matrix()->rows.front().cells.back();
    QVERIFY(cell.values);
    QCOMPARE(cell.values->maxAbs, 5.0);
    dock.reopen(before); // which are forgotten
    QVERIFY(QTest::qWaitFor([&] { return !dock.busy(); }, 20000));
    QCOMPARE(changed.size(), 2);
}

void TestBuildsFiles::removed()
{
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("third.safetensors"));
    QVERIFY(write(path, {1, 2, 3, 4}));
    Session session;
    BuildsDock dock(session);
    session.setBundle(denseBundle({{"w", "[4]", {1, 2, 3, 4}}}, false));
    const BundlePtr build = *Bundle::open(path.toStdString());
    dock.addBuild(build);
    QVERIFY(showDock(dock));
    QSignalSpy changed(&dock, &BuildsDock::addedChanged);
    QSignalSpy said(&session, &Session::statusMessage);
    QVERIFY(QFile::remove(path));
    dock.reopen(build);
    QVERIFY(QTest::qWaitFor([&] { return changed.size() == 1; }, 20000));
    QVERIFY(dock.added().empty());
    QVERIFY(said.front().front().toString().contains(QStringLiteral("third.safetensors")));
}

KERNSCOPE_TEST(TestBuildsFiles, QApplication)
#include "tst_builds_files.moc"
