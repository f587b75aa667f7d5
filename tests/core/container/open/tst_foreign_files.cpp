// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "tests/test_program.h"

using namespace kernscope;

/// What is said of files that no reader opens.
class TestForeignFiles : public QObject
{
    Q_OBJECT

private slots:
    void foreignFiles_data()
    {
        test::addColumns<QByteArray, QString>();
        test::addRow("Mach-O", QByteArray::fromHex("cffaedfe07000001"), u"a Mach-O file"_s);
        test::addRow("ELF",
                     QByteArray("\x7f"
                                "ELF\2\1\1\0",
                                8),
                     u"an ELF file"_s);
        test::addRow("gzip", QByteArray::fromHex("1f8b0800"), u"a gzip archive"_s);
        test::addRow("property list", QByteArray("bplist00...."), u"a binary property list"_s);
        test::addRow("NumPy, cut", QByteArray::fromHex("934e554d5059"), u"a NumPy array"_s);
        test::addRow("picture", QByteArray::fromHex("89504e470d0a1a0a"), u"a PNG picture"_s);
        test::addRow("JSON", QByteArray("[1, 2]"), u"a JSON file"_s);
        test::addRow("a part of a magic", QByteArray::fromHex("cffaed"), u"something else"_s);
        test::addRow("nothing", QByteArray(), u"an empty file"_s);
    }

    /// What no reader opens is called by its name.
    void foreignFiles()
    {
        const auto [bytes, what] = test::fetched<QByteArray, QString>();
        QTemporaryDir folder;
        const QString file = folder.filePath(u"file.bin"_s);
        QVERIFY(test::put(file, bytes));
        const Error refused = REFUSED(Bundle::open(file.toStdString()));
        QCOMPARE(refused.code, "bundle.kind");
        QCOMPARE(QString::fromStdString(refused.found), what);
    }
};

KERNSCOPE_TEST(TestForeignFiles, QCoreApplication)
#include "tst_foreign_files.moc"
