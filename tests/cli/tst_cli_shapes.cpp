// SPDX-License-Identifier: GPL-3.0-or-later
// --shape of every command whose answer needs shapes.
#include "cli_process.h"

using Json = nlohmann::ordered_json;

namespace {

/// A convolution over a picture of any size, and behind it what has no shape before it runs.
MadeBundle pictures()
{
    MadeBundle made;
    made.parameters = "tensor<fp16, [1, 64, ?, ?]> x";
    made.weight("w", "[64, 64, 1, 1]", Bytes(8192, std::byte{0x3c}));
    made.op("y", "[1, 64, ?, ?]", "conv(weight = w, x = x)");
    made.line("tensor<int32, [?, 4]> z = non_zero(x = y)[name = string(\"z\")]");
    made.result = "y";
    return made;
}

} // namespace

class TestCliShapes : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { m_path = writeBundle(m_scratch, "pictures.mlmodelc", pictures()); }

    void bound_data()
    {
        QTest::addColumn<QString>("command");
        for (const char *command : {"inspect", "decide", "geometry", "roofline", "choose"})
            addRow(command, QString::fromUtf8(command));
    }

    void bound()
    {
        QFETCH(QString, command);
        const Json document =
            RAN(0, run(command, {u"--shape"_s, u"x=1,64,8,?"_s, u"--json"_s})).json();
        const Json shapes = document.at("shapes");
        QCOMPARE(shapes.at("unknown")[0].at("op").get<std::string>(), "input");
        QCOMPARE(shapes.at("bound").dump(),
                 std::string(R"([{"input":"main/x","shape":[1,64,8,null]}])"));
        HOLDS(run(command, {u"--shape"_s, u"main/x=1,64,8,9"_s, u"--json"_s}).json().at("shapes"),
              "values=3 open=2 inferred=1 unknown#=1 unknown.0.operation=z unknown.0.op=non_zero");
    }

    void unbound_data() { bound_data(); }

    /// Without the option no document has anything more than before.
    void unbound()
    {
        QFETCH(QString, command);
        const CliResult result = RAN(0, run(command, {u"--json"_s}));
        QVERIFY(!result.json().contains("shapes"));
        QCOMPARE(result.json().at("diagnostics").size(),
                 command == u"choose" ? result.json().at("diagnostics").size() : std::size_t(0));
    }

    void refused_data()
    {
        addColumns<QStringList, QByteArray>();
        const auto row = [](const char *name, const QStringList &shapes, const char *said) {
            QStringList options;
            for (const QString &shape : shapes)
                options << u"--shape"_s << shape;
            addRow(name, options, QByteArray(said));
        };
        row("name", {u"image=1,64,8,8"_s}, "expected x tensor<fp16, [1, 64, ?, ?]>");
        row("rank", {u"x=1,64,8"_s}, "another number of axes");
        row("fixed extent", {u"x=1,3,8,8"_s}, "expected x tensor<fp16, [1, 64, ?, ?]>");
        row("no number", {u"x=1,64,a,8"_s}, "cannot be read");
        row("twice", {u"x=1,64,8,8"_s, u"main/x=1,64,8,8"_s}, "bound twice");
    }

    void refused()
    {
        const auto [options, said] = fetched<QStringList, QByteArray>();
        const CliResult result = RAN(2, run(u"roofline"_s, options));
        QVERIFY2(result.err.contains(said), result.err.constData());
        QVERIFY(result.out.isEmpty());
        const CliResult weights =
            RAN(2, runCli(args("inspect % --shape x=1", m_path + u"/weights/weight.bin"_s)));
    }

    void forPeople()
    {
        const CliResult result = RAN(0, run(u"roofline"_s, {u"--shape"_s, u"x=1,64,8,8"_s}));
        SAYS(result.out, "with main/x = [1, 64, 8, 8]: 1 of 2 open shapes follow");
        SAYS(result.err, "Shape unknown behind operation z (non_zero)");
    }

    /// 2 x 64 x 64 x 64 operations, and a time that was not known before.
    void numbers()
    {
        const auto layer = [this](const QStringList &options) {
            return run(u"roofline"_s, options + args("--json")).json().at("layers")[0];
        };
        QVERIFY(layer({}).at("flops").is_null());
        QVERIFY(layer({}).at("time_s").is_null());
        const Json bound = layer({u"--shape"_s, u"x=1,64,8,8"_s});
        QCOMPARE(bound.at("flops").get<std::uint64_t>(), std::uint64_t(2 * 64 * 64 * 64));
        QVERIFY(bound.at("time_s").get<double>() > 0);
    }

    /// The candidates stand with their figures; the form to take is null until the shapes are
    /// bound.
    void noProposalWithoutShapes()
    {
        const auto choice = [this](const QStringList &options) {
            return run(u"choose"_s, options + args("--json")).json().at("choices")[0];
        };
        const Json open = choice({});
        HOLDS(open, "form=null candidates#=5");
        for (const Json &candidate : open.at("candidates"))
            QVERIFY(!candidate.at("chosen").get<bool>());
        QVERIFY(run(u"choose"_s, {})
                    .out.contains("dense -> no proposal: shapes are not known of conv"));
        QVERIFY(choice({u"--shape"_s, u"x=1,64,8,8"_s}).at("form").is_string());
    }

private:
    CliResult run(const QString &command, const QStringList &options) const
    {
        return runCli(QStringList{command, m_path} + options);
    }

    QTemporaryDir m_scratch;
    QString m_path;
};

KERNSCOPE_TEST(TestCliShapes, QCoreApplication)
#include "tst_cli_shapes.moc"
