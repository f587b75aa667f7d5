// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "synthetic.h"

#include "core/base/little_endian.h"

using Json = nlohmann::ordered_json;

/// `hwx` and `inspect` of hardware containers, on synthetic files.
class TestCliHwx : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(m_scratch.isValid());
        write(u"h13.hwx"_s, syntheticH13());
        write(u"h14.hwx"_s, syntheticH14());
        write(u"h16.hwx"_s, syntheticH16());
        write(u"h18.hwx"_s, syntheticH18());
        write(u"h18g.hwx"_s, syntheticH18g());
        write(u"unknown.hwx"_s, syntheticOf(99, 0));
    }

    void document_data()
    {
        const auto row = addColumns<QString, int, int>();
        row("h13.hwx", 7, 8);
        row("h14.hwx", 11, 3);
        row("h16.hwx", 17, 2);
        row("h18.hwx", 20, 2);
        row("h18g.hwx", 24, 3);
    }

    void document()
    {
        const auto [name, version, tasks] = fetched<QString, int, int>();
        const Json json = RAN(0, runCli("hwx % --json", m_scratch.filePath(name))).json();
        QVERIFY(!json.is_discarded());
        const Json &hwx = json["hwx"];
        QCOMPARE(hwx["header"]["descriptor_version"].get<int>(), version);
        QCOMPARE(int(hwx["tasks"].size()), tasks);
        for (const Json &task : hwx["tasks"]) {
            HOLDS(task, "exact=true registers#!=0");
        }
        QVERIFY(!hwx["relocation_slots"].empty() || version == 11);
        QVERIFY(hwx["warnings"].empty());
        bool synthetic = false;
        for (const Json &line : hwx["ident"]["modules"])
            synthetic = synthetic || line.get<std::string>().starts_with("SYNTHETIC");
        QVERIFY(synthetic);
    }

    void withoutRegisters()
    {
        const CliResult result =
            runCli("hwx % --json --no-registers", m_scratch.filePath(u"h13.hwx"_s));
        const Json json = result.json();
        QVERIFY(!json["hwx"]["tasks"][0].contains("registers"));
        QVERIFY(json["hwx"]["tasks"][0].contains("packets"));
    }

    void text()
    {
        const QString path = m_scratch.filePath(u"h13.hwx"_s);
        const CliResult whole = RAN(0, runCli("hwx %", path));
        QVERIFY(whole.err.isEmpty());
        SAYS(whole.out, "descriptor version 7", "Relocation slots", "aperture 4 (image)",
             "CoeffBaseAddr[1]", "Task 7", "probs@output");
        const CliResult brief = runCli("hwx % --no-registers", path);
        QVERIFY(!brief.out.contains("L2 SourceBase") && brief.out.size() < whole.out.size());
        const CliResult contested = RAN(0, runCli("hwx %", m_scratch.filePath(u"unknown.hwx"_s)));
        QVERIFY(contested.err.contains("cpusubtype"));
    }

    /// What a loader would write at an address, as the Relocations dock shows it.
    void loadPlan()
    {
        const QString path = m_scratch.filePath(u"h18g.hwx"_s);
        const QStringList line = args("hwx % --load-at 0x240000000", path);
        const Json load = RAN(0, runCli(line + args("--json"))).json()["load"];
        QCOMPARE(load["base"].get<std::string>(), "0x240000000");
        const Json &first = load["slots"][0];
        HOLDS(first, "changes=true fault=null after.1=0x00000002");
        QCOMPARE(QByteArray::fromStdString(first["device_address"].get<std::string>()).right(8),
                 QByteArray::fromStdString(first["after"][0].get<std::string>()).right(8));
        QVERIFY(load["slots"][1]["fault"].is_string()); // nothing says where that BAR lies
        const Json stripped = runCli(line + args("--strip --json")).json()["load"];
        QVERIFY(stripped["strip"].get<bool>());
        QVERIFY(stripped["slots"][0]["fault"].is_string()); // it is not loaded there
        const CliResult text = runCli(line);
        QVERIFY(text.out.contains("Load plan") && text.out.contains("slots change"));
        QCOMPARE(runCli("hwx % --load-at here", path).exitCode, 2);
    }

    void differences()
    {
        const QString a = m_scratch.filePath(u"h13.hwx"_s);
        const QStringList same = args("hwx % --diff %", a, a);
        CliResult result = runCli(same);
        QCOMPARE(result.exitCode, 0);
        QVERIFY(result.out.contains("No task differs"));
        Bytes changed = syntheticH13();
        for (std::size_t i = 0; i + 4 <= changed.size(); i += 4) {
            if (kernscope::loadLittle<std::uint32_t>(changed, i) == 0x5000a021) {
                kernscope::storeLittle<std::uint32_t>(changed, i, 0x5042a063);
                break;
            }
        }
        const QString b = write(u"changed.hwx"_s, changed);
        result = runCli("hwx % --diff % --json", a, b);
        QCOMPARE(result.exitCode, 1);
        HOLDS(result.json(), "identical=false tasks#=1 tasks.0.registers#=1 "
                             "tasks.0.registers.0.name=ConvCfg tasks.0.registers.0.fields.0.b=3");
        result = runCli("hwx % --diff %", a, b);
        QCOMPARE(result.exitCode, 1);
        QVERIFY(result.out.contains("ConvCfg"));
        // The tasks are what a container has for a program.
        const QString program = u"--same-program"_s;
        QCOMPARE(runCli("diff % % %", a, b, program).exitCode, 1);
        QCOMPARE(runCli("diff % % %", a, a, program).exitCode, 0);
        const Json whole = runCli("diff % % % --json", a, b, program).json();
        HOLDS(whole, "structure.tasks#=1 verdict.faults.0.found='1 task differs'");
    }

    /// A container of fewer tasks: those of the same content are no difference, whatever their
    /// numbers.
    void insertedTasks()
    {
        const QString a = write(u"six.hwx"_s, syntheticH13(6));
        const QString b = m_scratch.filePath(u"h13.hwx"_s); // eight
        const Json json = RAN(1, runCli("hwx % --diff % --json", a, b)).json();
        HOLDS(json, "tasks_a=6 tasks_b=8");
        int inserted = 0;
        for (const Json &task : json["tasks"]) {
            inserted += task["change"].get<std::string>() == "inserted";
            QVERIFY(task["change"].get<std::string>() != "removed");
        }
        QCOMPARE(inserted, 2);
        const CliResult back = RAN(1, runCli("hwx % --diff %", b, a));
        QCOMPARE(int(back.out.count("removed")), 2);
    }

    /// Two containers whose tasks are the same and whose weights are not.
    void differentWeights()
    {
        const QString hwx = u"hwx"_s, diff = u"--diff"_s, json = u"--json"_s;
        const QString a = m_scratch.filePath(u"h13.hwx"_s);
        const Json weights = runCli("inspect % %", a, json).json()["weights"];
        QVERIFY(!weights.empty());
        Bytes changed = syntheticH13();
        changed[weights[0]["parts"][0]["data_offset"].get<std::size_t>()] ^= std::byte{0x10};
        const QString b = write(u"weight.hwx"_s, changed);
        CliResult result = runCli({hwx, a, diff, b});
        QCOMPARE(result.exitCode, 1);
        SAYS(result.out, "No task differs", "stored bytes differ", ": 1 byte changed");
        result = runCli({hwx, a, diff, b, json});
        HOLDS(result.json(), "identical=false tasks#=0 weights.0.stored_equal=false sections#=1 "
                             "sections.0.different_bytes=1");
        QCOMPARE(runCli({hwx, a, diff, a}).exitCode, 0);
    }

    void inspect()
    {
        const Json json =
            RAN(0, runCli("inspect % --json", m_scratch.filePath(u"h18g.hwx"_s))).json();
        HOLDS(json, "kind=hwx relocations#=9");
        std::uint64_t at = 0;
        for (const Json &section : json["sections"]) {
            QCOMPARE(section["offset"].get<std::uint64_t>(), at);
            at += section["bytes"].get<std::uint64_t>();
        }
        QCOMPARE(at, json["files"][0]["bytes"].get<std::uint64_t>());
    }

    void badInput_data()
    {
        const auto row = addColumns<QByteArray, int>();
        const Bytes good = syntheticH13();
        const QByteArray whole(reinterpret_cast<const char *>(good.data()), qsizetype(good.size()));
        row("not one", "hello", 3);
        row("empty", {}, 3);
        row("header only", whole.left(32), 3);
        row("cut", whole.left(3000), 3);
        row("magic only", whole.left(4), 3);
    }

    void badInput()
    {
        const auto [content, exitCode] = fetched<QByteArray, int>();
        const QString file = m_scratch.filePath(u"bad.hwx"_s);
        QVERIFY(put(file, content));
        const CliResult result = runCli("hwx % --json", file);
        QVERIFY(!result.crashed);
        QCOMPARE(result.exitCode, exitCode);
        const Json json = result.json();
        QVERIFY(!json["diagnostics"].empty());
        QVERIFY(!json["diagnostics"][0]["code"].get<std::string>().empty());
    }

    void wrongUse()
    {
        const QString hwx = u"hwx"_s, none = m_scratch.filePath(u"none.hwx"_s);
        const QString sound = m_scratch.filePath(u"h13.hwx"_s);
        QCOMPARE(runCli({hwx}).exitCode, 2);
        QCOMPARE(runCli("% % --registers", hwx, sound).exitCode, 2);
        QCOMPARE(runCli({hwx, none}).exitCode, 4);
        QCOMPARE(runCli("% % --diff %", hwx, sound, none).exitCode, 4);
        const CliResult quiet = RAN(0, runCli("% % --quiet", hwx, sound));
        QVERIFY(quiet.out.isEmpty());
    }

    /// What a survey cannot look into is an error beside the containers that it reads.
    void surveyOfAClosedFolder()
    {
        namespace fs = std::filesystem;
        const fs::path folder = m_scratch.filePath(u"many"_s).toStdString();
        fs::create_directories(folder / "closed");
        QVERIFY(put(m_scratch.filePath(u"many/a.hwx"_s), syntheticH13()));
        fs::permissions(m_scratch.path().toStdString(), fs::perms(0755));
        fs::permissions(folder / "closed", fs::perms::none);
        QProcess process;
        process.setChildProcessModifier([] {
            if (::geteuid() == 0) // root may list everything
                (void)!::setuid(65534);
        });
        process.start(cliProgram(), args("hwx --survey % --json", m_scratch.filePath(u"many"_s)));
        QVERIFY(process.waitForFinished());
        fs::permissions(folder / "closed", fs::perms::owner_all);
        QCOMPARE(process.exitCode(), 3);
        const Json json = Json::parse(process.readAllStandardOutput().toStdString());
        HOLDS(json, "survey.files=1 diagnostics#=1 diagnostics.0.code=io.open");
        QCOMPARE(runCli("hwx --survey %", m_scratch.filePath(u"none"_s)).exitCode, 4);
    }

private:
    QString write(const QString &name, const Bytes &bytes) const
    {
        const QString path = m_scratch.filePath(name);
        return put(path, bytes) ? path : QString();
    }

    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCliHwx, QCoreApplication)
#include "tst_cli_hwx.moc"
