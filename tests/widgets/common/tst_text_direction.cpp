// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "widgets/common/text_direction.h"

#include <QImage>
#include <QPainter>
#include <QTest>

using namespace kernscope::ui;

/// Numbers and names of a window from right to left are read from left to right.
class TestTextDirection : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsItsOrder_data()
    {
        QTest::addColumn<QString>("text");
        for (const char *text :
             {"-0.10931", "381 kB", "0_weight", "\u20260_weight\u2026", "\u25B6 streams"})
            QTest::newRow(text) << QString::fromUtf8(text);
    }

    /// What is painted in a window from right to left is what one from left to right shows.
    void keepsItsOrder()
    {
        QFETCH(QString, text);
        QCOMPARE(readFromLeft(text, Qt::LeftToRight), text);
        QCOMPARE(readFromLeft(text, Qt::RightToLeft).mid(1, text.size()), text);
        const QImage wanted = painted(text, Qt::LeftToRight);
        QVERIFY(painted(text, Qt::RightToLeft) != wanted);
        QCOMPARE(painted(readFromLeft(text, Qt::RightToLeft), Qt::RightToLeft), wanted);
    }

    void leavesOtherScripts()
    {
        const QString hebrew = QString::fromUtf8("\u05D0\u05D1 12");
        QCOMPARE(readFromLeft(hebrew, Qt::RightToLeft), hebrew);
        QVERIFY(readFromLeft({}, Qt::RightToLeft).isEmpty());
    }

private:
    static QImage painted(const QString &text, Qt::LayoutDirection direction)
    {
        QImage image(400, 40, QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        painter.setLayoutDirection(direction);
        painter.drawText(image.rect(), Qt::AlignLeft | Qt::AlignAbsolute | Qt::AlignVCenter, text);
        painter.end();
        // Where it stands does not count.
        QRect ink;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) {
                if (image.pixelColor(x, y).lightness() < 128)
                    ink |= QRect(x, y, 1, 1);
            }
        }
        return image.copy(ink);
    }
};

KERNSCOPE_TEST(TestTextDirection, QApplication)
#include "tst_text_direction.moc"
