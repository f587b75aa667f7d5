// SPDX-License-Identifier: GPL-3.0-or-later
#include "compared_bundles.h"

/// What `diff` writes: reports in every format, and a difference as a script of edits.
class TestCliDiffReports : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_a = writeBundle(m_scratch, "a.mlmodelc", tenValues({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
        m_b = writeBundle(m_scratch, "b.mlmodelc", tenValues({1, 2, 3, 0, 5, 6, 7, 8.5f, 9, 10}));
    }

    void output()
    {
        const QString option = u"--output"_s;
        const QString path = m_scratch.filePath(u"report.json"_s);
        CliResult result = diff(m_a, m_b, {option, path});
        QCOMPARE(result.exitCode, 1);
        QVERIFY(result.out.contains("2 values differ") ||
                result.out.contains("stored bytes differ"));
        QVERIFY(contentOf(path).contains("\"command\": \"diff\""));
        QCOMPARE(diff(m_a, m_b, {option, path}).exitCode, 4);
        QCOMPARE(diff(m_a, m_b, {option, path, u"--force"_s}).exitCode, 1);
        const QString input = m_a + u"/model.mil"_s;
        const QString force = u"--force"_s;
        QCOMPARE(diff(m_a, m_b, {option, input, force}).exitCode, 2); // .mil is no report
        QCOMPARE(diff(m_a, m_b, {option, input, force, u"--format"_s, u"text"_s}).exitCode, 4);
    }

    /// Each format of a report says the same: one weight, and what it exceeds.
    void formats()
    {
        const auto as = [this](const char *format) {
            return diff(m_a, m_b, {u"--max-abs"_s, u"1"_s, u"--format"_s, QLatin1String(format)});
        };
        CliResult result = as("csv");
        QCOMPARE(result.exitCode, 1);
        QVERIFY(result.out.startsWith("a,b,name,name_b,form_a"));
        QCOMPARE(int(result.out.count('\n')), 2);
        QVERIFY(
            result.out.contains("a.mlmodelc,b.mlmodelc,w,w,dense-fp16,dense-fp16,20,20,consumer,"
                                "8,1,1,0,0,0,0.20544535090332955,13.746073641936075,4,1,17408,"));
        result = as("junit");
        QCOMPARE(int(result.out.count("<testcase ")), 2);
        QVERIFY(result.out.contains("<testsuite name=\"a.mlmodelc &gt; b.mlmodelc\" tests=\"2\" "
                                    "failures=\"1\" errors=\"0\">"));
        QVERIFY(result.out.contains("<failure message=\"max_abs: found 4, allowed 1\"/>"));
        result = as("markdown");
        QVERIFY(result.out.contains("| w | w | dense-fp16 |"));
        QVERIFY(result.out.contains("**Does not hold**"));
        // For people: six digits of the cosine, all of them are in the CSV.
        QVERIFY2(result.out.contains("| 0.978732 |"), result.out.constData());
        result = as("html");
        QCOMPARE(int(result.out.count("<img ")), 3);
        QCOMPARE(int(result.out.count("src=\"data:image/png;base64,")), 3);
        QCOMPARE(int(result.out.count("<svg role=\"img\"")), 1);
        QVERIFY(!result.out.contains("http"));
        // Figures are read before words that may be long.
        const qsizetype figure = result.out.indexOf("max |B - A|</th>");
        const qsizetype limits = result.out.indexOf(">limits</th>");
        QVERIFY(figure > 0 && limits > figure && result.out.indexOf(">zeroed</th>") < limits);
        QCOMPARE(as("json").json()["command"].get<std::string>(), "diff");
        QCOMPARE(as("pdf").exitCode, 2);
        QCOMPARE(diff(m_a, m_b, {m_json, u"--format"_s, u"csv"_s}).exitCode, 2);
        // The picture is one that a reader of PNG takes, of the weight's ten values in two rows.
        const qsizetype at = result.out.indexOf("base64,") + 7;
        const QByteArray png =
            QByteArray::fromBase64(result.out.mid(at, result.out.indexOf('"', at) - at));
        QVERIFY(png.startsWith("\x89PNG\r\n"));
        QVERIFY(png.contains("IDAT") && png.contains("IEND"));
    }

    /// What a name holds stays text in every format.
    /// Reports for people begin with the worst, those for programs keep the order of A; either can
    /// be asked for.
    void orderOfWeights()
    {
        const auto three = [](float small, float large) {
            MadeBundle made;
            for (const auto &[name, value] :
                 {std::pair("alike", 1.0f), std::pair("small", small), std::pair("large", large)}) {
                made.layer(name, "[2]", halves({value, 7}));
            }
            return made;
        };
        const QString a = writeBundle(m_scratch, "order_a.mlmodelc", three(2, 3));
        const QString b = writeBundle(m_scratch, "order_b.mlmodelc", three(2.5f, 9));
        // The names in the order of their first line that is of a weight.
        const auto order = [&](const QStringList &more, const char *before = "") {
            const QByteArray text = diff(a, b, QStringList{m_values} + more).out;
            std::vector<std::pair<qsizetype, QByteArray>> places;
            for (const char *name : {"alike", "small", "large"})
                places.emplace_back(text.indexOf(QByteArray(before) + name), name);
            std::sort(places.begin(), places.end());
            return places.front().first < 0
                       ? QByteArray("missing: ") + text
                       : places[0].second + ' ' + places[1].second + ' ' + places[2].second;
        };
        const QString format = u"--format"_s, option = u"--order"_s;
        const QByteArray worst = "large small alike", ofA = "alike small large";
        QCOMPARE(order({}, "\n  "), worst);
        QCOMPARE(order({option, u"a"_s}, "\n  "), ofA);
        QCOMPARE(order({format, u"markdown"_s}, "\n| "), worst);
        QCOMPARE(order({format, u"html"_s}, "<tr><td>"), worst);
        QCOMPARE(order({format, u"csv"_s}, ","), ofA);
        QCOMPARE(order({format, u"junit"_s}, " name=\""), ofA);
        for (const QString &chosen : {QString(), u"a"_s, u"worst"_s}) {
            QStringList more{m_json, u"--worst"_s, u"1"_s};
            if (!chosen.isEmpty())
                more << option << chosen;
            const auto json = diff(a, b, more).json();
            const bool byOrderOfA = chosen != u"worst"_s;
            const auto &first = json["weights"][0];
            QCOMPARE(first["name"].get<std::string>(), std::string(byOrderOfA ? "alike" : "large"));
            // What was found for a weight moves with it.
            QCOMPARE(first.contains("worst"), !byOrderOfA);
        }
        const QString c = writeBundle(m_scratch, "order_c.mlmodelc", three(50, 3));
        const QByteArray several =
            runCli("diff % % % %", a, b, c, m_values).out.split('\n').mid(8).join('\n');
        QVERIFY2(several.indexOf("  small") < several.indexOf("  large") &&
                     several.indexOf("  large") < several.indexOf("  alike"),
                 several.constData());
    }

    void hostileNames()
    {
        const QString b = writeBundle(m_scratch, "=<b>|&\".mlmodelc",
                                      tenValues({1, 2, 3, 0, 5, 6, 7, 8.5f, 9, 10}));
        const auto as = [&](const char *format) {
            return diff(m_a, b, {m_values, u"--format"_s, QLatin1String(format)}).out;
        };
        QVERIFY(as("csv").contains("a.mlmodelc,\"'=<b>|&\"\".mlmodelc\",w"));
        QVERIFY(as("markdown").contains("\\<b\\>\\|&"));
        QVERIFY(as("junit").contains("=&lt;b&gt;|&amp;&quot;.mlmodelc"));
        QVERIFY(!as("html").contains("<b>"));
    }

    /// 4 became 0, 8 became 8.5; of a vector every element is a channel.
    void worstPlaces()
    {
        const QStringList options = args("--worst 3");
        const auto worst =
            diff(m_a, m_b, options + QStringList{m_json}).json()["weights"][0]["worst"];
        QCOMPARE(worst["channels"].get<int>(), 10);
        QCOMPARE(worst["different_channels"].get<int>(), 2);
        QCOMPARE(worst["worst_elements"].dump(),
                 std::string(R"([{"index":[3],"a":4.0,"b":0.0},{"index":[7],"a":8.0,"b":8.5}])"));
        QCOMPARE(worst["worst_channels"][0]["channel"].get<int>(), 3);
        QCOMPARE(worst["worst_channels"][1]["max_abs"].get<double>(), 0.5);
        const CliResult text = diff(m_a, m_b, options);
        QVERIFY(text.out.contains("2 of 10 output channels differ"));
        QVERIFY(diff(m_a, m_b, options + args("--format html")).out.contains("<td>[7]</td>"));
        QCOMPARE(diff(m_a, m_b, {u"--worst"_s, u"0"_s}).exitCode, 2);
        QVERIFY(
            !diff(m_a, m_a, options + QStringList{m_json}).json()["weights"][0].contains("worst"));
    }

    /// A difference as a script: it makes B out of A, and of nothing else.
    void changes()
    {
        const QString script = m_scratch.filePath(u"changes.kpatch"_s);
        QCOMPARE(diff(m_a, m_b, {u"--output"_s, script}).exitCode, 1);
        const QByteArray text = contentOf(script);
        QVERIFY(text.contains("set-stored w:data[3]=0  # was 0x4400: 4 > 0\n"));
        QCOMPARE(int(text.count("set-stored")), 2);
        const auto patch = [&](const QString &bundle, const QString &out) {
            return runCli("patch % --script % --output %", bundle, script, out);
        };
        const QString made = m_scratch.filePath(u"made.mlmodelc"_s);
        const CliResult patched = patch(m_a, made);
        QVERIFY2(patched.exitCode == 0, patched.err.constData());
        QCOMPARE(diff(m_b, made).exitCode, 0);
        // Another bundle than A is refused, and nothing written.
        const QString none = m_scratch.filePath(u"none.mlmodelc"_s);
        const CliResult refused = patch(m_b, none);
        QCOMPARE(refused.exitCode, 3);
        QVERIFY(refused.err.contains("patch.base"));
        QVERIFY(!QFile::exists(none));
        // So are edits that somebody changed on the way.
        QByteArray other = text;
        other.replace("w:data[3]=0 ", "w:data[3]=1 ");
        QVERIFY(other != text);
        const QString forged = writeText(m_scratch, "forged.kpatch", other);
        const CliResult result = runCli("patch % --script % --output %", m_a, forged, none);
        QCOMPARE(result.exitCode, 3);
        QVERIFY(result.err.contains("patch.result"));
        QVERIFY(!QFile::exists(none));
    }

    /// What edits of codes cannot say is named.
    void otherLayouts()
    {
        MadeBundle two = tenValues({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        two.layer("extra", "[2]", halves({1, 2}));
        const QString more = writeBundle(m_scratch, "other.mlmodelc", two);
        const QString script = m_scratch.filePath(u"other.kpatch"_s);
        const CliResult result = diff(m_a, more, {u"--output"_s, script});
        QCOMPARE(result.exitCode, 3);
        QVERIFY(result.err.contains("diff.changes"));
        QVERIFY(!QFile::exists(script));
        QCOMPARE(runCli("diff % % % --format changes", m_a, m_b, m_b).exitCode, 2);
    }

private:
    QTemporaryDir m_scratch;
    QString m_a, m_b;
    const QString m_json = u"--json"_s, m_values = u"--values"_s;
};

KERNSCOPE_TEST(TestCliDiffReports, QCoreApplication)
#include "tst_cli_diff_reports.moc"
