// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "written_archive.h"

/// `diff`: which weights belong together, by hand, in parts, and entry to entry.
class TestCliDiffPairs : public QObject
{
    Q_OBJECT

private slots:
    /// Two weights that nothing else would pair, and one that is to have no partner.
    void pairsByHand()
    {
        const auto bundleOf = [](std::initializer_list<const char *> names) {
            MadeBundle made;
            float value = 1;
            for (const char *name : names) {
                made.weight(name, "[2]", halves({value, value + 1}));
                value += 2;
            }
            return made;
        };
        const QString a = writeBundle(m_scratch, "hand_a.mlmodelc", bundleOf({"v", "y"}));
        const QString b = writeBundle(m_scratch, "hand_b.mlmodelc", bundleOf({"v", "z"}));
        const QString pair = u"--pair"_s;
        HOLDS(RAN(1, diff(a, b, {pair, u"v=z"_s, m_json, m_values})).json()["weights"],
              "0.name=v 0.name_b=z 0.pairing=hand 0.pairing_reason='paired by hand' "
              "0.pairing_confidence=certain 0.changes.0=renamed");
        const auto alone = diff(a, b, {pair, u"v="_s, pair, u"=z"_s, m_json}).json();
        QCOMPARE(alone["weights"].size(), std::size_t(1)); // y of A, v of B: what is left
        HOLDS(alone, "only_a#=1 only_b#=1");
        QVERIFY(diff(a, b, {pair, u"v=z"_s}).out.contains("hand"));
        const CliResult unknown = RAN(3, diff(a, b, {pair, u"v=nothing"_s}));
        QVERIFY(unknown.err.contains("diff.pair") && unknown.err.contains("v=nothing"));
        QCOMPARE(diff(a, b, {pair, u"v"_s}).exitCode, 2);
    }

    /// A weight that is two of the other build, in every format.
    void joinedWeights()
    {
        std::vector<float> values(32);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = float((i * 37) % 101) / 16;
        const auto some = [&](std::size_t first, std::size_t count) {
            return halves(std::span(values).subspan(first, count));
        };
        MadeBundle whole, parts;
        whole.weight("qk", "[8, 4]", some(0, 32));
        parts.weight("q", "[3, 4]", some(0, 12));
        parts.weight("k", "[5, 4]", some(12, 20));
        const QString a = writeBundle(m_scratch, "whole.mlmodelc", whole);
        const QString b = writeBundle(m_scratch, "parts.mlmodelc", parts);
        const auto json = diff(a, b, {m_json, m_values}).json();
        QCOMPARE(json["joined"].size(), std::size_t(1));
        const auto joined = json["joined"][0];
        HOLDS(joined, "kind=split whole.name=qk axis=0 parts.1.weight.name=k parts.1.first=3 "
                      "parts.1.values.equal=20");
        QVERIFY(json["only_a"].empty() && json["only_b"].empty());
        const QByteArray text = diff(b, a, {m_values}).out;
        SAYS(text, "merged: qk of B [8, 4] holds 2 of A along axis 0", "merged, same values");
        const QByteArray table = diff(a, b, {m_values, u"--format"_s, u"csv"_s}).out;
        SAYS(table, "split: part 2 of 2, 3 to 7 of axis 0 of the whole");
        // Nothing of equal parts is worth a place.
        QVERIFY(!diff(a, b, {u"--worst"_s, u"2"_s}).out.contains("Worst places"));
        // No script of edits can say it.
        const CliResult script = RAN(3, diff(a, b, {u"--format"_s, u"changes"_s}));
        QVERIFY2(script.err.contains("diff.changes"), script.err.constData());
        // Under limits a split weight holds where its parts do.
        QCOMPARE(diff(a, b, {u"--max-abs"_s, u"0"_s}).exitCode, 0);
        QCOMPARE(diff(a, b).exitCode, 1);
    }

    /// The worst places of a part, by its own numbers, in text, JSON and on the page.
    void worstOfParts()
    {
        std::vector<float> values(32);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = float((i * 37) % 101) / 16;
        const auto some = [](const std::vector<float> &of, std::size_t first, std::size_t count) {
            return halves(std::span(of).subspan(first, count));
        };
        MadeBundle whole, parts;
        whole.weight("qk", "[8, 4]", some(values, 0, 32));
        values[12 + 2 * 4 + 3] += 8; // of k: row 2, column 3
        parts.weight("q", "[3, 4]", some(values, 0, 12));
        parts.weight("k", "[5, 4]", some(values, 12, 20));
        const QString a = writeBundle(m_scratch, "worst_whole.mlmodelc", whole);
        const QString b = writeBundle(m_scratch, "worst_parts.mlmodelc", parts);
        const QStringList worst = args("--worst 2");
        const auto found = diff(a, b, worst + QStringList{m_json}).json()["joined"][0]["parts"];
        HOLDS(found, "!0.worst 1.worst.different_channels=1 1.worst.worst_channels.0.channel=2");
        const auto element = found[1]["worst"]["worst_elements"][0];
        HOLDS(element, "index.0=2 index.1=3");
        QCOMPARE(element["b"].get<double>() - element["a"].get<double>(), 8.0);
        const QByteArray text = diff(a, b, worst).out;
        SAYS(text, "Worst places of k (split: part 2 of 2", "[2,3]");
        const QByteArray page = diff(a, b, worst + args("--format html")).out;
        SAYS(page, "<h3>qk &gt; k: split, ", "<td>[2,3]</td>", "data:image/png;base64,");
        QVERIFY(!page.contains("<h3>qk &gt; q")); // its values are the same
    }

    /// Two palettes: an entry of another value, one under another number.
    void codebooks()
    {
        const auto palette = [](const char *indices, std::initializer_list<float> book) {
            MadeBundle made;
            const auto codes = made.blob(ElementType::Uint1, "[2, 4]", hex(indices));
            const auto lut = made.blob(ElementType::Fp16, "[1, 1, 2, 1]", halves(book));
            made.form("w", "[2, 4]", "lut_to_dense", {{"indices", codes}, {"lut", lut}});
            return made;
        };
        const QString a = writeBundle(m_scratch, "book_a.mlmodelc", palette("0f", {1, 2}));
        const QString b = writeBundle(m_scratch, "book_b.mlmodelc", palette("f0", {2.5f, 1}));
        const QString option = u"--codebooks"_s;
        const auto books = diff(a, b, {option, m_json}).json()["weights"][0]["codebooks"];
        HOLDS(books, "counts.moved=1 counts.changed=1 entries.0.entry_b=1 entries.1.a.0=2.0 "
                     "entries.1.b.0=2.5 entries.1.uses_both=4");
        const QByteArray text = diff(a, b, {option}).out;
        SAYS(text, "Codebooks of w", "1 moved, 1 changed");
        const QByteArray page = diff(a, b, {option, u"--format"_s, u"html"_s}).out;
        QVERIFY(page.contains("Codebooks of w") && page.contains("<td>moved</td>"));
        QVERIFY(!diff(a, b, {m_json}).json()["weights"][0].contains("codebooks"));
    }

    /// The ranges of bytes that differ, with where they are on both sides and what they hold.
    void ranges()
    {
        const auto bundleOf = [](float third) {
            MadeBundle made;
            made.weight("v", "[4]", halves({1, 2, third, 4}));
            return made;
        };
        const QString a = writeBundle(m_scratch, "ranges_a.mlmodelc", bundleOf(3));
        const QString b = writeBundle(m_scratch, "ranges_b.mlmodelc", bundleOf(3.001f));
        const QString option = u"--ranges"_s;
        const auto json = diff(a, b, {option, m_json}).json();
        const auto list = json["byte_ranges"];
        QCOMPARE(list.size(), std::size_t(1));
        QCOMPARE(json["byte_ranges_cut"].get<bool>(), false);
        QCOMPARE(list[0]["offset_a"], list[0]["offset_b"]);
        HOLDS(list, "0.bytes_a=1 0.state=changed 0.weight=v 0.first_element=2");
        const QByteArray text = diff(a, b, {option}).out;
        SAYS(text, "Ranges of bytes that differ", "v: data", "[2]");
        QVERIFY(!diff(a, b, {m_json}).json().contains("byte_ranges"));
        QVERIFY(diff(a, a, {option, m_json}).json()["byte_ranges"].empty());
    }

    /// Of the worst elements those that are that number of steps apart.
    void steps()
    {
        const auto bundleOf = [](std::initializer_list<float> values) {
            MadeBundle made;
            made.weight("v", "[4]", halves(values));
            return made;
        };
        const QString a = writeBundle(m_scratch, "steps_a.mlmodelc", bundleOf({1, 1, 1, NAN}));
        const QString b = writeBundle(m_scratch, "steps_b.mlmodelc",
                                      bundleOf({1, 1.0009765625f, 1.00390625f, 2}));
        const QString worst = u"--worst"_s, steps = u"--steps"_s;
        const auto elements = [&](const QString &range) {
            const auto json =
                diff(a, b, {worst, u"9"_s, steps, range, m_json}).json()["weights"][0];
            std::vector<int> found;
            for (const auto &element : json["worst"]["worst_elements"])
                found.push_back(element["index"][0].get<int>());
            return found;
        };
        QCOMPARE(elements(u"0:0"_s), std::vector<int>{0});
        QCOMPARE(elements(u"1:1"_s), std::vector<int>{1});
        QCOMPARE(elements(u"2:70000"_s), std::vector<int>{2});
        QCOMPARE(elements(u"2:"_s), (std::vector<int>{3, 2}));
        QCOMPARE(elements(u":"_s).size(), std::size_t(4));
        for (const char *bad : {"3", "2:1", "a:b", "-1:2"})
            QCOMPARE(diff(a, b, {worst, u"9"_s, steps, QLatin1String(bad)}).exitCode, 2);
        QCOMPARE(diff(a, b, {steps, u"1:2"_s}).exitCode, 2);
    }

    /// Patches of one file for other programs; several files that differ are none.
    void binaryPatches()
    {
        const auto made = [](float value, const char *name) {
            MadeBundle bundle;
            bundle.weight(name, "[4]", halves({1, 2, value, 4}));
            return bundle;
        };
        const QString a = writeBundle(m_scratch, "patch_a.mlmodelc", made(3, "w"));
        const QString b = writeBundle(m_scratch, "patch_b.mlmodelc", made(5, "w"));
        const QString c = writeBundle(m_scratch, "patch_c.mlmodelc", made(5, "v"));
        const QString output = u"--output"_s;
        for (const auto &[name, magic] :
             {std::pair("changes.ips", "PATCH"), std::pair("changes.bps", "BPS1")}) {
            const QString path = m_scratch.filePath(QString::fromUtf8(name));
            QCOMPARE(diff(a, b, {output, path}).exitCode, 1);
            QVERIFY(contentOf(path).startsWith(magic));
            // Two files differ: the text names the other weight.
            const CliResult several =
                RAN(3, diff(a, c, {output, m_scratch.filePath(u"n"_s) + QString::fromUtf8(name)}));
            QVERIFY2(several.err.contains("diff.binary_patch"), several.err.constData());
        }
        QCOMPARE(diff(a, b, {u"--format"_s, u"bps"_s}).exitCode, 2);
        // Of two equal files: a patch that changes nothing.
        const QString weights = a + u"/weights/weight.bin"_s;
        const QString same = m_scratch.filePath(u"same.ips"_s);
        QCOMPARE(diff(weights, weights, {output, same}).exitCode, 0);
        QCOMPARE(contentOf(same), QByteArray("PATCHEOF"));
    }

    /// Two kinds of checkpoint with the same tensors are equal where these have the same names as
    /// well.
    void renamedCheckpoints()
    {
        const std::vector<float> values{1, 2, 3, 4};
        const QString a = m_scratch.filePath(u"a.npz"_s);
        WrittenArchive archive;
        archive.add("w", {4}, values);
        archive.write(a);
        const auto tensors = [&](const QByteArray &name) {
            const QByteArray json = "{\"" + name +
                                    "\": {\"dtype\": \"F32\", \"shape\": [4], \"data_offsets\": "
                                    "[0, 16]}}";
            const QString path = m_scratch.filePath(QString::fromUtf8(name + ".safetensors"));
            return put(path, safetensors(json, floats(values))) ? path : QString();
        };
        const CliResult same = RAN(0, diff(a, tensors("w"), {m_values}));
        const CliResult renamed = RAN(1, diff(a, tensors("other"), {m_values, m_json}));
        HOLDS(renamed.json(), "identical=false weights.0.changes.0=renamed");
    }

private:
    CliResult diff(const QString &a, const QString &b, const QStringList &more = {})
    {
        return runCli(args("diff % %", a, b) + more);
    }

    QTemporaryDir m_scratch;
    const QString m_json = u"--json"_s, m_values = u"--values"_s;
};

KERNSCOPE_TEST(TestCliDiffPairs, QCoreApplication)
#include "tst_cli_diff_pairs.moc"
