// SPDX-License-Identifier: GPL-3.0-or-later
// Names that would drive a terminal, turn the direction of the text or are no UTF-8: no command
// prints them as they are. Before, U+009B, bidirectional controls and raw 0xFF went through.
#include "cli_process.h"

namespace {

/// ESC, one-byte CSI as UTF-8 and raw, override, isolate, zero width, a byte that is no UTF-8.
const std::string kName = "w\x1b]0;x\x07\xc2\x9b"
                          "31m\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8b\x9b\xff";
/// What may stand in a program's text; the rest is in names of files and in the container's.
const std::string kTextName = "w\xc2\x9b"
                              "31m\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8b\xff";

MadeBundle named(const Bytes &values)
{
    MadeBundle made;
    const std::string blob = made.blob(ElementType::Fp16, "[4, 4, 1, 1]", values);
    made.parameters = "tensor<fp16, [1, 4, 1, 8]> x";
    made.line("tensor<fp16, [4, 4, 1, 1]> w = const()[name = string(\"" + kTextName +
              "\"), val = " + blob + "]");
    made.line(
        "tensor<fp16, [1, 4, 1, 8]> y = conv(dilations = tensor<int32, [2]>([1, 1]), groups = "
        "int32(1), pad = tensor<int32, [4]>([0, 0, 0, 0]), pad_type = string(\"valid\"), "
        "strides = tensor<int32, [2]>([1, 1]), weight = w, x = x)[name = string(\"" +
        kTextName + "\")]");
    made.result = "y";
    return made;
}

Bytes sixteen(float last)
{
    return halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, last});
}

/// The first byte that must not be there, with what stands around it.
QByteArray unsafePart(const QByteArray &text)
{
    static const QByteArray kUnsafe[] = {"\x1b",         "\x07",         "\xc2\x9b", "\xe2\x80\xae",
                                         "\xe2\x81\xa6", "\xe2\x80\x8b", "\xff"};
    for (const QByteArray &unsafe : kUnsafe) {
        if (const auto at = text.indexOf(unsafe); at >= 0)
            return text.mid(std::max<qsizetype>(at - 40, 0), 80).toPercentEncoding(" []():,._-/");
    }
    return QString::fromUtf8(text).toUtf8() == text ? QByteArray() : QByteArray("no UTF-8");
}

} // namespace

class TestCliNames : public QObject
{
    Q_OBJECT

private slots:
    /// The bundles also hold a file with such a name, which no QString can hold.
    void initTestCase()
    {
        const auto place = [this](const char *link, const MadeBundle &made) {
            const QString plain = writeBundle(m_scratch, link, made);
            QFile extra(plain + u"/extra"_s);
            if (!extra.open(QIODevice::WriteOnly) || extra.write("x") != 1)
                return QString();
            extra.close();
            // A file of the bundle with such a name.
            const QByteArray file =
                QFile::encodeName(plain) + "/weights/" + QByteArray::fromStdString(kName);
            if (std::rename(QFile::encodeName(extra.fileName()).constData(), file.constData()) != 0)
                return QString();
            return plain;
        };
        m_a = place("a.mlmodelc", named(sixteen(16)));
        m_b = place("b.mlmodelc", named(sixteen(17)));
        QVERIFY(!m_a.isEmpty() && !m_b.isEmpty());
        m_output = m_scratch.filePath(u"out"_s);
        // A folder that a Mac compiled, with such a name in what it says and beside it.
        m_compiled = m_scratch.filePath(u"a.h17c.aimodelc"_s);
        QVERIFY(QDir().mkpath(m_compiled));
        QFile statistics(m_compiled + u"/stats.json"_s);
        QVERIFY(statistics.open(QIODevice::WriteOnly));
        const QByteArray text = QByteArray::fromStdString(kTextName).chopped(1); // JSON is UTF-8
        QVERIFY(statistics.write("{\"" + text + "\": \"" + text + "\"}") > 0);
        statistics.close();
        QFile extra(m_scratch.filePath(u"extra"_s));
        QVERIFY(extra.open(QIODevice::WriteOnly));
        extra.close();
        const QByteArray file =
            QFile::encodeName(m_compiled) + '/' + QByteArray::fromStdString(kName);
        QCOMPARE(std::rename(QFile::encodeName(extra.fileName()).constData(), file.constData()), 0);
    }

    void everyCommand_data()
    {
        QTest::addColumn<QStringList>("arguments");
        const DataRow<QStringList> row;
        const auto s = [](const char *text) { return QString::fromLatin1(text); };
        const QString w = s("w");
        row("inspect", {s("inspect"), m_a, s("--stats"), s("--sections")});
        row("weight", {s("weight"), m_a, w});
        row("weight, no such one", {s("weight"), m_a, s("nope")});
        row("decode", {s("decode"), m_a, w, s("-o"), m_output + s(".npy")});
        row("decode, no such weight", {s("decode"), m_a, s("nope"), s("-o"), m_output + s(".npy")});
        row("bytes", {s("bytes"), m_a, s("0"), s("--count"), s("400")});
        row("bytes, no such place", {s("bytes"), m_a, s("nope")});
        row("diff", {s("diff"), m_a, m_b, s("--values")});
        row("find", {s("find"), m_a, s("--zero-bytes"), s("8")});
        row("find a value", {s("find"), m_a, s("--value"), s("3")});
        row("graph", {s("graph"), m_a, s("--hops"), s("6")});
        row("graph, no such name", {s("graph"), m_a, s("nope")});
        row("decide", {s("decide"), m_a, s("--all-targets")});
        row("decide on one", {s("decide"), m_a, s("--target"), s("M1")});
        row("geometry", {s("geometry"), m_a, s("--target"), s("M1")});
        row("roofline", {s("roofline"), m_a, s("--target"), s("M1")});
        row("choose", {s("choose"), m_a, s("--target"), s("M1")});
        row("patch", {s("patch"), m_a, s("--set"), s("w[1,0,0,0]=0.5"), s("--dry-run")});
        row("patch, refused", {s("patch"), m_a, s("--set"), s("w[9,0,0,0]=0.5"), s("--dry-run")});
        row("patch --apply, refused", {s("patch"), m_a, s("--apply"), m_b, s("--dry-run")});
        row("convert", {s("convert"), m_a, s("--to"), s("fp16"), s("--output"), m_output});
        row("encode", {s("encode"), m_a, w, s("--form"), s("affine"), s("--output"), m_output});
        row("section build",
            {s("section"), s("build"), m_a, w, s("--target"), s("M1"), s("--output"), m_output});
        row("hwx", {s("hwx"), m_a});
        row("activation", {s("activation"), m_a});
        row("activation of a weight", {s("activation"), m_a, s("--name"), w});
        row("survey", {s("survey"), m_compiled});
        row("relayout", {s("relayout"), m_a, s("--layout"), s("nz"), s("-o"), m_output});
    }

    void everyCommand()
    {
        QFETCH(QStringList, arguments);
        const auto clean = [this] {
            std::error_code ignored; // Qt cannot name all of the files
            std::filesystem::remove_all(m_output.toStdString(), ignored);
            QFile::remove(m_output + u".npy"_s);
        };
        clean();
        const CliResult text = runCli(arguments);
        QVERIFY(!text.crashed);
        QVERIFY(!(text.out + text.err).isEmpty());
        QCOMPARE(unsafePart(text.out), QByteArray());
        QCOMPARE(unsafePart(text.err), QByteArray());
        clean();
        const CliResult json = runCli(arguments + args("--json"));
        QCOMPARE(json.exitCode, text.exitCode);
        QVERIFY2(json.json().is_object(), json.out);
        QVERIFY(!json.out.contains('\x1b') && !json.out.contains("\xc2\x9b") &&
                !json.out.contains("\xe2\x80\xae"));
        clean();
    }

private:
    QTemporaryDir m_scratch;
    QString m_a, m_b, m_output, m_compiled;
};

KERNSCOPE_TEST(TestCliNames, QCoreApplication)
#include "tst_cli_names.moc"
