// SPDX-License-Identifier: GPL-3.0-or-later
// collective, descriptor and activation: what is known of the engine itself.
#include "cli_process.h"

#include "core/format/activation_table.h"

using Json = nlohmann::ordered_json;

namespace {

Json jsonOf(const char *line, int exitCode = 0)
{
    const CliResult result = runCli(args(line) << u"--json"_s);
    if (result.exitCode != exitCode)
        qWarning("%s: exit %d: %s", line, result.exitCode, result.out.constData());
    return result.exitCode == exitCode ? result.json() : Json();
}

} // namespace

class TestCliEngine : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_scratch;

    QString put(const char *name, const QByteArray &bytes)
    {
        QFile file(m_scratch.filePath(QLatin1String(name)));
        const bool written = file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
        return written ? file.fileName() : QString();
    }

private Q_SLOTS:
    /// Tables 36.4 to 36.7 for every row, and the order of chapter 36.
    void collectiveTables()
    {
        const Json json = jsonOf("collective --target M1")["collective"];
        HOLDS(json, "operations#=5 operations.0.unit_type=78 operations.3.unit_type=null "
                    "reduction_kinds#=5 reduction_kinds.sum=1 reduction_kinds.mean=5 bytes#=5 "
                    "atomics#=11 atomics.3.operation=2 atomics.7.operation=null");
        for (const Json &byte : json["bytes"])
            QVERIFY(byte["value"].is_boolean() && !byte["value"].get<bool>());
        HOLDS(json, "setters#=25 setters.0.name='source mode' "
                    "setters.12.name='destination base address' "
                    "setters.24.name='wait-event value'");
        const CliResult text = runCli("collective");
        QVERIFY(text.out.contains("silc.all_gather") && text.out.contains("counter amount"));
        // The text names the source that JSON names, of every byte and gate.
        for (const char *list : {"operations", "bytes", "gates"}) {
            for (const Json &row : json[list])
                QVERIFY2(text.out.contains(row["source"].get<std::string>().c_str()),
                         row.dump().c_str());
        }
    }

    /// Table 36.7: what its column M-class says of M11 and the three reference targets.
    void bytesOfTheSmallTargets_data()
    {
        QTest::addColumn<QList<bool>>("expected"); // 0x48b, 0x55c, 0x564, 0x687, 0x4a4
        addRow("M11", QList<bool>{false, true, false, false, true});
        addRow("U1", QList<bool>{false, false, false, false, true});
        addRow("U2", QList<bool>{false, true, false, false, true});
        addRow("U3", QList<bool>{false, true, false, false, true});
        addRow("H18", QList<bool>{false, true, false, false, false});
    }
    void bytesOfTheSmallTargets()
    {
        QFETCH(QList<bool>, expected);
        const QByteArray line = QByteArray("collective --target ") + QTest::currentDataTag();
        const Json bytes = jsonOf(line.constData())["collective"]["bytes"];
        QCOMPARE(bytes.size(), std::size_t(5));
        for (std::size_t i = 0; i < 5; ++i)
            QVERIFY2(bytes[i]["value"] == Json(bool(expected[qsizetype(i)])),
                     bytes[i].dump().c_str());
    }

    void meshes()
    {
        const char *mesh = "collective --mesh 2x2x4 --die-axis 2 --engines 4 --device 1,0,3";
        QCOMPARE(int(jsonOf(mesh)["device"]["index"]), 4 * 1 + 3);
        const Json back = jsonOf("collective --mesh 2x2x4 --die-axis 2 --engines 4 --index 7");
        QCOMPARE(back["index"]["device"].dump(), "[1,0,3]");
        const QByteArray runs = QByteArray(mesh) + " --members 3,7";
        QVERIFY(jsonOf(runs.constData())["device"]["runs"].get<bool>());
        const QByteArray idle = QByteArray(mesh) + " --members 3";
        QVERIFY(!jsonOf(idle.constData(), 1)["device"]["runs"].get<bool>());
    }

    void shardings()
    {
        const Json split = jsonOf("collective --mesh 2x4 --tensor 64x128 --shard 0:0 --shard 1:1");
        QCOMPARE(split["sharding"]["shard"].dump(), "[32,32]");
        const Json twice =
            jsonOf("collective --mesh 2x4 --tensor 64x128 --shard 0:0 --shard 1:0", 1);
        QVERIFY(!twice["sharding"]["valid"].get<bool>() && twice["sharding"]["shard"].is_null());
        jsonOf("collective --mesh 2x4 --tensor 63x128 --shard 0:0", 1);
    }

    void atomicWords()
    {
        const Json atomic = jsonOf("collective --reduction-type 5 --data-type 3")["atomic"];
        HOLDS(atomic, "operation=2 word=0x302");
    }
    /// Tables 20.7, 20.8 and 25.4.
    void descriptorTables()
    {
        const Json image = jsonOf("descriptor")["image"];
        HOLDS(image, "groups#=7 groups.0.registers=34 groups.0.base=0x5500 groups.1.base=null "
                     "streams#=4");
        const Json &palette = image["streams"][2];
        HOLDS(palette, "name='palette lookup' enable=0x5568 base_offset=0x556c relocation=0x155c");
        const CliResult text = runCli("descriptor");
        QVERIFY(text.out.contains("0x155c") && text.out.contains("wait mask"));
    }

    /// Table 36.3: E4M3 as 4, 0x20 and 0x100 from version 20 on; before, the compiler's refusal.
    void formatWords()
    {
        HOLDS(
            jsonOf("descriptor --target H18 --formats e4m3,e4m3,e4m3 --saturate source2"),
            "word.value=0x124 word.overflow.source1.mode=nan word.overflow.source2.bits=0x1000000 "
            "word.overflow.source2.offset=0x300 format_word.lane_bits=3");
        const Json old = jsonOf("descriptor --target M1 --formats e4m3,fp16,fp16", 3);
        QVERIFY(old["diagnostics"][0]["message"].get<std::string>().find(
                    "Error: Invalid Common InFmt E4M3") != std::string::npos);
        const Json read = jsonOf("descriptor --target H18 --word 0xa4");
        QCOMPARE(read["word"]["lanes"]["source 1"], Json("e4m3"));
        QCOMPARE(read["word"]["lanes"]["output"], Json("fp16"));
    }

    void orderingBits()
    {
        QByteArray image(0x138, '\0');
        image[0x134 + 2] = char(0x80); // bit 23
        image[0x134 + 3] = char(0x40); // bit 30
        image[0x10] = 5;
        image[0x18 + 3] = char(0x02);
        const QString path = put("image.bin", image);
        const Json json = runCli("descriptor --image % --json", path).json();
        HOLDS(json, "ordering.l2_barrier=true ordering.forward_barrier=true "
                    "ordering.signal_mask=0x5 ordering.wait_mask=0x2000000");
        const QString shorter = put("short.bin", image.left(0x130));
        QCOMPARE(runCli("descriptor --image %", shorter).exitCode, 3);
    }

    void activationTables()
    {
        const auto made = VERIFIED(format::ActivationTable::sample(
            [](double x) { return x > 0 ? x : 0; }, -4, 4, {0, 0, 1, 0}));
        const auto bytes = made->write();
        const QByteArray table(reinterpret_cast<const char *>(bytes.data()),
                               qsizetype(bytes.size()));
        const QString path = put("table.bin", QByteArray(16, 'x') + table);
        const QStringList line = args("activation % --at 16 --input -1,0.5,9", path);
        const Json json = runCli(line + args("--json")).json();
        const Json &shown = json["tables"][0];
        HOLDS(shown, "entries#=43 knots#=33 layout=text");
        const double expected[] = {0, 0.5, 4};
        for (std::size_t i = 0; i < 3; ++i)
            QCOMPARE(shown["evaluated"][i]["output"].get<double>(), expected[i]);
        // 33 knots bound 32 segments; table 20.8 speaks of 33: both are said.
        QCOMPARE(json["contested"].size(), std::size_t(2));
        SAYS(runCli(line).out, "contested: activation_segments: a 33-segment", "f(9) = 4");
        QCOMPARE(runCli("activation % --at 17", path).exitCode, 3);
    }
};

KERNSCOPE_TEST(TestCliEngine, QCoreApplication)
#include "tst_cli_engine.moc"
