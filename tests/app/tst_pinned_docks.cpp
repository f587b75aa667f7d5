// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/go_to_box.h"
#include "core/base/overlaid_file.h"
#include "synthetic.h"
#include "tests/app/window_fixture.h"
#include "tests/test_program.h"

#include <QTimer>

#include <algorithm>
#include <utility>

using namespace kernscope;
using ui::Place;

/// What a pin holds still: every dock, with programs and with a hardware container.
class TestPinnedDocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void pinnedDocksStay_data();
    void pinnedDocksStay();

private:
    ui::Session &session() { return (*m_window)->session(); }
    ui::Dock *dock(const QString &id) { return (*m_window)->docks().dock(id); }
    QString writeHardware();
    Place other() const;
    bool settle(ui::Dock *one);

    std::unique_ptr<test::TestWindow> m_window; ///< of all rows
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_open; ///< "programs", "hardware"
};

void TestPinnedDocks::initTestCase()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_window = std::make_unique<test::TestWindow>();
    QVERIFY(QTest::qWaitForWindowExposed(&**m_window));
    (*m_window)->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&**m_window));
}

QString TestPinnedDocks::writeHardware()
{
    const test::Bytes bytes = test::syntheticH13();
    QFile file(m_folder->filePath(QStringLiteral("synthetic.hwx")));
    if (!file.open(QIODevice::WriteOnly))
        return {};
    file.write(reinterpret_cast<const char *>(bytes.data()), qint64(bytes.size()));
    return file.fileName();
}

void TestPinnedDocks::pinnedDocksStay_data()
{
    QTest::addColumn<QString>("document");
    QTest::addColumn<QString>("id");
    for (const char *document : {"programs", "hardware"}) {
        for (const QString &id : (*m_window)->docks().ids())
            QTest::addRow("%s, %s", document, qPrintable(id))
                << QString::fromLatin1(document) << id;
    }
}

/// Nothing is left to be told, shown or drawn.
bool TestPinnedDocks::settle(ui::Dock *one)
{
    const auto told = [this] {
        const auto timers = (*m_window)->findChildren<QTimer *>();
        return std::none_of(timers.begin(), timers.end(), [](const QTimer *timer) {
            return timer->isActive() && timer->isSingleShot() && timer->interval() <= 1000;
        });
    };
    QImage before;
    for (int turn = 0; turn < 50; ++turn) { // drawing may begin a task
        if (!QTest::qWaitFor(told) || !m_window->settle())
            return false;
        const QImage now = one->widget()->grab().toImage();
        if (now == before && told())
            return true;
        before = now;
    }
    return false;
}

/// The weight and bytes that are as far from the place of now as can be.
Place TestPinnedDocks::other() const
{
    const ui::Session &now = (*const_cast<TestPinnedDocks *>(this)->m_window)->session();
    Place place;
    place.weight = now.bundle()->weights().size() - 1;
    if (now.bundle()->hardware()) {
        place = {};
        place.file = 0;
        place.bytes =
            ByteRange{FileOffset(now.bundle()->files()[0].file->size().value - 4), ByteCount(4)};
    }
    return place;
}

void TestPinnedDocks::pinnedDocksStay()
{
    QFETCH(QString, document);
    QFETCH(QString, id);
    if (std::exchange(m_open, document) != document) {
        const QString folder = m_folder->path();
        QVERIFY(
            m_window->open(document == QLatin1String("hardware")
                               ? QStringList{writeHardware()}
                               : QStringList{test::writeSample(folder, QStringLiteral("palette")),
                                             test::writeSample(folder, QStringLiteral("sparse"))}));
    }
    ui::Dock *one = dock(id);
    one->setPinned(false);
    one->setFloating(false);
    app::DockSet::reveal(one);
    (*m_window)->findChild<app::GoToBox *>()->setFocus();
    session().goToWeight(0);
    if (session().bundle()->hardware())
        session().goToBytes(0, {FileOffset(0), ByteCount(4)});
    QVERIFY(settle(one));
    one->setPinned(true);
    QVERIFY(settle(one)); // the title says that it is pinned
    const auto picture = [one] { return one->widget()->grab().toImage(); };
    const QImage before = picture();
    const Place held = one->place();
    session().goTo(other());
    QVERIFY(settle(one));
    QTRY_VERIFY2(picture() == before, "moved with the others");
    // As after an edit, an undo or a save.
    session().updateBundle(session().bundle());
    QVERIFY(settle(one));
    QTRY_VERIFY2(picture() == before, "moved after an edit");
    QVERIFY(one->place() == held);
    one->setPinned(false);
    QVERIFY(settle(one));
    QVERIFY(one->place() == session().place());
}

KERNSCOPE_TEST(TestPinnedDocks, QApplication)
#include "tst_pinned_docks.moc"
