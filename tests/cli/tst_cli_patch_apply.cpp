// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"

/// `patch --apply`: patches of single files, as `diff` and other programs write them.
class TestCliPatchApply : public QObject
{
    Q_OBJECT

private slots:
    /// Two bundles that differ in one file, and the patches of it.
    void initTestCase()
    {
        const auto bundle = [](float value) {
            MadeBundle made;
            made.layer("w", "[4]", halves({1, 2, value, 4}));
            return made;
        };
        m_a = writeBundle(m_scratch, "a.mlmodelc", bundle(3));
        m_b = writeBundle(m_scratch, "b.mlmodelc", bundle(5));
        QVERIFY(put(m_a + u"/notes.txt"_s, "kept"));
        for (const char *name : {"w.ips", "w.bps"}) {
            const CliResult result = RAN(1, runCli({u"diff"_s, m_a + u'/' + m_weights,
                                                    m_b + u'/' + m_weights, u"-o"_s, made(name)}));
        }
    }

    void oneFile_data()
    {
        QTest::addColumn<QString>("format");
        const DataRow<QString> row;
        row("ips", "ips");
        row("bps", "bps");
    }

    /// Made of A and the difference: B, byte for byte.
    void oneFile()
    {
        QFETCH(const QString, format);
        const QString patch = m_scratch.filePath(u"w."_s + format);
        const QString out = m_scratch.filePath(u"out."_s + format);
        const QByteArray before = contentOf(m_a + u'/' + m_weights);
        const CliResult result =
            RAN(0, apply(m_a + u'/' + m_weights, patch, {u"-o"_s, out, u"--json"_s}));
        QCOMPARE(contentOf(out), contentOf(m_b + u'/' + m_weights));
        QCOMPARE(contentOf(m_a + u'/' + m_weights), before);
        const auto json = result.json();
        const bool bps = format == u"bps";
        QCOMPARE(json["applied"]["format"].get<std::string>(), format.toStdString());
        QCOMPARE(json["applied"]["source_checked"].get<bool>(), bps);
        QCOMPARE(json["applied"]["target_checked"].get<bool>(), bps);
        QCOMPARE(json["applied"]["bytes_after"].get<qint64>(), qint64(before.size()));
        HOLDS(json, "ranges#=1 verified=true");
        QCOMPARE(json["saved"]["bytes_written"].get<qint64>(), qint64(before.size()));
        // That IPS checks nothing is said.
        QCOMPARE(json["diagnostics"].size(), std::size_t(bps ? 0 : 1));
        if (!bps)
            QCOMPARE(json["diagnostics"][0]["code"].get<std::string>(), "binary_patch.unchecked");
        const CliResult plain = RAN(0, apply(m_a + u'/' + m_weights, patch, {u"-fo"_s, out}));
        QVERIFY2(plain.out.contains("read back and verified"), plain.out.constData());
        QCOMPARE(plain.out.contains("CRC-32"), bps);
        QCOMPARE(plain.err.contains("nothing was checked"), !bps);
    }

    /// Of a bundle it is asked which file; the copy has the others as they were.
    void fileOfABundle()
    {
        const QString out = made("patched.mlmodelc");
        const CliResult asked = RAN(2, apply(m_a, made("w.bps"), {u"-o"_s, out}));
        QVERIFY2(asked.err.contains("made for weights/weight.bin"), asked.err.constData());
        const CliResult unknown = RAN(2, apply(m_a, made("w.ips"), {u"-o"_s, out}));
        SAYS(unknown.err, "weights/weight.bin", "model.mil");
        const CliResult wrong =
            RAN(2, apply(m_a, made("w.bps"), {u"-o"_s, out, u"--file"_s, u"weight.bin"_s}));
        QVERIFY2(wrong.err.contains("no such file"), wrong.err.constData());
        QVERIFY(!QFile::exists(out));
        const CliResult result =
            RAN(0, apply(m_a, made("w.bps"), {u"-o"_s, out, u"--file"_s, m_weights}));
        QCOMPARE(contentOf(out + u'/' + m_weights), contentOf(m_b + u'/' + m_weights));
        QCOMPARE(contentOf(out + u"/model.mil"_s), contentOf(m_a + u"/model.mil"_s));
        QCOMPARE(contentOf(out + u"/notes.txt"_s), QByteArray("kept"));
        QCOMPARE(runCli("diff % % --max-abs 0", out, m_b).exitCode, 0);
        // The other file of the bundle is not the one that it was made for.
        const CliResult other =
            RAN(3, apply(m_a, made("w.bps"), {u"--dry-run"_s, u"--file"_s, u"model.mil"_s}));
        QVERIFY2(other.err.contains("binary_patch.source"), other.err.constData());
    }

    void dryRun()
    {
        const auto before = QDir(m_scratch.path()).entryList();
        HOLDS(RAN(0, apply(m_a + u'/' + m_weights, made("w.bps"), {u"--dry-run"_s, u"--json"_s}))
                  .json(),
              "saved=null verified=null mode=dry-run");
        QCOMPARE(QDir(m_scratch.path()).entryList(), before);
    }

    /// Text that gets longer, and the way back.
    void otherLength()
    {
        const QString shorter = made("short.txt"), longer = made("long.txt");
        QVERIFY(put(shorter, "0123456789") && put(longer, "0123456789 and more"));
        QVERIFY(put(made("more.ips"), QByteArray::fromHex("5041544348") +
                                          QByteArray::fromHex("00000a0009") + " and more" + "EOF"));
        QVERIFY(put(made("less.ips"), QByteArray("PATCHEOF") + QByteArray::fromHex("00000a")));
        QCOMPARE(apply(shorter, made("more.ips"), {u"-o"_s, made("longer.out")}).exitCode, 0);
        QCOMPARE(contentOf(made("longer.out")), contentOf(longer));
        const CliResult back = apply(longer, made("less.ips"), {u"-o"_s, made("shorter.out")});
        QCOMPARE(contentOf(made("shorter.out")), contentOf(shorter));
        QVERIFY2(back.out.contains("19 bytes before, 10 after"), back.out.constData());
    }

    /// Nothing is written, and the place in the patch is said.
    void refused()
    {
        const QString out = made("none.out");
        QVERIFY(put(made("cut.ips"), "PATCH\x01"));
        QVERIFY(put(made("not.bps"), "something else"));
        QByteArray damaged = contentOf(made("w.bps"));
        damaged[6] = static_cast<char>(damaged[6] ^ 1);
        QVERIFY(put(made("damaged.bps"), damaged));
        for (const auto &[name, code] :
             {std::pair("cut.ips", "binary_patch.cut"), std::pair("not.bps", "binary_patch.magic"),
              std::pair("damaged.bps", "binary_patch.checksum")}) {
            const auto diagnostic =
                RAN(3, apply(m_a + u'/' + m_weights, made(name), {u"-o"_s, out, u"--json"_s}))
                    .json()["diagnostics"][0];
            QCOMPARE(diagnostic["code"].get<std::string>(), std::string(code));
            QVERIFY(diagnostic["offset"].is_number_integer());
            QVERIFY(diagnostic["file"].get<std::string>().ends_with(name));
        }
        const CliResult done = RAN(3, apply(m_b + u'/' + m_weights, made("w.bps"), {u"-o"_s, out}));
        QVERIFY2(done.err.contains("what the patch makes already"), done.err.constData());
        QCOMPARE(apply(m_a, made("absent.bps"), {u"-o"_s, out}).exitCode, 4);
        QVERIFY(!QFile::exists(out));
    }

    /// Never the file, never the patch, and what exists only with --force.
    void outputs()
    {
        const QString file = m_a + u'/' + m_weights;
        const QByteArray before = contentOf(file), patch = contentOf(made("w.bps"));
        QCOMPARE(apply(file, made("w.bps"), {u"-fo"_s, file}).exitCode, 4);
        QCOMPARE(apply(file, made("w.bps"), {u"-fo"_s, made("w.bps")}).exitCode, 4);
        QCOMPARE(contentOf(file), before);
        QCOMPARE(contentOf(made("w.bps")), patch);
        QVERIFY(put(made("there.bin"), "mine"));
        QVERIFY(apply(file, made("w.bps"), {u"-o"_s, made("there.bin")}).exitCode != 0);
        QCOMPARE(contentOf(made("there.bin")), QByteArray("mine"));
        QCOMPARE(apply(file, made("w.bps"), {u"-fo"_s, made("there.bin")}).exitCode, 0);
        QCOMPARE(contentOf(made("there.bin")), contentOf(m_b + u'/' + m_weights));
    }

    void wrongUse_data()
    {
        const auto row = addColumns<QStringList, QByteArray>();
        row("no mode", {}, "--output");
        row("in place", {u"--in-place"_s}, "give --output");
        row("edits", {u"--dry-run"_s, u"--set"_s, u"w[0]=1"_s}, "no edits");
    }

    void wrongUse()
    {
        const auto [more, said] = fetched<QStringList, QByteArray>();
        const CliResult result = RAN(2, apply(m_a + u'/' + m_weights, made("w.bps"), more));
        QVERIFY2(result.err.contains(said), result.err.constData());
        const CliResult file = RAN(2, runCli({u"patch"_s, m_a, u"--set"_s, u"w[0]=1"_s,
                                              u"--dry-run"_s, u"--file"_s, m_weights}));
        QVERIFY2(file.err.contains("--apply only"), file.err.constData());
    }

private:
    CliResult apply(const QString &path, const QString &patch, const QStringList &more)
    {
        return runCli(args("patch % --apply %", path, patch) + more);
    }
    QString made(const char *name) const { return m_scratch.filePath(QLatin1String(name)); }

    QTemporaryDir m_scratch;
    QString m_a, m_b;
    const QString m_weights = u"weights/weight.bin"_s;
};

KERNSCOPE_TEST(TestCliPatchApply, QCoreApplication)
#include "tst_cli_patch_apply.moc"
