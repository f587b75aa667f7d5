// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"

/// `find`: what it says of each place, and what it answers where there is none.
class TestCliFind : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        MadeBundle made;
        constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
        constexpr float kInfinite = std::numeric_limits<float>::infinity();
        made.layer("w", "[2, 4]", halves({0.3F, 0, 0, 0, kNan, -kInfinite, 0, 0.25F}));
        made.layer("b", "[3]", hex("9a 99 99 3e 00 00 80 7f 00 00 00 00"), ElementType::Fp32);
        m_path = writeBundle(m_scratch, "x.mlmodelc", made);
        QVERIFY(!m_path.isEmpty());
    }

    void places_data()
    {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QStringList>("places");
        QTest::addColumn<QString>("values"); ///< of the first hit, or its count
        const DataRow<QString, QStringList, QString> row;
        const auto s = [](const char *text) { return QString::fromLatin1(text); };
        // 0.3 is no fp16 and no fp32: what either type makes of it is found.
        row("--value 0.3", {s("w[0,0]"), s("b[0]")}, "0.300048828125");
        row("--value 0.3 --weight b", {s("b[0]")}, "0.30000001192092896");
        row("--value 0.3 --tolerance 1e-7", {s("b[0]")}, "0.30000001192092896");
        row("--value 0.3 --tolerance 0.06", {s("w[0,0]"), s("w[1,3]"), s("b[0]")},
            "0.300048828125");
        row("--value 0.3 --tolerance 0.301", // no infinity and no NaN
            {s("w[0,0]"), s("w[0,1]"), s("w[0,2]"), s("w[0,3]"), s("w[1,2]"), s("w[1,3]"),
             s("b[0]"), s("b[2]")},
            "0.300048828125");
        row("--value 0.3 --tolerance 0", {}, "");
        row("--value -inf", {s("w[1,1]")}, "\"-inf\"");
        row("--nan", {s("w[1,0]")}, "\"nan\"");
        row("--infinite", {s("w[1,1]"), s("b[1]")}, "\"-inf\"");
        row("--largest 99 --weight w",
            {s("w[1,1]"), s("w[0,0]"), s("w[1,3]"), s("w[0,1]"), s("w[0,2]"), s("w[0,3]"),
             s("w[1,2]")},
            "\"-inf\"");
        row("--zeros 2", {s("w[0,1]")}, "0.0");
        row("--zeros 2 --weight w", {s("w[0,1]")}, "0.0");
        row("--zeros 9", {}, "");
        // 64 bytes of the file's header, 64 of the record's, then the payload.
        row("--bytes 00_00_34", {s("weights/weight.bin:0x8d")}, "");
        row("--bytes ??_34 --weight w",
            {s("weights/weight.bin:0x80"), s("weights/weight.bin:0x8e")}, "");
        row("--bytes 9a_99_??_3e", {s("weights/weight.bin:0x100")}, "");
        row("--integer 0xdeadbeef --width 4", // before every record
            {s("weights/weight.bin:0x40"), s("weights/weight.bin:0xc0")}, "");
        row("--integer 0x3400 --width 2", {s("weights/weight.bin:0x8e")}, "");
        row("--integer 0x34 --width 2 --big-endian", {s("weights/weight.bin:0x8e")}, "");
        row("--zero-bytes 5 --weight w", {s("weights/weight.bin:0x82")}, "");
        row("--zero-bytes 4 --weight b", {s("weights/weight.bin:0x108")}, "");
    }

    void places()
    {
        QFETCH(QString, line);
        QFETCH(QStringList, places);
        QFETCH(QString, values);
        const CliResult result = find(line);
        QVERIFY2(result.exitCode == (places.isEmpty() ? 1 : 0), result.err + result.out);
        const auto document = result.json();
        QVERIFY(document.is_object());
        HOLDS(document, "command=find complete=true");
        QCOMPARE(document["found"].get<std::size_t>(), std::size_t(places.size()));
        QStringList found;
        for (const auto &hit : document["hits"])
            found += QString::fromStdString(hit["place"].get<std::string>());
        QCOMPARE(found, places);
        if (!values.isEmpty())
            QCOMPARE(test::text(document["hits"][0]["value"]), values.toLatin1());
    }

    void text()
    {
        const CliResult result = RAN(0, find(u"--zeros 1"_s, false));
        QVERIFY2(result.out.contains("w[0,1]") && result.out.contains("3 found"), result.out);
        const CliResult bytes = RAN(0, find(u"--text model --limit 2"_s, false));
        QVERIFY2(bytes.out.contains("2 found"), bytes.out);
        const CliResult none = RAN(1, find(u"--text nowhere"_s, false));
        QVERIFY(none.out.contains("nothing found"));
    }

    /// A text is shown with what stands around it, on one line, in text and JSON.
    void textInItsLine()
    {
        const auto texts = RAN(0, find(u"--text const()"_s)).json();
        QVERIFY(!texts["hits"].empty());
        for (const auto &hit : texts["hits"]) {
            const QString text = QString::fromStdString(hit["text"].get<std::string>());
            QVERIFY2(text.contains(QLatin1String(" = const()[")) &&
                         !text.contains(QLatin1Char('\n')),
                     qPrintable(text));
            QVERIFY(hit.contains("hex"));
        }
        const CliResult lines = find(u"--text const()"_s, false);
        QVERIFY2(lines.out.contains(" = const()["), lines.out);
        const auto bytes = find(u"--bytes 00_34"_s).json();
        for (const auto &hit : bytes["hits"])
            QVERIFY(!hit.contains("text"));
    }

    /// A codebook of three entries for codes of two bits: the weight is damaged, its codes are
    /// listed.
    void outOfRange()
    {
        QCOMPARE(find(u"--out-of-range"_s).exitCode, 1); // none in a sound bundle
        MadeBundle made;
        const auto codes = made.blob(ElementType::Uint2, "[2, 2]", hex("9c")); // 0, 3, 1, 2
        made.line(
            "tensor<fp16, [2, 2]> w = constexpr_lut_to_dense(indices = " + codes +
            ", lut = tensor<fp16, [1, 1, 3, 1]>([0x1p0, 0x1p1, 0x1p2]))[name = string(\"w\")]");
        made.consume("w");
        const QString path = writeBundle(m_scratch, "short.mlmodelc", made);
        const CliResult result = runCli("find % --out-of-range --json", path);
        QCOMPARE(result.exitCode, 3); // the weight is damaged
        const auto document = result.json();
        HOLDS(document, "what=out-of-range hits#=1");
        const auto &hit = document["hits"][0];
        HOLDS(hit, "weight=w place=weights/weight.bin:0x80 index=1 code=3 entries=3");
    }

    void limit()
    {
        HOLDS(RAN(0, find(u"--zeros 1 --limit 1"_s)).json(), "complete=false hits#=1");
        HOLDS(RAN(0, find(u"--largest 2"_s)).json(), "complete=false hits.1.place=b[1]");
        QCOMPARE(find(u"--largest 7 --limit 2"_s).json()["hits"].size(), std::size_t{2});
    }

    /// What cannot be read was not searched: that is neither "found" nor "nothing found".
    void damaged()
    {
        MadeBundle made;
        for (const char *name : {"good", "cut"}) {
            made.layer(name, "[4]", halves({1, 0, 0, 2}));
        }
        const QString path = writeBundle(m_scratch, "damaged.mlmodelc", made);
        QFile file(path + u"/weights/weight.bin"_s);
        QVERIFY(file.resize(file.size() - 5));
        const auto find = [&](const QStringList &what) {
            return runCli(args("find % --json", path) + what);
        };
        const CliResult none = RAN(3, find({u"--nan"_s}));
        QCOMPARE(test::text(none.json()["found"]), QByteArray("0"));
        QVERIFY(none.out.contains("cut is not searched"));
        const CliResult zeros = RAN(3, find({u"--zeros"_s, u"2"_s}));
        QCOMPARE(test::text(zeros.json()["hits"][0]["place"]), QByteArray("\"good[1]\""));
        QCOMPARE(find({u"--bytes"_s, u"003c"_s}).exitCode, 3);
        // A weight that is sound is searched whole.
        QCOMPARE(find({u"--nan"_s, u"--weight"_s, u"good"_s}).exitCode, 1);
    }

    /// Terabytes of holes are not gone through; a part of such a file that is small is.
    void sparseFile()
    {
        const QString path = m_scratch.filePath(u"sparse.bin"_s);
        QVERIFY(QFile::copy(m_path + u"/weights/weight.bin"_s, path));
        if (!QFile::resize(path, qint64(1) << 42))
            QSKIP("the file system takes no file of 4 TiB");
        const auto found = [&path](const QStringList &options) {
            return runCli(args("find % --json", path) + options);
        };
        const CliResult all = RAN(3, found({u"--bytes"_s, u"12 34 56 78"_s}));
        QCOMPARE(all.json()["diagnostics"][0]["code"].get<std::string>(), "search.limit");
        const CliResult one = RAN(0, found({u"--nan"_s, u"--weight"_s, u"blob@0x40"_s}));
        QVERIFY(QFile::remove(path));
    }

    void refusals_data()
    {
        QTest::addColumn<QString>("line");
        for (const char *line :
             {"", "--nan --infinite", "--bytes abc", "--bytes ??", "--integer 70000 --width 2",
              "--integer 1 --width 3", "--width 2", "--tolerance 1", "--value 1 --tolerance -1",
              "--value nan", "--zeros 0", "--zeros -1", "--zero-bytes 18446744073709551616",
              "--nan --limit 0", "--nan --weight nowhere"})
            addRow(*line ? line : "(nothing)", QString::fromLatin1(line));
    }

    void refusals()
    {
        QFETCH(QString, line);
        const CliResult result = RAN(2, find(line));
    }

private:
    CliResult find(const QString &line, bool json = true) const
    {
        QStringList arguments{u"find"_s, m_path};
        for (QString argument : line.split(QLatin1Char(' '), Qt::SkipEmptyParts))
            arguments += argument.replace(QLatin1Char('_'), QLatin1Char(' '));
        if (json)
            arguments += u"--json"_s;
        return runCli(arguments);
    }

    QTemporaryDir m_scratch;
    QString m_path;
};

KERNSCOPE_TEST(TestCliFind, kernscope::test::NoApplication)
#include "tst_cli_find.moc"
