// SPDX-License-Identifier: GPL-3.0-or-later
#include "compared_bundles.h"

/// `diff`: two bundles side by side.
/// What `diff` writes: reports in every format, and a difference as a script of edits.
class TestCliDiff : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        m_a = writeBundle(m_scratch, "a.mlmodelc", tenValues({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
        m_b = writeBundle(m_scratch, "b.mlmodelc", tenValues({1, 2, 3, 0, 5, 6, 7, 8.5f, 9, 10}));
    }

    void identical()
    {
        const CliResult same = RAN(0, diff(m_a, m_a, {m_json, m_values}));
        QVERIFY(same.err.isEmpty());
        HOLDS(same.json(), "schema=1 command=diff identical=true program.equal=true weights#=1 "
                           "weights.0.values.equal=10 only_a#=0 only_b#=0 diagnostics#=0");
    }

    void different()
    {
        const auto json = RAN(1, diff(m_a, m_b, {m_json, m_values})).json();
        QVERIFY(!json["identical"].get<bool>());
        const auto &weight = json["weights"][0];
        HOLDS(weight, "name=w pairing=consumer a.form=dense-fp16 layout_equal=true "
                      "stored_equal=false stored_ratio=1.0");
        const auto &values = weight["values"];
        HOLDS(values, "equal=8 changed=1 zeroed=1 max_abs=4.0 max_ulp=17408 ulp_histogram#=17");
        // The weight file: 4 becomes 0 in one byte, 8 becomes 8.5 in one.
        for (const auto &file : json["files"]) {
            const bool weights = file["path"].get<std::string>() == "weights/weight.bin";
            QCOMPARE(file["equal"].get<bool>(), !weights);
            if (weights)
                QCOMPARE(file["ranges"].dump(), "[[135,1],[142,1]]");
            QCOMPARE(file["changed_bytes"].get<int>(), weights ? 2 : 0);
            QCOMPARE(file["only_a_bytes"].get<int>() + file["only_b_bytes"].get<int>(), 0);
        }
        QCOMPARE(json["weights"][0]["pairing_confidence"].get<std::string>(), "certain");
        QVERIFY(!json["weights"][0]["pairing_reason"].get<std::string>().empty());
        const CliResult places = diff(m_a, m_b, {m_json, u"--channels"_s, u"--histograms"_s});
        const auto worst = places.json()["weights"][0]["worst"];
        QCOMPARE(worst["worst_channels"].size(), worst["different_channels"].get<std::size_t>());
        QVERIFY(worst["worst_elements"].empty());
        std::uint64_t counted = 0;
        for (const auto &count : worst["histogram"]["a"])
            counted += count.get<std::uint64_t>();
        QCOMPARE(counted, json["weights"][0]["a"]["elements"].get<std::uint64_t>());
        // Without --values nothing is decoded.
        QVERIFY(diff(m_a, m_b, {m_json}).json()["weights"][0]["values"].is_null());
    }

    void text()
    {
        const CliResult result = RAN(1, diff(m_a, m_b, {m_values}));
        SAYS(result.out, "8 equal, 1 changed, 1 zeroed", "2 values differ",
             "weights/weight.bin: 0x87+1 0x8e+1");
        QVERIFY(!result.out.contains('\x1b'));
        const CliResult quiet = RAN(1, diff(m_a, m_b, {u"--quiet"_s}));
        QVERIFY(quiet.out.isEmpty());
    }

    /// A tolerance is a limit: what keeps it holds.
    void tolerance()
    {
        const auto with = [this](const char *limit) {
            return diff(m_a, m_b, {m_json, m_values, u"--tolerance"_s, QLatin1String(limit)});
        };
        const CliResult result = RAN(1, with("1"));
        QCOMPARE(result.json()["weights"][0]["values"]["beyond_tolerance"].get<int>(), 1);
        QCOMPARE(with("10").exitCode, 0);
        QCOMPARE(with("10").json()["identical"].get<bool>(), false);
    }

    void limits_data()
    {
        addColumns<QStringList, int>();
        const auto row = [](const char *options, int exitCode) {
            addRow(options, QString::fromLatin1(options).split(u' '), exitCode);
        };
        row("--max-abs 4", 0);
        row("--max-abs 3.99", 1);
        row("--tolerance 10", 0);
        row("--max-rel 1", 0);
        row("--max-rel 0.5", 1);
        row("--max-ulp 17408", 0);
        row("--max-ulp 17407", 1);
        row("--min-cosine 0.9", 0);
        row("--min-cosine 0.99999", 1);
        row("--min-snr 13", 0);
        row("--min-snr 14", 1);
        row("--same-program", 0);
        row("--same-program --max-abs 1", 1);
        row("--allow-missing", 1);
        row("--max-abs 4 --max-ulp 1", 1);
    }

    /// 4 became 0, 8 became 8.5: the noise is 16.25, the signal 385, that is 13.7 dB.
    void limits()
    {
        const auto [options, exitCode] = fetched<QStringList, int>();
        QCOMPARE(diff(m_a, m_b, options).exitCode, exitCode);
        QCOMPARE(diff(m_a, m_a, options).exitCode, 0);
        const auto json = diff(m_a, m_b, options + QStringList{m_json}).json();
        QCOMPARE(json["verdict"]["holds"].get<bool>(), exitCode == 0);
        QCOMPARE(json["verdict"]["faults"].empty(), exitCode == 0);
    }

    /// Which weight broke which limit, in text and in JSON.
    void limitFaults()
    {
        const QStringList options = args("--max-abs 1 --max-ulp 8");
        QCOMPARE(diff(m_a, m_b, options + QStringList{m_json}).json()["verdict"]["faults"].dump(),
                 std::string(
                     R"([{"weight":"w","weight_b":"w","limit":"max_abs","found":4.0,"allowed":1.0,)"
                     R"("rule":null},{"weight":"w","weight_b":"w","limit":"max_ulp","found":17408,)"
                     R"("allowed":8.0,"rule":null}])"));
        SAYS(diff(m_a, m_b, options).out, "exceeds w max_abs: found 4, allowed 1\n",
             "exceeds w max_ulp: found 17408, allowed 8\n");
        QVERIFY(!diff(m_a, m_b).out.contains("exceeds"));
    }

    void rules()
    {
        const QString option = u"--rules"_s;
        const auto with = [&](const QByteArray &text, const QStringList &more = {}) {
            return diff(m_a, m_b,
                        QStringList{option, writeText(m_scratch, "rules.toml", text)} + more)
                .exitCode;
        };
        QCOMPARE(with("max-abs = 4\n"), 0);
        QCOMPARE(with("max-abs = 1\n"), 1);
        // The limits of a name go over those of all weights, a later table over an earlier one.
        QCOMPARE(with("max-abs = 1\n[[weight]]\nmatch = \"w*\"\nmax-abs = 4\n"), 0);
        QCOMPARE(with("max-abs = 9\n[[weight]]\nmatch = \"?\"\nmax-abs = 1\n"), 1);
        QCOMPARE(with("[[weight]]\nmatch = \"w\"\nmax-abs = 1\n"
                      "[[weight]]\nmatch = \"main/w\"\nmax-abs = 4\n"),
                 0);
        QCOMPARE(with("[[weight]]\nmatch = \"w\"\nignore = true\n"), 0);
        QCOMPARE(with("same-program = true\n"), 0);
        // The command line goes over what the file says of all weights.
        QCOMPARE(with("max-abs = 4\n", {u"--max-abs"_s, u"1"_s}), 1);
        const QString strict =
            writeText(m_scratch, "rules.toml", "[[weight]]\nmatch = \"w\"\nmax-abs = 1\n");
        const auto faults = diff(m_a, m_b, {option, strict, m_json}).json()["verdict"]["faults"];
        QCOMPARE(faults[0]["rule"].get<std::string>(), "w");
    }

    void badRules_data()
    {
        const auto row = addColumns<QByteArray, QString>();
        row("unknown key", "max-abs = 1\nmax-abc = 2\n", "line 2");
        row("key of a weight", "[[weight]]\nmatch = \"w\"\nmax-abc = 1\n", "line 3");
        row("text", "max-abs = \"1\"\n", "line 1");
        row("negative", "max-ulp = -1\n", "line 1");
        row("not a number", "min-snr = nan\n", "line 1");
        row("no pattern", "[[weight]]\nmax-abs = 1\n", "line 1");
        row("empty pattern", "[[weight]]\nmatch = \"\"\n", "line 2");
        row("no array", "[weight]\nmatch = \"w\"\n", "line 1");
        row("no TOML", "max-abs = = 1\n", "line 1");
        row("twice", "max-abs = 1\nmax-abs = 2\n", "line 2");
    }

    /// Says where; nothing is compared by half of the rules.
    void badRules()
    {
        const auto [text, place] = fetched<QByteArray, QString>();
        const QString path = writeText(m_scratch, "bad.toml", text);
        const auto diagnostic =
            RAN(3, diff(m_a, m_a, {m_json, u"--rules"_s, path})).json()["diagnostics"][0];
        QCOMPARE(diagnostic["code"].get<std::string>(), "diff.rules");
        QVERIFY2(QString::fromStdString(diagnostic.dump()).contains(place),
                 diagnostic.dump().c_str());
        const QString none = m_scratch.filePath(u"none.toml"_s);
        QCOMPARE(diff(m_a, m_a, {u"--rules"_s, none}).exitCode, 4);
    }

    /// A weight that no limit is for must have the values that it had; one that is missing is
    /// named.
    void uncovered()
    {
        const QString option = u"--rules"_s;
        const QString other =
            writeText(m_scratch, "other.toml", "[[weight]]\nmatch = \"bias\"\nmax-abs = 1\n");
        CliResult result = diff(m_a, m_b, {option, other, m_json});
        QCOMPARE(result.exitCode, 1);
        QCOMPARE(result.json()["verdict"]["faults"][0]["limit"].get<std::string>(), "equal");
        // A rule that guards nothing is said.
        HOLDS(result.json(), "diagnostics.0.code=diff.rule_unused diagnostics.0.severity=warning");
        MadeBundle two = tenValues({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        two.layer("extra", "[2]", halves({1, 2}));
        const QString more = writeBundle(m_scratch, "more.mlmodelc", two);
        const QStringList limit = args("--max-abs 1");
        result = diff(m_a, more, limit + QStringList{m_json});
        QCOMPARE(result.exitCode, 1);
        QCOMPARE(result.json()["verdict"]["faults"][0]["limit"].get<std::string>(), "missing");
        QCOMPARE(diff(m_a, more, limit + args("--allow-missing")).exitCode, 0);
        QCOMPARE(diff(m_a, more, {u"--allow-missing"_s}).exitCode, 0);
        QCOMPARE(diff(m_a, more, {u"--same-program"_s}).exitCode, 1);
        const QString rules = writeText(m_scratch, "missing.toml",
                                        "[[weight]]\nmatch = \"ex*\"\nallow-missing = true\n");
        QCOMPARE(diff(m_a, more, {option, rules}).exitCode, 0);
    }

    /// The first against every other.
    void several()
    {
        const CliResult text = RAN(1, runCli("diff % % %", m_a, m_a, m_b));
        QVERIFY(text.out.contains("stored bytes differ"));
        const auto json = runCli("diff % % % %", m_a, m_a, m_b, m_json).json();
        HOLDS(json, "comparisons#=2 comparisons.0.identical=true comparisons.1.b=b.mlmodelc "
                    "matrix#=1 matrix.0.builds.0.verdict=identical");
        const QStringList both = args("diff % % % --max-abs", m_a, m_a, m_b);
        QCOMPARE(runCli(both + args("4")).exitCode, 0);
        QCOMPARE(runCli(both + args("3")).exitCode, 1);
        QCOMPARE(runCli("diff %", m_a).exitCode, 2);
        const auto two = diff(m_a, m_b, {m_values, m_json}).json()["verdict"];
        HOLDS(two, "bit_faithful=false counterexample.index.0=3");
    }

    /// What can be compared is; the faults are listed with the bundle that they are in.
    void damaged()
    {
        MadeBundle bad = tenValues({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        bad.constant("tensor<fp16, [9]>", "lost", MadeBundle::blobAt("fp16", "[9]", 6400));
        bad.consume("lost");
        const QString path = writeBundle(m_scratch, "bad.mlmodelc", bad);
        const auto json = RAN(3, diff(m_a, path, {m_json, m_values})).json();
        QVERIFY(json["weights"][0]["values"]["equal"].get<int>() == 10);
        QVERIFY(!json["diagnostics"].empty());
        QVERIFY(json["diagnostics"][0]["file"].get<std::string>().starts_with("bad.mlmodelc/"));
        const CliResult missing = RAN(4, diff(m_a, m_scratch.filePath(u"none"_s), {m_json}));
        QCOMPARE(missing.json()["diagnostics"][0]["code"].get<std::string>(), "io.open");
    }

    /// What cannot be read on either side is neither identical nor proved, whatever the bytes.
    void unreadable()
    {
        MadeBundle made;
        made.constant("tensor<fp16, [9]>", "lost", MadeBundle::blobAt("fp16", "[9]", 6400));
        made.consume("lost");
        const QString bad = writeBundle(m_scratch, "lost.mlmodelc", made);
        for (const QStringList &options :
             {QStringList(), QStringList{m_values}, args("--max-abs 1")}) {
            const auto json = RAN(3, diff(bad, bad, options + QStringList{m_json})).json();
            QVERIFY(!json["identical"].get<bool>() && !json["verdict"]["holds"].get<bool>());
            const auto &weight = json["weights"][0];
            QVERIFY(weight["layout_equal"].is_null() && weight["stored_equal"].is_null());
            QVERIFY(json["verdict"]["bit_faithful"].is_null());
            QCOMPARE(weight["verdict"].get<std::string>(), "cannot be compared");
            const CliResult text = diff(bad, bad, options);
            SAYS(text.out, "\ncannot be compared\n", "1 of 1 weight unreadable");
            QVERIFY(!text.out.contains("proved"));
        }
        const auto as = [&](const char *format) {
            return diff(bad, bad, {m_values, u"--format"_s, QLatin1String(format)}).out;
        };
        QVERIFY(as("markdown").contains("**Cannot be compared**"));
        QVERIFY(as("html").contains("Cannot be compared"));
        QVERIFY(as("junit").contains("found cannot be compared"));
        QVERIFY(as("junit").contains("<error message=\"cannot be compared\"/>"));
        QVERIFY(as("csv").contains("cannot be compared"));
        const auto several = runCli("diff % % % %", bad, bad, bad, m_json).json();
        HOLDS(several, "matrix.0.builds.1.verdict='cannot be compared' identical=false");
    }

    /// Not finite on one side: a verdict of its own in every format, and no figure.
    void notFinite()
    {
        const QString lost = writeBundle(m_scratch, "nan.mlmodelc",
                                         tenValues({1, 2, NAN, 4, 5, 6, INFINITY, 8, 9, 10}));
        const auto json = diff(m_a, lost, {m_json, m_values}).json();
        const auto &weight = json["weights"][0];
        QCOMPARE(weight["verdict"].get<std::string>(), "not finite (2 values in B)");
        for (const char *key : {"relative_rmse", "snr_db", "max_abs", "mean_abs", "rmse", "cosine",
                                "max_rel", "max_ulp"})
            QVERIFY2(weight["values"][key].is_null(), key);
        HOLDS(weight, "values.nonfinite_a=0 values.nonfinite_b=2");
        QVERIFY(!json["verdict"]["bit_faithful"].get<bool>());
        for (const auto &worst : json["verdict"]["worst"])
            QVERIFY(worst["value"].is_null() && worst["said"].get<std::string>() == "not finite");
        QVERIFY(diff(m_a, lost, {m_values}).out.contains("2 not finite"));
        for (const char *format : {"markdown", "html", "csv"})
            QVERIFY2(diff(m_a, lost, {m_values, u"--format"_s, QLatin1String(format)})
                         .out.replace("\\", "")
                         .contains("not finite (2 values in B)"),
                     format);
        const CliResult junit =
            diff(m_a, lost, {u"--max-abs"_s, u"1"_s, u"--format"_s, u"junit"_s});
        QVERIFY(junit.out.contains("max_abs: found not finite"));
        QCOMPARE(diff(m_a, lost, {u"--max-abs"_s, u"1e30"_s}).exitCode, 1);
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
        SAYS(result.out, "a.mlmodelc,b.mlmodelc,w,w,dense-fp16,dense-fp16,20,20,consumer,8,1,1,0,0,"
                         "0,0.20544535090332955,13.746073641936075,4,1,17408,");
        result = as("junit");
        QCOMPARE(int(result.out.count("<testcase ")), 2);
        QVERIFY(result.out.contains("<testsuite name=\"a.mlmodelc &gt; b.mlmodelc\" tests=\"2\" "
                                    "failures=\"1\" errors=\"0\">"));
        QVERIFY(result.out.contains("<failure message=\"max_abs: found 4, allowed 1\"/>"));
        result = as("markdown");
        SAYS(result.out, "| w | w | dense-fp16 |", "**Does not hold**");
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
        HOLDS(worst, "channels=10 different_channels=2");
        QCOMPARE(worst["worst_elements"].dump(),
                 std::string(R"([{"index":[3],"a":4.0,"b":0.0},{"index":[7],"a":8.0,"b":8.5}])"));
        HOLDS(worst, "worst_channels.0.channel=3 worst_channels.1.max_abs=0.5");
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
        const CliResult patched = RAN(0, patch(m_a, made));
        QCOMPARE(diff(m_b, made).exitCode, 0);
        // Another bundle than A is refused, and nothing written.
        const QString none = m_scratch.filePath(u"none.mlmodelc"_s);
        const CliResult refused = RAN(3, patch(m_b, none));
        QVERIFY(refused.err.contains("patch.base"));
        QVERIFY(!QFile::exists(none));
        // So are edits that somebody changed on the way.
        QByteArray other = text;
        other.replace("w:data[3]=0 ", "w:data[3]=1 ");
        QVERIFY(other != text);
        const QString forged = writeText(m_scratch, "forged.kpatch", other);
        const CliResult result = RAN(3, runCli("patch % --script % --output %", m_a, forged, none));
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
        const CliResult result = RAN(3, diff(m_a, more, {u"--output"_s, script}));
        QVERIFY(result.err.contains("diff.changes"));
        QVERIFY(!QFile::exists(script));
        QCOMPARE(runCli("diff % % % --format changes", m_a, m_b, m_b).exitCode, 2);
    }

private:
    QTemporaryDir m_scratch;
    QString m_a, m_b;
    const QString m_json = u"--json"_s, m_values = u"--values"_s;
};

KERNSCOPE_TEST(TestCliDiff, QCoreApplication)
#include "tst_cli_diff.moc"
