// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_process.h"
#include "synthetic.h"

#include "core/base/little_endian.h"
#include "tests/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace kernscope::test;
using Json = nlohmann::ordered_json;

/// `hwx` and `inspect` of hardware containers, on synthetic files.
class TestCliHwx : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void document_data();
    void document();
    void withoutRegisters();
    void text();
    void loadPlan();
    void differences();
    void insertedTasks();
    void differentWeights();
    void inspect();
    void badInput_data();
    void badInput();
    void wrongUse();

private:
    QString write(const QString &name, const Bytes &bytes) const;

    QTemporaryDir m_scratch;
};

QString TestCliHwx::write(const QString &name, const Bytes &bytes) const
{
    QFile file(m_scratch.filePath(name));
    if (file.open(QIODevice::WriteOnly))
        file.write(reinterpret_cast<const char *>(bytes.data()), qint64(bytes.size()));
    return file.fileName();
}

void TestCliHwx::initTestCase()
{
    QVERIFY(m_scratch.isValid());
    write(QStringLiteral("h13.hwx"), syntheticH13());
    write(QStringLiteral("h14.hwx"), syntheticH14());
    write(QStringLiteral("h16.hwx"), syntheticH16());
    write(QStringLiteral("h18.hwx"), syntheticH18());
    write(QStringLiteral("h18g.hwx"), syntheticH18g());
    write(QStringLiteral("unknown.hwx"), syntheticOf(99, 0));
}

void TestCliHwx::document_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("version");
    QTest::addColumn<int>("tasks");
    const auto row = [](const char *name, int version, int tasks) {
        QTest::newRow(name) << QString::fromLatin1(name) << version << tasks;
    };
    row("h13.hwx", 7, 8);
    row("h14.hwx", 11, 3);
    row("h16.hwx", 17, 2);
    row("h18.hwx", 20, 2);
    row("h18g.hwx", 24, 3);
}

void TestCliHwx::document()
{
    QFETCH(QString, name);
    QFETCH(int, version);
    QFETCH(int, tasks);
    const CliResult result =
        runCli({QStringLiteral("hwx"), m_scratch.filePath(name), QStringLiteral("--json")});
    QCOMPARE(result.exitCode, 0);
    const Json json = result.json();
    QVERIFY(!json.is_discarded());
    const Json &hwx = json["hwx"];
    QCOMPARE(hwx["header"]["descriptor_version"].get<int>(), version);
    QCOMPARE(int(hwx["tasks"].size()), tasks);
    for (const Json &task : hwx["tasks"]) {
        QVERIFY(task["exact"].get<bool>());
        QVERIFY(!task["registers"].empty());
    }
    QVERIFY(!hwx["relocation_slots"].empty() || version == 11);
    QVERIFY(hwx["warnings"].empty());
    bool synthetic = false;
    for (const Json &line : hwx["ident"]["modules"])
        synthetic = synthetic || line.get<std::string>().starts_with("SYNTHETIC");
    QVERIFY(synthetic);
}

void TestCliHwx::withoutRegisters()
{
    const CliResult result =
        runCli({QStringLiteral("hwx"), m_scratch.filePath(QStringLiteral("h13.hwx")),
                QStringLiteral("--json"), QStringLiteral("--no-registers")});
    const Json json = result.json();
    QVERIFY(!json["hwx"]["tasks"][0].contains("registers"));
    QVERIFY(json["hwx"]["tasks"][0].contains("packets"));
}

void TestCliHwx::text()
{
    const QString path = m_scratch.filePath(QStringLiteral("h13.hwx"));
    const CliResult whole = runCli({QStringLiteral("hwx"), path});
    QCOMPARE(whole.exitCode, 0);
    QVERIFY(whole.err.isEmpty());
    for (const char *part : {"descriptor version 7", "Relocation slots", "aperture 4 (image)",
                             "CoeffBaseAddr[1]", "Task 7", "probs@output"})
        QVERIFY2(whole.out.contains(part), part);
    const CliResult brief = runCli({QStringLiteral("hwx"), path, QStringLiteral("--no-registers")});
    QVERIFY(!brief.out.contains("L2 SourceBase") && brief.out.size() < whole.out.size());
    const CliResult contested =
        runCli({QStringLiteral("hwx"), m_scratch.filePath(QStringLiteral("unknown.hwx"))});
    QCOMPARE(contested.exitCode, 0);
    QVERIFY(contested.err.contains("cpusubtype"));
}

/// What a loader would write at an address, as the Relocations dock shows it.
void TestCliHwx::loadPlan()
{
    const QString path = m_scratch.filePath(QStringLiteral("h18g.hwx"));
    const QStringList line{QStringLiteral("hwx"), path, QStringLiteral("--load-at"),
                           QStringLiteral("0x240000000")};
    const CliResult result = runCli(line + QStringList{QStringLiteral("--json")});
    QCOMPARE(result.exitCode, 0);
    const Json load = result.json()["load"];
    QCOMPARE(load["base"].get<std::string>(), std::string("0x240000000"));
    const Json &first = load["slots"][0];
    QVERIFY(first["changes"].get<bool>() && first["fault"].is_null());
    QCOMPARE(first["after"][1].get<std::string>(), std::string("0x00000002"));
    QCOMPARE(QByteArray::fromStdString(first["device_address"].get<std::string>()).right(8),
             QByteArray::fromStdString(first["after"][0].get<std::string>()).right(8));
    QVERIFY(load["slots"][1]["fault"].is_string()); // nothing says where that BAR lies
    const Json stripped =
        runCli(line + QStringList{QStringLiteral("--strip"), QStringLiteral("--json")})
            .json()["load"];
    QVERIFY(stripped["strip"].get<bool>());
    QVERIFY(stripped["slots"][0]["fault"].is_string()); // it is not loaded there
    const CliResult text = runCli(line);
    QVERIFY(text.out.contains("Load plan") && text.out.contains("slots change"));
    QCOMPARE(
        runCli({QStringLiteral("hwx"), path, QStringLiteral("--load-at"), QStringLiteral("here")})
            .exitCode,
        2);
}

void TestCliHwx::differences()
{
    const QString a = m_scratch.filePath(QStringLiteral("h13.hwx"));
    const QStringList same{QStringLiteral("hwx"), a, QStringLiteral("--diff"), a};
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
    const QString b = write(QStringLiteral("changed.hwx"), changed);
    result =
        runCli({QStringLiteral("hwx"), a, QStringLiteral("--diff"), b, QStringLiteral("--json")});
    QCOMPARE(result.exitCode, 1);
    const Json json = result.json();
    QCOMPARE(json["identical"].get<bool>(), false);
    QCOMPARE(json["tasks"].size(), std::size_t(1));
    QCOMPARE(json["tasks"][0]["registers"].size(), std::size_t(1));
    QCOMPARE(json["tasks"][0]["registers"][0]["name"].get<std::string>(), std::string("ConvCfg"));
    QCOMPARE(json["tasks"][0]["registers"][0]["fields"][0]["b"].get<int>(), 3);
    result = runCli({QStringLiteral("hwx"), a, QStringLiteral("--diff"), b});
    QCOMPARE(result.exitCode, 1);
    QVERIFY(result.out.contains("ConvCfg"));
    // The tasks are what a container has for a program.
    const QString program = QStringLiteral("--same-program");
    QCOMPARE(runCli({QStringLiteral("diff"), a, b, program}).exitCode, 1);
    QCOMPARE(runCli({QStringLiteral("diff"), a, a, program}).exitCode, 0);
    const Json whole =
        runCli({QStringLiteral("diff"), a, b, program, QStringLiteral("--json")}).json();
    QCOMPARE(whole["structure"]["tasks"].size(), std::size_t(1));
    QCOMPARE(whole["verdict"]["faults"][0]["found"].get<std::string>(),
             std::string("1 task differs"));
}

/// A container of fewer tasks: those of the same content are no difference, whatever their numbers.
void TestCliHwx::insertedTasks()
{
    const QString a = write(QStringLiteral("six.hwx"), syntheticH13(6));
    const QString b = m_scratch.filePath(QStringLiteral("h13.hwx")); // eight
    const CliResult result =
        runCli({QStringLiteral("hwx"), a, QStringLiteral("--diff"), b, QStringLiteral("--json")});
    QCOMPARE(result.exitCode, 1);
    const Json json = result.json();
    QCOMPARE(json["tasks_a"].get<int>(), 6);
    QCOMPARE(json["tasks_b"].get<int>(), 8);
    int inserted = 0;
    for (const Json &task : json["tasks"]) {
        inserted += task["change"].get<std::string>() == "inserted";
        QVERIFY(task["change"].get<std::string>() != "removed");
    }
    QCOMPARE(inserted, 2);
    const CliResult back = runCli({QStringLiteral("hwx"), b, QStringLiteral("--diff"), a});
    QCOMPARE(back.exitCode, 1);
    QCOMPARE(int(back.out.count("removed")), 2);
}

/// Two containers whose tasks are the same and whose weights are not.
void TestCliHwx::differentWeights()
{
    const QString hwx = QStringLiteral("hwx"), diff = QStringLiteral("--diff"),
                  json = QStringLiteral("--json");
    const QString a = m_scratch.filePath(QStringLiteral("h13.hwx"));
    const Json weights = runCli({QStringLiteral("inspect"), a, json}).json()["weights"];
    QVERIFY(!weights.empty());
    Bytes changed = syntheticH13();
    changed[weights[0]["parts"][0]["data_offset"].get<std::size_t>()] ^= std::byte{0x10};
    const QString b = write(QStringLiteral("weight.hwx"), changed);
    CliResult result = runCli({hwx, a, diff, b});
    QCOMPARE(result.exitCode, 1);
    QVERIFY(result.out.contains("No task differs"));
    QVERIFY(result.out.contains("stored bytes differ"));
    QVERIFY(result.out.contains(": 1 byte changed"));
    result = runCli({hwx, a, diff, b, json});
    const Json document = result.json();
    QCOMPARE(document["identical"].get<bool>(), false);
    QVERIFY(document["tasks"].empty());
    QCOMPARE(document["weights"][0]["stored_equal"].get<bool>(), false);
    QCOMPARE(document["sections"].size(), std::size_t(1));
    QCOMPARE(document["sections"][0]["different_bytes"].get<int>(), 1);
    QCOMPARE(runCli({hwx, a, diff, a}).exitCode, 0);
}

void TestCliHwx::inspect()
{
    const CliResult result =
        runCli({QStringLiteral("inspect"), m_scratch.filePath(QStringLiteral("h18g.hwx")),
                QStringLiteral("--json")});
    QCOMPARE(result.exitCode, 0);
    const Json json = result.json();
    QCOMPARE(json["kind"].get<std::string>(), std::string("hwx"));
    QCOMPARE(json["relocations"].size(), std::size_t(9));
    std::uint64_t at = 0;
    for (const Json &section : json["sections"]) {
        QCOMPARE(section["offset"].get<std::uint64_t>(), at);
        at += section["bytes"].get<std::uint64_t>();
    }
    QCOMPARE(at, json["files"][0]["bytes"].get<std::uint64_t>());
}

void TestCliHwx::badInput_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("exitCode");
    const Bytes good = syntheticH13();
    const QByteArray whole(reinterpret_cast<const char *>(good.data()), qsizetype(good.size()));
    QTest::newRow("not one") << QByteArray("hello") << 3;
    QTest::newRow("empty") << QByteArray() << 3;
    QTest::newRow("header only") << whole.left(32) << 3;
    QTest::newRow("cut") << whole.left(3000) << 3;
    QTest::newRow("magic only") << whole.left(4) << 3;
}

void TestCliHwx::badInput()
{
    QFETCH(QByteArray, content);
    QFETCH(int, exitCode);
    QFile file(m_scratch.filePath(QStringLiteral("bad.hwx")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(content);
    file.close();
    const CliResult result =
        runCli({QStringLiteral("hwx"), file.fileName(), QStringLiteral("--json")});
    QVERIFY(!result.crashed);
    QCOMPARE(result.exitCode, exitCode);
    const Json json = result.json();
    QVERIFY(!json["diagnostics"].empty());
    QVERIFY(!json["diagnostics"][0]["code"].get<std::string>().empty());
}

void TestCliHwx::wrongUse()
{
    const QString hwx = QStringLiteral("hwx"),
                  none = m_scratch.filePath(QStringLiteral("none.hwx"));
    const QString sound = m_scratch.filePath(QStringLiteral("h13.hwx"));
    QCOMPARE(runCli({hwx}).exitCode, 2);
    QCOMPARE(runCli({hwx, sound, QStringLiteral("--registers")}).exitCode, 2);
    QCOMPARE(runCli({hwx, none}).exitCode, 4);
    QCOMPARE(runCli({hwx, sound, QStringLiteral("--diff"), none}).exitCode, 4);
    const CliResult quiet = runCli({hwx, sound, QStringLiteral("--quiet")});
    QCOMPARE(quiet.exitCode, 0);
    QVERIFY(quiet.out.isEmpty());
}

KERNSCOPE_TEST(TestCliHwx, QCoreApplication)
#include "tst_cli_hwx.moc"
