// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "encoder_runs.h"
#include "tests/test_program.h"
#include "written_archive.h"
#include "written_bundle.h"

using namespace kernscope;
using namespace kernscope::test;

namespace {

/// Values of a weight, different from each other.
Bytes drawnHalves(std::size_t count, unsigned seed)
{
    Bytes bytes;
    for (std::size_t i = 0; i < count; ++i) {
        seed = seed * 1664525 + 1013904223;
        const Bytes one = halves({static_cast<float>(seed >> 20) / 2048.0f - 1.0f});
        bytes.insert(bytes.end(), one.begin(), one.end());
    }
    return bytes;
}

} // namespace

/// `encode` of several weights, by patterns, methods and statistics.
class TestCliEncode : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        MadeBundle made;
        unsigned seed = 1;
        for (const char *name : {"enc_0_weight", "enc_1_weight", "dec_0_weight"})
            made.layer(name, "[8, 16]", drawnHalves(128, ++seed));
        made.layer("enc_0_bias", "[8]", drawnHalves(8, 9));
        Bytes special = drawnHalves(128, 10);
        special[1] = std::byte{0x7e}; // NaN
        made.weight("odd_weight", "[8, 16]", special);
        made.consume("odd_weight");
        m_encoder.bundle = writeBundle(m_encoder.scratch, "net.mlmodelc", made);
        WrittenArchive arrays, means, stray, lonely;
        std::vector<float> squares(16), average(16);
        for (std::size_t i = 0; i < 16; ++i) {
            squares[i] = static_cast<float>(1 + (i * 7) % 16 * (i % 3 == 0 ? 20 : 1));
            average[i] = 0.95f * std::sqrt(squares[i]);
        }
        for (const char *name : {"enc_0_weight", "enc_1_weight", "dec_0_weight"}) {
            arrays.add(name, {16}, squares);
            means.add(name, {16}, squares);
            means.add(std::string(name) + ".mean", {16}, average);
        }
        arrays.write(m_encoder.scratch.filePath(u"squares.npz"_s));
        means.write(m_encoder.scratch.filePath(u"means.npz"_s));
        stray.add("no_such_weight", {16}, squares);
        stray.write(m_encoder.scratch.filePath(u"stray.npz"_s));
        lonely.add("enc_0_weight.mean", {16}, average);
        lonely.write(m_encoder.scratch.filePath(u"lonely.npz"_s));
        WrittenArchive shorter, table;
        shorter.add("enc_0_weight", {4}, {1, 2, 3, 4});
        shorter.write(m_encoder.scratch.filePath(u"shorter.npz"_s));
        table.add("enc_0_weight.second_moment", {2, 3}, {1, 2, 3, 4, 5, 6});
        table.write(m_encoder.scratch.filePath(u"table.npz"_s));
    }

    void patterns_data()
    {
        addColumns<QString, QStringList>();
        addRow("one", u"enc_1_weight"_s, QStringList{u"enc_1_weight"_s});
        addRow("two, in any order", u"dec_0_weight enc_0_weight"_s,
               QStringList{u"enc_0_weight"_s, u"dec_0_weight"_s});
        addRow("a pattern", u"enc_*_weight"_s, QStringList{u"enc_0_weight"_s, u"enc_1_weight"_s});
        addRow(
            "each once", u"enc_* enc_0_weight ???_0_*"_s,
            QStringList{u"enc_0_weight"_s, u"enc_1_weight"_s, u"dec_0_weight"_s, u"enc_0_bias"_s});
        addRow("a set", u"[!ao]*_[0]_weight"_s, QStringList{u"enc_0_weight"_s, u"dec_0_weight"_s});
        QTest::newRow("all that are large") // but for one with NaN, which only dense holds
            << u"--all --min-elements 100 --skip-refused"_s
            << QStringList{u"enc_0_weight"_s, u"enc_1_weight"_s, u"dec_0_weight"_s};
    }

    void patterns()
    {
        const auto [names, encoded] = fetched<QString, QStringList>();
        const QString out = fresh();
        const CliResult result = encode(names + u" --form affine --axis 0 --json -o "_s + out);
        QVERIFY2(result.exitCode == 0, result.out + result.err);
        const auto json = result.json();
        QStringList found;
        for (const auto &one : json["weights"]) {
            found += QString::fromStdString(one["name"].get<std::string>());
            QCOMPARE(one["form"].get<std::string>(), "affine");
        }
        QCOMPARE(found, encoded);
        QCOMPARE(text(json["refused"]),
                 QByteArray(names.contains(u"--all") ? "[\"odd_weight\"]" : "[]"));
        QCOMPARE(json.contains("name"), encoded.size() == 1);
        QVERIFY(json["verified"].get<bool>());
        // What was not named is as it was.
        const auto diff =
            runCli({u"diff"_s, m_encoder.bundle,
                    QString(out).replace(u'%', m_encoder.scratch.path()), u"--json"_s})
                .json();
        for (const auto &pair : diff["weights"]) {
            const auto name = QString::fromStdString(pair["a"]["name"].get<std::string>());
            QCOMPARE(pair["b"]["form"].get<std::string>(),
                     std::string(encoded.contains(name) ? "affine" : "dense-fp16"));
        }
        const CliResult text = encode(names + u" --form affine -o "_s + fresh());
        QVERIFY2(text.exitCode == 0, text.err);
        for (const QString &name : encoded)
            QVERIFY2(text.out.contains(name.toUtf8()), text.out);
    }

    /// Of all weights those that would take no fewer bytes, or may not be compressed, stay.
    void keepsWhatGetsNoSmaller()
    {
        MadeBundle made;
        made.weight("w", "[8, 16]", drawnHalves(128, 3));
        made.weight("up", "[16]", drawnHalves(16, 4));
        made.constant("tensor<fp16, [3]>", "few", "tensor<fp16, [3]>([1, 2, 3])");
        made.op("y", "[1, 2]", "conv_transpose(bias = up, weight = w, x = x)");
        made.op("z", "[1, 2]", "linear(bias = few, weight = w, x = x)");
        const QString path = writeBundle(m_encoder.scratch, "up.mlmodelc", made);
        const auto run = [&](const char *what) {
            return runCli({u"encode"_s, path, QString::fromUtf8(what), u"--form"_s, u"palette"_s,
                           u"--bits"_s, u"1"_s, u"--json"_s, u"-o"_s,
                           fresh().replace(u'%', m_encoder.scratch.path())});
        };
        const auto json = run("--all").json();
        QCOMPARE(json["weights"].size(), std::size_t(1));
        QCOMPARE(json["kept"].size(), std::size_t(2));
        QCOMPARE(json["kept"][0]["weight"].get<std::string>(), "up");
        QCOMPARE(json["kept"][1]["weight"].get<std::string>(), "few");
        QVERIFY(!json["diagnostics"].empty());
        const CliResult named = run("up");
        QCOMPARE(named.exitCode, 0);
        QCOMPARE(named.json()["diagnostics"][0]["code"].get<std::string>(), "encode.operand");
    }

    /// Each weight that cannot be encoded is said, and nothing is written.
    void refusedByName()
    {
        const QString out = fresh();
        const QString line = u"enc_0_bias enc_0_weight --form palette --codebooks 3 -o "_s + out;
        QCOMPARE(encode(line).exitCode, 2);
        const CliResult result = encode(u"odd_weight "_s + line);
        QCOMPARE(result.exitCode, 3); // for its NaN
        for (const char *name : {"odd_weight", "enc_0_bias", "enc_0_weight"})
            QVERIFY2(result.err.contains(name), result.err);
        QVERIFY(!QDir(QString(out).replace(u'%', m_encoder.scratch.path())).exists());
        const CliResult values =
            encode(u"odd_weight enc_0_weight --form palette --json -o "_s + out);
        QCOMPARE(values.exitCode, 3);
        QCOMPARE(values.json()["diagnostics"].size(), std::size_t(1));
        // Of several the one that is refused is named, too.
        QVERIFY(
            QString::fromStdString(values.json()["diagnostics"][0]["message"].get<std::string>())
                .startsWith(u"odd_weight: "_s));
        QVERIFY(!QDir(QString(out).replace(u'%', m_encoder.scratch.path())).exists());
    }

    /// One reason for many weights is said once.
    void oneReasonOfMany()
    {
        const QString path = m_encoder.scratch.filePath(u"missing.mlmodelc"_s);
        QVERIFY(QDir().mkpath(path));
        QVERIFY(QFile::copy(m_encoder.bundle + u"/model.mil"_s, path + u"/model.mil"_s));
        const auto json = runCli({u"encode"_s, path, u"--all"_s, u"--form"_s, u"palette"_s,
                                  u"--json"_s, u"-o"_s, path + u".out.mlmodelc"_s})
                              .json();
        QCOMPARE(json["diagnostics"].size(), std::size_t(1));
        const auto message =
            QString::fromStdString(json["diagnostics"][0]["message"].get<std::string>());
        QVERIFY2(message.startsWith(u"enc_0_weight, "_s), qPrintable(message));
    }

    void skipsWhatIsRefused()
    {
        const QString out = fresh();
        const CliResult result = encode(u"--all --form palette --skip-refused --json -o "_s + out);
        QVERIFY2(result.exitCode == 0, result.out + result.err);
        const auto json = result.json();
        QCOMPARE(text(json["refused"]), QByteArray("[\"odd_weight\"]"));
        QCOMPARE(json["weights"].size(), std::size_t(3));
        QCOMPARE(json["kept"].size(),
                 std::size_t(1)); // eight elements, which a palette makes larger
        QCOMPARE(json["kept"][0]["weight"].get<std::string>(), "enc_0_bias");
        QCOMPARE(json["diagnostics"].size(), std::size_t(2));
        QCOMPARE(json["diagnostics"][0]["severity"].get<std::string>(), "note");
        QCOMPARE(json["diagnostics"][1]["severity"].get<std::string>(), "warning");
        // Where nothing is left, nothing is written.
        const QString none = fresh();
        QCOMPARE(encode(u"odd_weight --form palette --skip-refused -o "_s + none).exitCode, 3);
        QVERIFY(!QDir(QString(none).replace(u'%', m_encoder.scratch.path())).exists());
    }

    /// Groups of 16 rows are none of these weights', and vectors are no chip's of the fifth
    /// version.
    void skipsWhatTheChipRefuses()
    {
        const QString line = u"enc_0_weight enc_1_weight --form palette --bits 6 --target H11 "_s;
        const CliResult refused = encode(line + u"-o "_s + fresh());
        if (refused.exitCode == 0)
            QFAIL("this chip takes 6-bit palettes: another example is needed");
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.err.contains("enc_0_weight") && refused.err.contains("enc_1_weight"),
                 refused.err);
        const CliResult forced = encode(line + u"--force --json -o "_s + fresh());
        QVERIFY2(forced.exitCode == 0, forced.out);
        QCOMPARE(forced.json()["weights"].size(), std::size_t(2));
    }

    /// The same bytes, and less lost by what flows through.
    void methods()
    {
        for (const char *form : {"--form affine", "--form blockwise --type int4 --block 8",
                                 "--form palette --bits 2", "--form sparse --density 0.4"}) {
            double before = HUGE_VAL;
            std::uint64_t bytes = 0;
            for (const char *method : {"plain", "fitted", "feedback"}) {
                // Errors are told by the statistics, which plain does without.
                const bool plain = std::strcmp(method, "plain") == 0;
                const QString asked = u"enc_*_weight %1 --method %2%3 --json -o %4"_s.arg(
                    QString::fromUtf8(form), QString::fromUtf8(method),
                    plain ? QString() : u" --activations %/means.npz"_s, fresh());
                const CliResult result = encode(asked);
                QVERIFY2(result.exitCode == 0, result.out + result.err);
                const auto json = result.json();
                QCOMPARE(json["method"].get<std::string>(), std::string(method));
                std::uint64_t stored =
                    0; // the program's text has other numbers, and so other lengths
                for (const auto &one : json["weights"])
                    stored += one["after"]["stored_bytes"].get<std::uint64_t>();
                if (plain) {
                    bytes = stored;
                    QVERIFY(json["weights"][0]["error"]["inputs_relative"].is_null());
                    continue;
                }
                QCOMPARE(stored, bytes);
                double sum = 0;
                for (const auto &one : json["weights"])
                    sum += one["error"]["inputs_relative"].get<double>();
                QVERIFY(sum > 0 && sum <= before);
                before = sum;
            }
        }
        // Statistics ask for fitted by themselves.
        const CliResult result = encode(
            u"enc_0_weight --form affine --activations %/squares.npz --json -o "_s + fresh());
        QVERIFY2(result.exitCode == 0, result.out + result.err);
        QCOMPARE(result.json()["method"].get<std::string>(), "fitted");
    }

    void feedsBack()
    {
        const QString line = u"enc_0_weight --form blockwise --type int4 --block 8 --activations "
                             "%/means.npz --json "_s;
        const CliResult fitted = encode(line + u"-o "_s + fresh());
        const CliResult fed = encode(line + u"--method feedback -o "_s + fresh());
        QVERIFY2(fitted.exitCode == 0 && fed.exitCode == 0, fitted.err + fed.err);
        QVERIFY(fed.json()["error"]["inputs_relative"].get<double>() <
                0.8 * fitted.json()["error"]["inputs_relative"].get<double>());
        // Mean squares alone, or nothing about this weight: no errors to feed back.
        const QString out = fresh();
        QCOMPARE(encode(u"enc_0_weight --form affine --method feedback --activations "
                        "%/squares.npz -o "_s +
                        out)
                     .exitCode,
                 3);
        QCOMPARE(
            encode(u"odd_weight --form affine --method feedback --activations %/means.npz -o "_s +
                   out)
                .exitCode,
            3);
        QVERIFY(!QDir(QString(out).replace(u'%', m_encoder.scratch.path())).exists());
    }

    void wrongUse_data()
    {
        QTest::addColumn<QString>("line");
        for (const char *line :
             {"--form affine", "enc_0_weight --all --form affine", "no_* --form affine",
              "enc_0_weight none --form affine", "--all --min-elements 1000000 --form affine",
              "enc_0_weight --form dense --method fitted",
              "enc_0_weight --form dense --activations %/means.npz",
              "enc_0_weight --form affine --method best",
              "enc_0_weight --form affine --method feedback",
              "enc_0_weight --form affine --method plain --activations %/means.npz",
              "enc_0_weight --form affine --input-axis 1"})
            addRow(line, QString::fromUtf8(line));
    }

    void wrongUse()
    {
        QFETCH(QString, line);
        const QString out = fresh();
        const CliResult result = encode(line + u" -o "_s + out);
        QVERIFY2(result.exitCode == 2, result.out + result.err);
        QVERIFY(!result.err.isEmpty());
        QVERIFY(!QDir(QString(out).replace(u'%', m_encoder.scratch.path())).exists());
    }

    void namesOfStatistics_data()
    {
        addColumns<QString, QString>();
        addRow("of no weight", u"--activations %/stray.npz"_s, u"activations.name"_s);
        addRow("means alone", u"--activations %/lonely.npz"_s, u"activations.array"_s);
        addRow("not square", u"--activations %/table.npz"_s, u"activations.array"_s);
        addRow("no archive", u"--activations %/net.mlmodelc"_s, u"activations.archive"_s);
        addRow("too few", u"--activations %/shorter.npz"_s, u"codec.argument"_s);
        addRow("another axis", u"--activations %/squares.npz --input-axis 0"_s,
               u"codec.argument"_s);
    }

    void namesOfStatistics()
    {
        const auto [options, code] = fetched<QString, QString>();
        const CliResult result =
            encode(u"enc_0_weight --form affine --json "_s + options + u" -o "_s + fresh());
        QCOMPARE(result.exitCode, 3);
        QCOMPARE(result.json()["diagnostics"][0]["code"].get<std::string>(), code.toStdString());
    }

private:
    CliResult encode(const QString &line) const { return m_encoder.run(line); }
    QString fresh() { return m_encoder.fresh(); }

    Encoder m_encoder;
};

KERNSCOPE_TEST(TestCliEncode, QCoreApplication)
#include "tst_cli_encode.moc"
