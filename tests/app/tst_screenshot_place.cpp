// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/screenshots.h"
#include "tests/test_program.h"
#include "window_fixture.h"

#include <QSignalSpy>

using namespace kernscope;

/// Pictures of the place that the path names.
class TestScreenshotPlace : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void weightThatThePathNames();
};

void TestScreenshotPlace::weightThatThePathNames()
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

KERNSCOPE_TEST(TestScreenshotPlace, QApplication)
#include "tst_screenshot_place.moc"
