// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/bundle/bundle.h"
#include "tests/test_program.h"

/// What is said of files that no reader opens.
class TestForeignFiles : public QObject
{
    Q_OBJECT

private slots:
    void foreignFiles_data()
    {
        const auto row = test::addColumns<QByteArray, QString>();
        row("Mach-O", QByteArray::fromHex("cffaedfe07000001"), "a Mach-O file");
        row("ELF",
            QByteArray("\x7f"
                       "ELF\2\1\1\0",
                       8),
            "an ELF file");
        row("gzip", QByteArray::fromHex("1f8b0800"), "a gzip archive");
        row("property list", "bplist00....", "a binary property list");
        row("NumPy, cut", QByteArray::fromHex("934e554d5059"), "a NumPy array");
        row("picture", QByteArray::fromHex("89504e470d0a1a0a"), "a PNG picture");
        row("JSON", "[1, 2]", "a JSON file");
        row("a part of a magic", QByteArray::fromHex("cffaed"), "something else");
        row("nothing", {}, "an empty file");
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
