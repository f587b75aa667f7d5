// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/settings.h"
#include "tests/test_program.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace kernscope::app;

class TestSettings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void pairsByHand();
    void keepsRecent();
    void keepsLayouts();
    void migratesStepByStep();
    void stepsAreTakenOnce();
    void backupsAreOffByDefault();
    void leavesNewerFilesAlone();
    void clampsFontStep();
    void themeOfARunIsNotKept();
};

void TestSettings::keepsRecent()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("s.ini"));
    {
        Settings settings(file);
        QVERIFY(settings.recent().isEmpty());
        for (int i = 0; i < Settings::kMaxRecent + 3; ++i)
            settings.addRecent({QStringLiteral("bundle%1").arg(i), {}});
        settings.addRecent({QStringLiteral("bundle5"), {}});
        settings.addRecent({QStringLiteral("a"), QStringLiteral("b")});
        settings.sync();
    }
    Settings settings(file);
    const auto recent = settings.recent();
    QCOMPARE(recent.size(), Settings::kMaxRecent);
    QCOMPARE(recent[0].path, QStringLiteral("a"));
    QCOMPARE(recent[0].other, QStringLiteral("b"));
    QCOMPARE(recent[1].path, QStringLiteral("bundle5"));
    QVERIFY(recent[1].other.isEmpty());
    QCOMPARE(recent.count(Settings::Recent{QStringLiteral("bundle5"), {}}), 1);
    settings.removeRecent(recent[0]);
    QCOMPARE(settings.recent()[0].path, QStringLiteral("bundle5"));
    settings.clearRecent();
    QVERIFY(settings.recent().isEmpty());
}

void TestSettings::keepsLayouts()
{
    const QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("s.ini")));
    const QStringList docks{QStringLiteral("hex"), QStringLiteral("bundle")};
    settings.setLayoutState(QStringLiteral("inspect"), docks, "state");
    QCOMPARE(settings.layoutState(QStringLiteral("inspect"), docks), QByteArray("state"));
    QVERIFY(settings.layoutState(QStringLiteral("compare"), docks).isEmpty());
    // A build with another dock cannot use it.
    QVERIFY(
        settings.layoutState(QStringLiteral("inspect"), docks + QStringList{QStringLiteral("new")})
            .isEmpty());
    settings.forgetLayout(QStringLiteral("inspect"));
    QVERIFY(settings.layoutState(QStringLiteral("inspect"), docks).isEmpty());
}

void TestSettings::migratesStepByStep()
{
    const QTemporaryDir folder;
    QSettings store(folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat);
    store.setValue(QStringLiteral("trail"), QString()); // without a number: version 1
    const std::array<SettingsStep, 2> steps{
        [](QSettings &s) {
            s.setValue(QStringLiteral("trail"), s.value(QStringLiteral("trail")).toString() + u'1');
        },
        [](QSettings &s) {
            s.setValue(QStringLiteral("trail"), s.value(QStringLiteral("trail")).toString() + u'2');
        },
    };
    QCOMPARE(migrateSettings(store, steps), SettingsState::Ready);
    QCOMPARE(store.value(QStringLiteral("trail")).toString(), QStringLiteral("12"));
    QCOMPARE(store.value(QStringLiteral("version")).toInt(), 3);
}

void TestSettings::stepsAreTakenOnce()
{
    const QTemporaryDir folder;
    QSettings store(folder.filePath(QStringLiteral("s.ini")), QSettings::IniFormat);
    store.setValue(QStringLiteral("count"), 0);
    const std::array<SettingsStep, 1> steps{[](QSettings &s) {
        s.setValue(QStringLiteral("count"), s.value(QStringLiteral("count")).toInt() + 1);
    }};
    migrateSettings(store, steps);
    migrateSettings(store, steps);
    QCOMPARE(store.value(QStringLiteral("count")).toInt(), 1);
    // A new file has nothing to migrate.
    QSettings fresh(folder.filePath(QStringLiteral("f.ini")), QSettings::IniFormat);
    migrateSettings(fresh, steps);
    QVERIFY(!fresh.contains(QStringLiteral("count")));
    QCOMPARE(fresh.value(QStringLiteral("version")).toInt(), 2);
}

/// Backups were stored as wanted by every save, whether anybody had chosen them or not.
void TestSettings::backupsAreOffByDefault()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("s.ini"));
    QVERIFY(!Settings(file).keepBackup());
    {
        QSettings old(file, QSettings::IniFormat);
        old.clear();
        old.setValue(QStringLiteral("version"), 1);
        old.setValue(QStringLiteral("save/keepBackup"), true);
    }
    Settings settings(file);
    QVERIFY(!settings.keepBackup());
    settings.setKeepBackup(true);
    settings.sync();
    QVERIFY(Settings(file).keepBackup());
}

void TestSettings::leavesNewerFilesAlone()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("s.ini"));
    {
        QSettings newer(file, QSettings::IniFormat);
        newer.setValue(QStringLiteral("version"), 999);
        newer.setValue(QStringLiteral("appearance/theme"), QStringLiteral("dark"));
    }
    {
        Settings settings(file);
        QCOMPARE(settings.theme(), ThemeChoice::System);
        settings.setTheme(ThemeChoice::Light);
        settings.sync();
    }
    QSettings newer(file, QSettings::IniFormat);
    QCOMPARE(newer.value(QStringLiteral("version")).toInt(), 999);
    QCOMPARE(newer.value(QStringLiteral("appearance/theme")).toString(), QStringLiteral("dark"));
    QCOMPARE(Settings(file).theme(), ThemeChoice::Light); // kept beside it
}

/// `--theme dark` once made dark the default of every later start.
void TestSettings::themeOfARunIsNotKept()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("s.ini"));
    {
        Settings settings(file);
        settings.setTheme(ThemeChoice::Light);
        settings.overrideTheme(ThemeChoice::Dark);
        QCOMPARE(settings.theme(), ThemeChoice::Dark);
        settings.sync();
    }
    QCOMPARE(Settings(file).theme(), ThemeChoice::Light);
    Settings settings(file);
    settings.overrideTheme(ThemeChoice::Dark);
    settings.setTheme(ThemeChoice::System); // chosen in the menu
    QCOMPARE(settings.theme(), ThemeChoice::System);
}

void TestSettings::clampsFontStep()
{
    const QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("s.ini")));
    settings.setFontStep(1000);
    QCOMPARE(settings.fontStep(), 12);
    settings.setFontStep(-1000);
    QCOMPARE(settings.fontStep(), -4);
}

/// Kept for two files whichever of them is opened first.
void TestSettings::pairsByHand()
{
    QTemporaryDir folder;
    Settings settings(folder.filePath(QStringLiteral("pairs.ini")));
    const QString a = QStringLiteral("a"), b = QStringLiteral("b");
    QVERIFY(settings.pairsByHand(a, b).isEmpty());
    const QStringList names{QStringLiteral("x"), QStringLiteral("y"), QStringLiteral("z"), {}};
    settings.setPairsByHand(a, b, names);
    QCOMPARE(settings.pairsByHand(a, b), names);
    QCOMPARE(settings.pairsByHand(b, a),
             (QStringList{QStringLiteral("y"), QStringLiteral("x"), {}, QStringLiteral("z")}));
    QVERIFY(settings.pairsByHand(a, a).isEmpty());
    for (int i = 0; i < Settings::kMaxPairings; ++i)
        settings.setPairsByHand(QString::number(i), b, names);
    QVERIFY(settings.pairsByHand(a, b).isEmpty()); // the oldest
    settings.setPairsByHand(QStringLiteral("3"), b, {});
    QVERIFY(settings.pairsByHand(QStringLiteral("3"), b).isEmpty());
    QCOMPARE(settings.pairsByHand(QStringLiteral("4"), b), names);
}

KERNSCOPE_TEST(TestSettings, QCoreApplication)
#include "tst_settings.moc"
