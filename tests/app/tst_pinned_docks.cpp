// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/go_to_box.h"
#include "core/base/overlaid_file.h"
#include "synthetic.h"
#include "tests/app/window_fixture.h"
#include "tests/test_program.h"

using namespace kernscope;
using ui::Place;

/// What a pin holds still: every dock, with programs and with a hardware container.
class TestPinnedDocks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void pinnedDocksStay_data();
    void pinnedDocksStay();

private:
    ui::Session &session() { return (*m_window)->session(); }
    ui::Dock *dock(const QString &id) { return (*m_window)->docks().dock(id); }
    QString writeHardware();
    Place other() const;

    std::unique_ptr<test::TestWindow> m_window;
    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestPinnedDocks::init()
{
    m_window.reset();
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
    QTest::addColumn<QString>("id");
    const test::TestWindow window;
    for (const QString &id : const_cast<test::TestWindow &>(window)->docks().ids())
        QTest::addRow("%s", qPrintable(id)) << id;
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
    QFETCH(QString, id);
    const QList<QStringList> documents{
        {test::writeSample(m_folder->path(), QStringLiteral("palette")),
         test::writeSample(m_folder->path(), QStringLiteral("sparse"))},
        {writeHardware()}};
    for (const QStringList &paths : documents) {
        QVERIFY(m_window->open(paths));
        ui::Dock *one = dock(id);
        one->setPinned(false);
        one->setFloating(false);
        app::DockSet::reveal(one);
        (*m_window)->findChild<app::GoToBox *>()->setFocus();
        session().goToWeight(0);
        if (session().bundle()->hardware())
            session().goToBytes(0, {FileOffset(0), ByteCount(4)});
        QVERIFY(m_window->settleLong());
        one->setPinned(true);
        const auto picture = [one] { return one->widget()->grab().toImage(); };
        const QImage before = picture();
        const Place held = one->place();
        session().goTo(other());
        QVERIFY(m_window->settleLong());
        QTRY_VERIFY2(picture() == before, "moved with the others");
        // As after an edit, an undo or a save.
        session().updateBundle(session().bundle());
        QVERIFY(m_window->settleLong());
        QTRY_VERIFY2(picture() == before, "moved after an edit");
        QVERIFY(one->place() == held);
        one->setPinned(false);
        QVERIFY(m_window->settleLong());
        QVERIFY(one->place() == session().place());
    }
}

KERNSCOPE_TEST(TestPinnedDocks, QApplication)
#include "tst_pinned_docks.moc"
