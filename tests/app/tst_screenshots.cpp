// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/screenshots.h"
#include "window_fixture.h"

/// The program as a process, without a display.
class TestScreenshots : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void writesPictures_data()
    {
        addColumns<QString, bool, QString>();
        addRow("one, light", "light", false, "");
        addRow("two, dark, two sizes", "dark", true, "1280x800,1920x1080");
    }

    /// Each of several sizes of the window has its folder; docks are as large in every one.
    void writesPictures()
    {
        const auto [theme, compare, sizes] = fetched<QString, bool, QString>();
        const QTemporaryDir folder;
        const QString out = folder.filePath(u"pictures"_s);
        QStringList arguments{u"--screenshots"_s, out, u"--theme"_s, theme,
                              writeSample(folder.path(), u"sparse"_s)};
        if (compare)
            arguments << writeSample(folder.path(), u"palette"_s);
        if (!sizes.isEmpty())
            arguments << u"--size"_s << sizes;
        const FileBytes before = filesBelow(arguments[4]);
        const Ended ended = run(arguments);
        QVERIFY2(ended.exitCode == 0, qPrintable(ended.err));
        QVERIFY(filesBelow(arguments[4]) == before);

        QStringList windows{u"overview"_s, u"inspect"_s, u"performance"_s, u"patch"_s};
        if (compare)
            windows << u"compare"_s;
        QMap<QString, QSize> pictures; // path -> size
        for (const QString &layout : std::as_const(windows)) {
            const QString name = u"window-%1.png"_s.arg(layout);
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
            QVERIFY2(colours.size() > 100, qPrintable(name)); // a heat map, text, plots
            const bool dark = qGray(image.pixel(image.width() / 2, 4)) < 128; // beside the menus
            QCOMPARE(dark, theme == QLatin1String("dark"));
        }
        QVERIFY(compare || !QFile::exists(QDir(out).filePath(u"window-compare.png"_s)));
        for (const char *id :
             {"bundle",      "overview",   "inspector",  "weight",   "codebook",    "mask",
              "layout",      "hex",        "compare",    "patches",  "diagnostics", "tasks",
              "relocations", "commands",   "descriptor", "stream",   "roofline",    "geometry",
              "targets",     "program",    "graph",      "timeline", "calibration", "reduction",
              "choose",      "collective", "activation", "formats",  "help",        "plan",
              "search",      "assessment", "bookmarks"}) {
            const QImage image(QDir(out).filePath(u"dock-%1.png"_s.arg(QString::fromLatin1(id))));
            QVERIFY2(!image.isNull() && image.width() > 400, id);
        }
    }

    void failsOnMissingBundle()
    {
        const QTemporaryDir folder;
        const Ended ended =
            run({u"--screenshots"_s, folder.path(), folder.filePath(u"missing.mlmodelc"_s)});
        QCOMPARE(ended.exitCode, 4);
        QVERIFY(ended.err.contains(u"missing.mlmodelc"_s));
    }

    void helpAndVersionNeedNoDisplay_data()
    {
        addColumns<QString, QString>();
        addRow("help", "--help", "--screenshots");
        addRow("version", "--version", "kernscope ");
    }

    void helpAndVersionNeedNoDisplay()
    {
        const auto [option, holds] = fetched<QString, QString>();
        const Ended ended = run({option});
        QCOMPARE(ended.exitCode, 0);
        QVERIFY2(ended.out.contains(holds), qPrintable(ended.out));
    }

    void misuse_data()
    {
        QTest::addColumn<QStringList>("arguments");
        const auto words = [](const char *line) {
            return QString::fromLatin1(line).split(QLatin1Char(' '));
        };
        addRow("theme", words("--screenshots x --theme pink a"));
        addRow("option", words("--screenshots x --nothing"));
        addRow("no folder", words("--screenshots"));
        addRow("one size is none", words("--screenshots x --size 1280x800,wide a"));
        // Of the window: told before Qt looks for a display.
        addRow("window: theme", words("--theme blue"));
        addRow("window: option", words("--nothing"));
        addRow("window: option of Qt and ours", words("-platform xcb --nothing"));
    }

    void misuse()
    {
        QFETCH(QStringList, arguments);
        const Ended ended = run(arguments);
        QCOMPARE(ended.exitCode, 2);
        QVERIFY(!ended.err.isEmpty());
    }

    /// It never ended.
    void folderThatCannotBeMade()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath(u"file"_s);
        QVERIFY(QFile(file).open(QIODevice::WriteOnly));
        const Ended ended = run({u"--screenshots"_s, file + u"/below"_s});
        QCOMPARE(ended.exitCode, 4);
        QVERIFY2(ended.err.contains(u"below"_s), qPrintable(ended.err));
    }

    void noDisplay_data()
    {
        QTest::addColumn<QStringList>("arguments");
        addRow("nothing said", QStringList());
        addRow("xcb", QStringList{u"-platform"_s, u"xcb"_s});
        addRow("no such platform", QStringList{u"-platform"_s, u"nonsense"_s});
    }

    /// Qt aborts where there is no display; the program says so in one line instead.
    void noDisplay()
    {
        QFETCH(QStringList, arguments);
        const Ended ended = run(arguments);
        QCOMPARE(ended.exitCode, 4);
        QVERIFY2(ended.err.startsWith(u"kernscope: The window cannot be opened"_s),
                 qPrintable(ended.err));
        QCOMPARE(ended.err.count(QLatin1Char('\n')), 1);
    }

    // Pictures of the place that the path names.
    void weightThatThePathNames()
    {
        const QTemporaryDir folder;
        const QString path = writeSample(folder.path(), u"sparse"_s);
        TestWindow window;
        app::ScreenshotRun run(*window, folder.filePath(u"pictures"_s), {QSize(900, 650)});
        QSignalSpy finished(&run, &app::ScreenshotRun::finished);
        run.start({path + u"#head_bias"_s}); // no run chooses it by itself
        const QString picture = u"pictures/dock-%1.png"_s.arg(window->docks().ids().front());
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(folder.filePath(picture)), 120000);
        QVERIFY(finished.isEmpty());
        ui::Session &session = window->session();
        QVERIFY(session.place().weight < session.bundle()->weights().size());
        QCOMPARE(session.bundle()->weights()[session.place().weight].name, "head_bias");
    }

private:
    struct Ended {
        int exitCode = -1;
        QString out, err;
    };

    static Ended run(const QStringList &arguments)
    {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char *name : {"QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"})
            environment.remove(QString::fromLatin1(name));
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(KERNSCOPE_PROGRAM), arguments);
        if (!process.waitForFinished(180000))
            return {};
        return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
                QString::fromUtf8(process.readAllStandardOutput()),
                QString::fromUtf8(process.readAllStandardError())};
    }
};

KERNSCOPE_TEST(TestScreenshots, QApplication)
#include "tst_screenshots.moc"
