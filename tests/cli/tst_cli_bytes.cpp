// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "resources/sample.h"
#include "tests/core/container/contract/container_samples.h"
#include "widgets/bytes/hex_dock.h"
#include "widgets/bytes/hex_view.h"
#include "widgets/models/table_text.h"

using namespace kernscope::ui;

using Json = nlohmann::ordered_json;

/// `bytes`: what it says of a place, and that the window's Bytes says the same.
class TestCliBytes : public QObject
{
    Q_OBJECT

private slots:
    void windowSaysTheSame_data()
    {
        QTest::addColumn<QString>("path");
        for (const ContainerSample &sample : containerSamples()) {
            if (sample.files.reader != nullptr)
                continue; // the skeleton: no kind that the programs open
            addRow(sample.name, write(QString::fromLatin1(sample.name), sample.files.memory));
        }
        for (const sample::SampleBundle &bundle : sample::bundles())
            addRow(bundle.name.c_str(), write(QString::fromStdString(bundle.name), bundle.files));
    }

    /// Each row of the command is what the window says of its first byte, the rows hold every byte
    /// of every file, and a row's bytes are those of the field that the window marks.
    void windowSaysTheSame()
    {
        QFETCH(QString, path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        for (std::size_t file = 0; file < (*bundle)->files().size(); ++file) {
            const std::string name = (*bundle)->files()[file].path;
            HexView view;
            view.setFile(*bundle, file);
            const std::uint64_t size = std::min<std::uint64_t>(view.size(), 20000);
            if (size == 0)
                continue;
            const CliResult said =
                RAN(0, runCli("bytes % 0 --file % --count % --json", path,
                              QString::fromStdString(name), QString::number(size)));
            std::uint64_t next = 0;
            const Json document = said.json();
            for (const Json &row : document["fields"]) {
                const auto begin = row["offset"].get<std::uint64_t>();
                const auto bytes = row["bytes"].get<std::uint64_t>();
                QVERIFY2(begin <= next && begin + bytes > next, row.dump().c_str());
                const ByteField field = view.fieldOf(next);
                QCOMPARE(fromUtf8(row["field"].get<std::string>()), fromUtf8(field.text));
                if (field.named || field.stored) {
                    QCOMPARE(begin, field.bytes.offset.value);
                    QCOMPARE(bytes, field.bytes.bytes.value);
                }
                QCOMPARE(row.contains("source"), !field.source.empty());
                QCOMPARE(row["section"].get<std::string>(),
                         (*bundle)->nameOf((*bundle)->sections()[field.section]));
                if (field.element)
                    QCOMPARE(row["elements"][0].get<std::uint64_t>(), *field.element);
                next = begin + bytes;
            }
            QVERIFY(next >= size);
        }
    }

    /// The dock's line and its readings, beside the command's, at one byte of every kind of
    /// section.
    void dockAndReadings()
    {
        for (const char *name : {"sample-sparse.mlmodelc", "sample-palette.mlmodelc"}) {
            const QString path = sampleBundle(name);
            Session session;
            session.setBundle(*Bundle::open(path.toStdString()));
            HexDock dock(session);
            dock.resize(1200, 500);
            dock.show();
            auto *readings = VERIFIED(dock.findChild<InspectorModel *>());
            std::set<SectionKind> seen;
            for (const Section &section : session.bundle()->sections()) {
                if (!seen.insert(section.kind).second)
                    continue;
                const std::uint64_t at = section.range.offset.value + section.range.bytes.value / 2;
                session.goToBytes(section.file, {FileOffset(at), ByteCount(1)});
                const Json said =
                    runCli("bytes % % --json", path,
                           u"%1:%2"_s.arg(fromUtf8(session.bundle()->files()[section.file].path),
                                          QString::number(at)))
                        .json();
                const QString field = fromUtf8(said["fields"][0]["field"].get<std::string>());
                const auto labels = dock.findChildren<QLabel *>();
                const auto says = [&](const QLabel *label) {
                    return label->toolTip().startsWith(u"field: "_s + field);
                };
                QTRY_VERIFY2(std::any_of(labels.begin(), labels.end(), says), qPrintable(field));
                QCOMPARE(readings->rowCount(), int(said["readings"].size()));
                for (int row = 0; row < readings->rowCount(); ++row) {
                    const Json &reading = said["readings"][std::size_t(row)];
                    QCOMPARE(readings->name(row), fromUtf8(reading["name"].get<std::string>()));
                    const QString shown = readings->value(row);
                    QCOMPARE(shown, reading["little_endian"].is_null()
                                        ? u"\u2013"_s
                                        : fromUtf8(reading["little_endian"].get<std::string>()));
                }
            }
            QVERIFY(seen.size() >= 6);
        }
    }

    void places_data()
    {
        const auto row = addColumns<QStringList, QString, quint64>();
        const auto s = [](const char *text) { return QString::fromLatin1(text); };
        const QString weights = s("weights/weight.bin");
        row("offset", {s("0x44")}, weights, 68);
        row("decimal", {s("68")}, weights, 68);
        row("file", {s("3"), s("--file"), s("model.mil")}, s("model.mil"), 3);
        row("file:offset", {s("model.mil:0x10")}, s("model.mil"), 16);
        row("element", {s("w[1,0]")}, weights, quint64(128 + 4));
        row("flat element", {s("w[3]")}, weights, quint64(128 + 6));
        row("weight", {s("w")}, weights, 128);
        row("weight+offset", {s("w+0x3")}, weights, 131);
        row("link", {s("#w[1,1]")}, weights, quint64(128 + 6));
    }

    void places()
    {
        const auto [place, file, offset] = fetched<QStringList, QString, quint64>();
        MadeBundle made;
        made.layer("w", "[2, 2]", halves({1, 2, 3, -0.5F}));
        const QString path = writeBundle(m_scratch, "places.mlmodelc", made);
        const bool link = place.front().startsWith(u'#');
        const Json json = RAN(0, runCli(args("bytes %", link ? path + place.front() : path) +
                                        (link ? QStringList() : place) + args("--json")))
                              .json();
        QCOMPARE(QString::fromStdString(json["file"].get<std::string>()), file);
        QCOMPARE(json["offset"].get<quint64>(), offset);
        if (offset == 134) {
            const Json &row = json["fields"][0];
            HOLDS(row, "value=-0.5 type=fp16 part=data elements=[3] cells=[\"w[1,1]\"]");
        }
    }

    /// Codes of four bits: the one that was asked for, or all that lie in a byte.
    void packedElements()
    {
        MadeBundle made;
        const auto codes = made.blob(ElementType::Uint4, "[1, 9]", hex("35 70 61 82 03"), 4);
        made.form(
            "w", "[1, 9]", "blockwise_shift_scale",
            {{"data", codes}, {"scale", made.blob(ElementType::Fp16, "[1, 1]", halves({1}))}});
        const QString path = writeBundle(m_scratch, "packed.mlmodelc", made);
        for (const auto &[place, value] : {std::pair("w[1]", 3), {"w[0,6]", 2}, {"w[8]", 3}}) {
            const Json row =
                runCli("bytes % % --json", path, QString::fromLatin1(place)).json()["fields"][0];
            QCOMPARE(row["value"].get<int>(), value);
            QVERIFY(!row.contains("values"));
            QCOMPARE(row["elements"].size(), std::size_t(1));
            QCOMPARE(row["elements"][0], row["entry"]);
            QVERIFY(row["field"].get<std::string>().ends_with(", element " + row["entry"].dump()));
        }
        const Json all = runCli("bytes % w --count 5 --json", path).json()["fields"];
        QCOMPARE(all.size(), std::size_t(5));
        QCOMPARE(all[0]["values"].dump(), "[5,3]");
        QVERIFY(all[4]["field"].get<std::string>().ends_with(", element 8"));
        QVERIFY(runCli("bytes % w", path).out.contains("5, 3"));
    }

    void recordOfAWeightFile()
    {
        const QString path = sampleBundle("sample-dense.mlmodelc");
        const Json json = runCli("bytes % 0x40 --count 64 --json", path).json();
        QCOMPARE(json["fields"].size(), std::size_t(6));
        const Json &sentinel = json["fields"][0];
        HOLDS(sentinel, "value=3735928559 hex=efbeadde confidence=verified "
                        "source=formats/blob-storage.md");
        QVERIFY(json["fields"][3]["field"].get<std::string>().ends_with("payload offset (uint64)"));
    }

    void refusals_data()
    {
        QTest::addColumn<QStringList>("arguments");
        const DataRow<QStringList> row;
        const auto s = [](const char *text) { return QString::fromLatin1(text); };
        row("no place", {});
        row("past the end", {s("0xffffffffff")});
        row("no such name", {s("nope")});
        row("no such axis", {s("conv1_weight[0,0,0,0,0,0]")});
        row("not an offset", {s("0x")});
        row("overflow", {s("99999999999999999999999")});
        row("no such file", {s("0"), s("--file"), s("weights/other.bin")});
        row("no count", {s("0"), s("--count"), s("0")});
    }

    void refusals()
    {
        QFETCH(QStringList, arguments);
        const QString path = sampleBundle("sample-dense.mlmodelc");
        const CliResult said = RAN(2, runCli(args("bytes %", path) + arguments));
        QVERIFY(said.out.isEmpty() && !said.err.isEmpty());
    }

    /// An offset past the end says of which file, where, and how long that is.
    void pastTheEndHasAPlace()
    {
        const QString path = sampleBundle("sample-dense.mlmodelc");
        const Json fault =
            RAN(2, runCli("bytes % 0xffffffffff --file weights/weight.bin --json", path))
                .json()["diagnostics"]
                .at(0);
        HOLDS(fault, "file=weights/weight.bin offset=1099511627775");
        QVERIFY(fault["expected"].get<std::string>().starts_with("an offset below 0x"));
        QCOMPARE(fault["found"].get<std::string>(), "0xffffffffff");
    }

    void textIsForPeople()
    {
        const QString path = sampleBundle("sample-dense.mlmodelc");
        SAYS(RAN(0, runCli("bytes % 0x48", path)).out, "weights/weight.bin:0x48",
             "payload bytes (uint64)", "formats/blob-storage.md", "big-endian", "bfloat16");
    }

private:
    using Files = std::vector<std::pair<std::string, std::vector<std::byte>>>;
    QString write(const QString &name, const Files &files) const
    {
        const bool lone = files.size() == 1 && name == QString::fromStdString(files.front().first);
        for (const auto &[path, bytes] : files) {
            const QString file =
                m_scratch.filePath(lone ? name : name + u'/' + QString::fromStdString(path));
            QDir().mkpath(QFileInfo(file).path());
            if (!put(file, bytes))
                return {};
        }
        return m_scratch.filePath(name);
    }

    QString sampleBundle(const char *name)
    {
        for (const sample::SampleBundle &bundle : sample::bundles()) {
            if (bundle.name == name)
                return write(QString::fromLatin1(name), bundle.files);
        }
        return {};
    }

    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCliBytes, QApplication)
#include "tst_cli_bytes.moc"
