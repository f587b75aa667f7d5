// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "widgets/common/tile_view.h"
#include "widgets/models/task_manager.h"

#include <QScrollBar>
#include <QTest>

#include <utility>

using namespace kernscope;
using namespace kernscope::ui;

namespace {

class Plain : public TileSource
{
public:
    Plain(std::uint64_t rows, std::uint64_t cols) : m_rows(rows), m_cols(cols) {}
    std::uint64_t rows() const override { return m_rows; }
    std::uint64_t cols() const override { return m_cols; }
    Tile render(const TileKey &key, Progress &) const override
    {
        Tile tile{QImage(tileSize(key), QImage::Format_ARGB32_Premultiplied), {}, {}};
        tile.image.fill(Qt::blue);
        return tile;
    }

private:
    std::uint64_t m_rows, m_cols;
};

/// Counts how often the viewport gets another size.
class ResizeCount final : public QObject
{
public:
    explicit ResizeCount(QWidget *widget) { widget->installEventFilter(this); }
    int take() { return std::exchange(m_count, 0); }
    bool eventFilter(QObject *, QEvent *event) override
    {
        m_count += event->type() == QEvent::Resize ? 1 : 0;
        return false;
    }

private:
    int m_count = 0;
};

} // namespace

/// When a picture has scroll bars.
class TestTileBars : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void fittingPicturesHaveNone_data();
    void fittingPicturesHaveNone();
    void zoomedPicturesHaveThem();
};

void TestTileBars::fittingPicturesHaveNone_data()
{
    QTest::addColumn<int>("rows");
    QTest::addColumn<int>("cols");
    QTest::newRow("conv") << 128 << 387;
    QTest::newRow("lstm") << 512 << 128;
    QTest::newRow("stft") << 258 << 256;
    QTest::newRow("small") << 16 << 16;
}

/// Whatever the size of the view: the sum of the cells' sizes is rounded, and a bar that came for a
/// part of a millionth of a cell changes the size again.
void TestTileBars::fittingPicturesHaveNone()
{
    QFETCH(const int, rows);
    QFETCH(const int, cols);
    TaskManager tasks;
    TileView view(tasks);
    view.setMostStretch(TileView::kFillStretch);
    view.setSource(std::make_shared<Plain>(rows, cols));
    view.resize(150, 60);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    ResizeCount resizes(view.viewport());
    for (int width = 150; width < 700; width += 1 + width % 7) {
        for (int height = 60; height < 900; height += 3 + height % 11) {
            resizes.take();
            view.resize(width, height);
            const QString size = QStringLiteral("%1 x %2").arg(width).arg(height);
            QVERIFY2(view.horizontalScrollBar()->maximum() == 0 &&
                         view.verticalScrollBar()->maximum() == 0,
                     qPrintable(size));
            QVERIFY2(resizes.take() <= 1, qPrintable(size));
        }
    }
}

void TestTileBars::zoomedPicturesHaveThem()
{
    TaskManager tasks;
    TileView view(tasks);
    view.setSource(std::make_shared<Plain>(512, 128));
    view.resize(300, 300);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    QCOMPARE(view.verticalScrollBar()->maximum(), 0);
    view.zoomIn();
    view.zoomIn();
    QVERIFY(view.verticalScrollBar()->maximum() > 0);
    view.fit();
    QCOMPARE(view.verticalScrollBar()->maximum(), 0);
}

KERNSCOPE_TEST(TestTileBars, QApplication)
#include "tst_tile_bars.moc"
