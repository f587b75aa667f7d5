// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/screenshots.h"
#include "tests/test_program.h"
#include "window_fixture.h"

#include <QImage>
#include <QMap>
#include <QProcess>
#include <QSet>
#include <QSignalSpy>

using namespace kernscope;

/// The program as a process, without a display.
class TestScreenshots : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void writesPictures_data();
    void writesPictures();
    void failsOnMissingBundle();
    void helpAndVersionNeedNoDisplay_data();
    void helpAndVersionNeedNoDisplay();
    void misuse_data();
    void misuse();
    void folderThatCannotBeMade();
    void noDisplay_data();
    void noDisplay();

    // Pictures of the place that the path names.
    void weightThatThePathNames();

private:
    struct Ended {
        int exitCode = -1;
        QString out, err;
    };
    static Ended run(const QStringList &arguments);
};

TestScreenshots::Ended TestScreenshots::run(const QStringList &arguments)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char *name : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
        environment.remove(QString::fromLatin1(name));
    process.setProcessEnvironment(environment);
    process.start(QStringLiteral(KERNSCOPE_PROGRAM), arguments);
    if (!process.waitForFinished(180'000))
        return {};
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()),
            QString::fromUtf8(process.readAllStandardError())};
}

void TestScreenshots::writesPictures_data()
{
    QTest::addColumn<QString>("theme");
    QTest::addColumn<bool>("compare");
    QTest::addColumn<QString>("sizes");
    QTest::newRow("one, light") << "light" << false << "";
    QTest::newRow("two, dark, two sizes") << "dark" << true << "1280x800,1920x1080";
}

/// Each of several sizes of the window has its folder; docks are as large in every one.
void TestScreenshots::writesPictures()
{
    QFETCH(QString, theme);
    QFETCH(bool, compare);
    QFETCH(QString, sizes);
    const QTemporaryDir folder;
    const QString out = folder.filePath(QStringLiteral("pictures"));
    QStringList arguments{QStringLiteral("--screenshots"), out, QStringLiteral("--theme"), theme,
                          test::writeSample(folder.path(), QStringLiteral("sparse"))};
    if (compare)
        arguments << test::writeSample(folder.path(), QStringLiteral("palette"));
    if (!sizes.isEmpty())
        arguments << QStringLiteral("--size") << sizes;
    const test::FileBytes before = test::bytesOf(arguments[4]);
    const Ended ended = run(arguments);
    QVERIFY2(ended.exitCode == 0, qPrintable(ended.err));
    QVERIFY(test::bytesOf(arguments[4]) == before);

    QStringList windows{QStringLiteral("overview"), QStringLiteral("inspect"),
                        QStringLiteral("performance"), QStringLiteral("patch")};
    if (compare)
        windows << QStringLiteral("compare");
    QMap<QString, QSize> pictures; // path -> size
    for (const QString &layout : std::as_const(windows)) {
        const QString name = QStringLiteral("window-%1.png").arg(layout);
        if (sizes.isEmpty())
            pictures[name] = QSize(1400, 900);
        for (const QString &size : sizes.split(QLatin1Char(','), Qt::SkipEmptyParts))
            pictures[size + QLatin1Char('/') + name] =
                QSize(size.section(QLatin1Char('x'), 0, 0).toInt(),
                      size.section(QLatin1Char('x'), 1).toInt());
        QCOMPARE(QFile::exists(QDir(out).filePath(name)), sizes.isEmpty());
    }
    for (const QString &name : pictures.keys()) {
        const QImage image(QDir(out).filePath(name));
        QVERIFY2(!image.isNull(), qPrintable(name));
        QCOMPARE(image.size(), pictures[name]);
        QSet<QRgb> colours;
        for (int y = 0; y < image.height(); y += 3) {
            for (int x = 0; x < image.width(); x += 3)
                colours.insert(image.pixel(x, y));
        }
        QVERIFY2(colours.size() > 100, qPrintable(name));                 // a heat map, text, plots
        const bool dark = qGray(image.pixel(image.width() / 2, 4)) < 128; // beside the menus
        QCOMPARE(dark, theme == QLatin1String("dark"));
    }
    QVERIFY(compare || !QFile::exists(QDir(out).filePath(QStringLiteral("window-compare.png"))));
    for (const char *id :
         {"bundle",      "overview",   "inspector",  "weight",   "codebook",    "mask",
          "layout",      "hex",        "compare",    "patches",  "diagnostics", "tasks",
          "relocations", "commands",   "descriptor", "stream",   "roofline",    "geometry",
          "targets",     "program",    "graph",      "timeline", "calibration", "reduction",
          "choose",      "collective", "activation", "formats",  "help",        "plan",
          "search",      "assessment", "bookmarks"}) {
        const QImage image(
            QDir(out).filePath(QStringLiteral("dock-%1.png").arg(QString::fromLatin1(id))));
        QVERIFY2(!image.isNull() && image.width() > 400, id);
    }
}

void TestScreenshots::failsOnMissingBundle()
{
    const QTemporaryDir folder;
    const Ended ended = run({QStringLiteral("--screenshots"), folder.path(),
                             folder.filePath(QStringLiteral("missing.mlmodelc"))});
    QCOMPARE(ended.exitCode, 4);
    QVERIFY(ended.err.contains(QStringLiteral("missing.mlmodelc")));
}

void TestScreenshots::helpAndVersionNeedNoDisplay_data()
{
    QTest::addColumn<QString>("option");
    QTest::addColumn<QString>("holds");
    QTest::newRow("help") << "--help"
                          << "--screenshots";
    QTest::newRow("version") << "--version"
                             << "kernscope ";
}

void TestScreenshots::helpAndVersionNeedNoDisplay()
{
    QFETCH(QString, option);
    QFETCH(QString, holds);
    const Ended ended = run({option});
    QCOMPARE(ended.exitCode, 0);
    QVERIFY2(ended.out.contains(holds), qPrintable(ended.out));
}

void TestScreenshots::misuse_data()
{
    QTest::addColumn<QStringList>("arguments");
    const auto words = [](const char *line) {
        return QString::fromLatin1(line).split(QLatin1Char(' '));
    };
    QTest::newRow("three paths") << words("--screenshots x a b c");
    QTest::newRow("theme") << words("--screenshots x --theme pink a");
    QTest::newRow("option") << words("--screenshots x --nothing");
    QTest::newRow("no folder") << words("--screenshots");
    QTest::newRow("one size is none") << words("--screenshots x --size 1280x800,wide a");
    // Of the window: told before Qt looks for a display.
    QTest::newRow("window: theme") << words("--theme blue");
    QTest::newRow("window: option") << words("--nothing");
    QTest::newRow("window: option of Qt and ours") << words("-platform xcb --nothing");
    QTest::newRow("window: three paths") << words("a b c");
}

void TestScreenshots::misuse()
{
    QFETCH(QStringList, arguments);
    const Ended ended = run(arguments);
    QCOMPARE(ended.exitCode, 2);
    QVERIFY(!ended.err.isEmpty());
}

/// It never ended.
void TestScreenshots::folderThatCannotBeMade()
{
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("file"));
    QVERIFY(QFile(file).open(QIODevice::WriteOnly));
    const Ended ended = run({QStringLiteral("--screenshots"), file + QStringLiteral("/below")});
    QCOMPARE(ended.exitCode, 4);
    QVERIFY2(ended.err.contains(QStringLiteral("below")), qPrintable(ended.err));
}

void TestScreenshots::noDisplay_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::newRow("nothing said") << QStringList();
    QTest::newRow("xcb") << QStringList{QStringLiteral("-platform"), QStringLiteral("xcb")};
    QTest::newRow("no such platform")
        << QStringList{QStringLiteral("-platform"), QStringLiteral("nonsense")};
}

/// Qt aborts where there is no display; the program says so in one line instead.
void TestScreenshots::noDisplay()
{
    QFETCH(QStringList, arguments);
    const Ended ended = run(arguments);
    QCOMPARE(ended.exitCode, 4);
    QVERIFY2(ended.err.startsWith(QStringLiteral("kernscope: The window cannot be opened")),
             qPrintable(ended.err));
    QCOMPARE(ended.err.count(QLatin1Char('\n')), 1);
}

void TestScreenshots::weightThatThePathNames()
{
    const QTemporaryDir folder;
    const QString path = test::writeSample(folder.path(), QStringLiteral("sparse"));
    test::TestWindow window;
    app::ScreenshotRun run(*window, folder.filePath(QStringLiteral("pictures")), {QSize(900, 650)});
    QSignalSpy finished(&run, &app::ScreenshotRun::finished);
    run.start({path + QStringLiteral("#head_bias")}); // no run chooses it by itself
    QVERIFY(finished.wait(120'000));
    QCOMPARE(finished.front().front().toInt(), 0);
    ui::Session &session = window->session();
    QVERIFY(session.place().weight < session.bundle()->weights().size());
    QCOMPARE(session.bundle()->weights()[session.place().weight].name, std::string("head_bias"));
}

KERNSCOPE_TEST(TestScreenshots, QApplication)
#include "tst_screenshots.moc"
