// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "written_archive.h"

namespace {

/// Runs `encode` on one bundle, each time into a bundle of its own.
struct Encoder {
    QTemporaryDir scratch;
    QString bundle; ///< path of what is encoded
    int count = 0;  ///< how many output paths were named

    /// `line`: what follows the bundle; % stands for the folder.
    CliResult run(const QString &line) const
    {
        QStringList words{QStringLiteral("encode"), bundle};
        words += line.split(QLatin1Char(' '), Qt::SkipEmptyParts);
        for (QString &word : words)
            word.replace(QLatin1Char('%'), scratch.path());
        return runCli(words);
    }

    QString fresh() { return QStringLiteral("%/out%1.mlmodelc").arg(++count); }
};

/// Values of a weight, different from each other.
Bytes drawnHalves(std::size_t count, unsigned seed)
{
    return halves(count, [&](std::size_t) {
        seed = seed * 1664525 + 1013904223;
        return static_cast<float>(seed >> 20) / 2048.0f - 1.0f;
    });
}

struct LayerCase {
    const char *name, *shape;
    std::size_t elements;
    const char *line;
};
/// Layers whose output channels lie along different axes of the weight.
const LayerCase kLayers[] = {
    {"linear", "[32, 64]", 2048,
     "tensor<fp16, [1, 32]> y = linear(weight = w, x = x)[name = string(\"y\")]"},
    {"matmul", "[64, 32]", 2048,
     "tensor<fp16, [1, 32]> y = matmul(transpose_y = bool(false), x = x, y = w)[name = "
     "string(\"y\")]"},
    {"matmul transposed", "[32, 64]", 2048,
     "tensor<fp16, [1, 32]> y = matmul(transpose_y = bool(true), x = x, y = w)[name = "
     "string(\"y\")]"},
    {"matmul of a batch", "[3, 64, 32]", 6144,
     "tensor<fp16, [3, 1, 32]> y = matmul(transpose_y = bool(false), x = x, y = w)[name = "
     "string(\"y\")]"},
    {"conv_transpose", "[64, 32, 3]", 6144,
     "tensor<fp16, [1, 32, 3]> y = conv_transpose(weight = w, x = x)[name = string(\"y\")]"},
    {"conv_transpose, groups", "[64, 32, 3]", 6144,
     "tensor<fp16, [1, 64, 3]> y = conv_transpose(groups = int32(2), weight = w, x = x)[name = "
     "string(\"y\")]"},
    {"lstm", "[32, 64]", 2048,
     "tensor<fp16, [1, 8]> y = lstm(weight_ih = w, x = x)[name = string(\"y\")]"},
};

/// Rows of a factor 1 to 8 and columns of another, so that axes are told apart by their scales.
Bytes unevenHalves(std::size_t count)
{
    unsigned seed = 5;
    return halves(count, [&](std::size_t i) {
        seed = seed * 1664525 + 1013904223;
        const float value = static_cast<float>(seed >> 20) / 2048.0f - 1.0f;
        return value * static_cast<float>(1 + i % 32) * static_cast<float>(1 + i / 64 % 8);
    });
}

nlohmann::ordered_json rowOf(const nlohmann::ordered_json &rows, const char *form)
{
    for (const nlohmann::ordered_json &row : rows) {
        if (row["form"] == form)
            return row;
    }
    return {};
}

} // namespace

/// `encode` of several weights, by patterns, methods and statistics.
/// The error that `encode`, `choose` and `plan` state, by layers whose output channels lie along
/// different axes.
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
        addRow("one", u"enc_1_weight"_s, args("enc_1_weight"));
        addRow("two, in any order", u"dec_0_weight enc_0_weight"_s,
               args("enc_0_weight dec_0_weight"));
        addRow("a pattern", u"enc_*_weight"_s, args("enc_0_weight enc_1_weight"));
        addRow("each once", u"enc_* enc_0_weight ???_0_*"_s,
               args("enc_0_weight enc_1_weight dec_0_weight enc_0_bias"));
        addRow("a set", u"[!ao]*_[0]_weight"_s, args("enc_0_weight dec_0_weight"));
        QTest::newRow("all that are large") // but for one with NaN, which only dense holds
            << u"--all --min-elements 100 --skip-refused"_s
            << args("enc_0_weight enc_1_weight dec_0_weight");
    }

    void patterns()
    {
        const auto [names, encoded] = fetched<QString, QStringList>();
        const QString out = fresh();
        const auto json =
            RAN(0, encode(names + u" --form affine --axis 0 --json -o "_s + out)).json();
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
        const auto diff = runCli("diff % % --json", m_encoder.bundle,
                                 QString(out).replace(u'%', m_encoder.scratch.path()))
                              .json();
        for (const auto &pair : diff["weights"]) {
            const auto name = QString::fromStdString(pair["a"]["name"].get<std::string>());
            QCOMPARE(pair["b"]["form"].get<std::string>(),
                     std::string(encoded.contains(name) ? "affine" : "dense-fp16"));
        }
        const CliResult text = RAN(0, encode(names + u" --form affine -o "_s + fresh()));
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
            return runCli("encode % % --form palette --bits 1 --json -o %", path,
                          QString::fromUtf8(what), fresh().replace(u'%', m_encoder.scratch.path()));
        };
        const auto json = run("--all").json();
        HOLDS(json, "weights#=1 kept#=2 kept.0.weight=up kept.1.weight=few diagnostics#!=0");
        const CliResult named = RAN(0, run("up"));
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
        SAYS(result.err, "odd_weight", "enc_0_bias", "enc_0_weight");
        QVERIFY(!QDir(QString(out).replace(u'%', m_encoder.scratch.path())).exists());
        const CliResult values =
            RAN(3, encode(u"odd_weight enc_0_weight --form palette --json -o "_s + out));
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
        const auto json =
            runCli("encode % --all --form palette --json -o %", path, path + u".out.mlmodelc"_s)
                .json();
        QCOMPARE(json["diagnostics"].size(), std::size_t(1));
        const auto message =
            QString::fromStdString(json["diagnostics"][0]["message"].get<std::string>());
        QVERIFY2(message.startsWith(u"enc_0_weight, "_s), qPrintable(message));
    }

    void skipsWhatIsRefused()
    {
        const QString out = fresh();
        const auto json =
            RAN(0, encode(u"--all --form palette --skip-refused --json -o "_s + out)).json();
        HOLDS(json, "refused=[\"odd_weight\"] weights#=3");
        QCOMPARE(json["kept"].size(),
                 std::size_t(1)); // eight elements, which a palette makes larger
        HOLDS(json, "kept.0.weight=enc_0_bias diagnostics#=2 diagnostics.0.severity=note "
                    "diagnostics.1.severity=warning");
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
        SAYS(refused.err, "enc_0_weight", "enc_1_weight");
        const CliResult forced = RAN(0, encode(line + u"--force --json -o "_s + fresh()));
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
                const CliResult result = RAN(0, encode(asked));
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
        QCOMPARE(
            RAN(0, encode(u"enc_0_weight --form affine --activations %/squares.npz --json -o "_s +
                          fresh()))
                .json()["method"]
                .get<std::string>(),
            "fitted");
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
        const CliResult result = RAN(2, encode(line + u" -o "_s + out));
        QVERIFY(!result.err.isEmpty());
        QVERIFY(!QDir(QString(out).replace(u'%', m_encoder.scratch.path())).exists());
    }

    void namesOfStatistics_data()
    {
        const auto row = addColumns<QString, QString>();
        row("of no weight", "--activations %/stray.npz", "activations.name");
        row("means alone", "--activations %/lonely.npz", "activations.array");
        row("not square", "--activations %/table.npz", "activations.array");
        row("no archive", "--activations %/net.mlmodelc", "activations.archive");
        row("too few", "--activations %/shorter.npz", "codec.argument");
        row("another axis", "--activations %/squares.npz --input-axis 0", "codec.argument");
    }

    void namesOfStatistics()
    {
        const auto [options, code] = fetched<QString, QString>();
        const CliResult result =
            RAN(3, encode(u"enc_0_weight --form affine --json "_s + options + u" -o "_s + fresh()));
        QCOMPARE(result.json()["diagnostics"][0]["code"].get<std::string>(), code.toStdString());
    }

    void oneError_data()
    {
        QTest::addColumn<int>("layer");
        for (int i = 0; i < int(std::size(kLayers)); ++i)
            addRow(kLayers[i].name, i);
    }

    /// The error of a layer in a form is the same in every command: along its own output channels.
    void oneError()
    {
        QFETCH(int, layer);
        const LayerCase &one = kLayers[layer];
        MadeBundle made;
        const std::string shape = one.shape;
        made.weight("w", shape, unevenHalves(one.elements));
        made.parameters = "tensor<fp16, [1, 64]> x";
        made.line(one.line);
        made.result = "y";
        const QByteArray name = "layer" + QByteArray::number(layer) + ".mlmodelc";
        const QString path = writeBundle(m_encoder.scratch, name.constData(), made);
        const auto chosen = runCli("choose % --json", path).json();
        QCOMPARE(chosen["choices"].size(), std::size_t(1));
        const auto planned = runCli("plan % --json --candidates --error outputs --forms palette4 "
                                    "--forms int8 --forms blockwise-int8-32",
                                    path)
                                 .json();
        const struct {
            const char *choice, *plan;
            QStringList options;
        } forms[] = {
            {"palette4", "palette4", {u"palette"_s, u"--bits"_s, u"4"_s}},
            {"int8", "int8", {u"affine"_s}},
            {"blockwise", "blockwise-int8-32", {u"blockwise"_s, u"--block"_s, u"32"_s}},
        };
        for (const auto &form : forms) {
            const auto choice = rowOf(chosen["choices"][0]["candidates"], form.choice);
            const auto plan = rowOf(planned["plan"][0]["candidates"], form.plan);
            QVERIFY2(choice.is_object() && plan.is_object(), form.plan);
            double plain = 0;
            for (const QString &method : {u"plain"_s, u"fitted"_s}) {
                const QString output =
                    m_encoder.scratch.filePath(u"one%1.mlmodelc"_s.arg(++m_encoder.count));
                const auto encoded = RAN(0, runCli(args("encode % w --json --method % -o % --form",
                                                        path, method, output) +
                                                   form.options))
                                         .json();
                const double error =
                    encoded["weights"][0]["error"]["output_relative"].get<double>();
                if (method == u"plain"_s) {
                    plain = error;
                    QCOMPARE(choice["error"]["relative"].get<double>(), error);
                    QCOMPARE(text(choice["bytes"]),
                             text(encoded["weights"][0]["after"]["stored_bytes"]));
                    QVERIFY(plan["error"].get<double>() <= error * (1 + 1e-12));
                }
                if (plan["method"] == method.toStdString())
                    QCOMPARE(plan["error"].get<double>(), error);
            }
            QVERIFY(plain > 0);
        }
    }

private:
    CliResult encode(const QString &line) const { return m_encoder.run(line); }
    QString fresh() { return m_encoder.fresh(); }

    Encoder m_encoder;
};

KERNSCOPE_TEST(TestCliEncode, QCoreApplication)
#include "tst_cli_encode.moc"
