// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "tests/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace kernscope;
using namespace Qt::StringLiterals;

/// What is said of files that no reader opens.
class TestForeignFiles : public QObject
{
    Q_OBJECT

private slots:
    void foreignFiles_data();
    void foreignFiles();
};

void TestForeignFiles::foreignFiles_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("what");
    QTest::newRow("Mach-O") << QByteArray::fromHex("cffaedfe07000001") << u"a Mach-O file"_s;
    QTest::newRow("ELF") << QByteArray("\x7f"
                                       "ELF\2\1\1\0",
                                       8)
                         << u"an ELF file"_s;
    QTest::newRow("gzip") << QByteArray::fromHex("1f8b0800") << u"a gzip archive"_s;
    QTest::newRow("property list") << QByteArray("bplist00....") << u"a binary property list"_s;
    QTest::newRow("NumPy, cut") << QByteArray::fromHex("934e554d5059") << u"a NumPy array"_s;
    QTest::newRow("picture") << QByteArray::fromHex("89504e470d0a1a0a") << u"a PNG picture"_s;
    QTest::newRow("JSON") << QByteArray("[1, 2]") << u"a JSON file"_s;
    QTest::newRow("a part of a magic") << QByteArray::fromHex("cffaed") << u"something else"_s;
    QTest::newRow("nothing") << QByteArray() << u"an empty file"_s;
}

/// What no reader opens is called by its name.
void TestForeignFiles::foreignFiles()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, what);
    QTemporaryDir folder;
    QFile file(folder.filePath(u"file.bin"_s));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(bytes);
    file.close();
    const auto refused = Bundle::open(file.fileName().toStdString());
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, std::string("bundle.kind"));
    QCOMPARE(QString::fromStdString(refused.error().found), what);
}

KERNSCOPE_TEST(TestForeignFiles, QCoreApplication)
#include "tst_foreign_files.moc"
