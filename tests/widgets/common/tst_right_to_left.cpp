// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "widgets/common/labels.h"
#include "widgets/compare/pair_pictures.h"
#include "widgets/compare/verdict_strip.h"

using namespace kernscope::ui;

/// What is painted in a window from right to left: signs stay before their numbers, and a row is
/// marked where reading begins.
class TestRightToLeft : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { QGuiApplication::setLayoutDirection(Qt::LeftToRight); }

    void titlesKeepTheirOrder()
    {
        for (const char *title : {"Max |B - A|", "H13g\nM1 Pro/Max/", "+30"}) {
            const auto painted = [title](Qt::LayoutDirection direction) {
                QImage image(200, 60, QImage::Format_RGB32);
                image.fill(Qt::white);
                QPainter painter(&image);
                painter.setLayoutDirection(direction);
                QStyleOptionHeaderV2 header;
                header.direction = direction;
                header.rect = image.rect();
                header.textAlignment = Qt::AlignCenter;
                header.text = QString::fromUtf8(title);
                QuietStyle().drawControl(QStyle::CE_HeaderLabel, &header, &painter, nullptr);
                return image;
            };
            QVERIFY2(painted(Qt::LeftToRight) == painted(Qt::RightToLeft), title);
        }
    }

    /// A chip's line that is as wide as its column loses no letter to the margins.
    void titlesOfTwoLinesAreWhole()
    {
        const auto painted = [](int room) {
            QImage image(300, 60, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            QStyleOptionHeaderV2 header;
            header.text = u"H13g\nM1 Pro/Max/"_s;
            header.textAlignment = Qt::AlignCenter;
            const int line = header.fontMetrics.horizontalAdvance(u"M1 Pro/Max/"_s);
            const int width = line - line % 2 + 4 + room;
            const int margin = QuietStyle().pixelMetric(QStyle::PM_HeaderMargin, nullptr, nullptr);
            header.rect = QRect(150 - width / 2, 0, width, 60).adjusted(margin, 0, -margin, 0);
            QuietStyle().drawControl(QStyle::CE_HeaderLabel, &header, &painter, nullptr);
            return image;
        };
        QCOMPARE(painted(0), painted(100));
    }

    void chosenRowsAreMarkedWhereReadingBegins()
    {
        QTableView view;
        for (const auto direction : {Qt::LeftToRight, Qt::RightToLeft}) {
            QImage image(100, 20, QImage::Format_RGB32);
            image.fill(Qt::white);
            QPainter painter(&image);
            QStyleOptionViewItem item;
            item.direction = direction;
            item.rect = image.rect();
            item.palette = theme::palette(false);
            item.state = QStyle::State_Selected | QStyle::State_Enabled | QStyle::State_Active;
            item.viewItemPosition = QStyleOptionViewItem::Beginning;
            QuietStyle().drawPrimitive(QStyle::PE_PanelItemViewItem, &item, &painter, &view);
            painter.end();
            const QColor accent = design::accent(item.palette);
            const bool left = direction == Qt::LeftToRight;
            QCOMPARE(image.pixelColor(1, 10) == accent, left);
            QCOMPARE(image.pixelColor(98, 10) == accent, !left);
        }
    }

    void legendsOfPictures()
    {
        const auto painted = [](Qt::LayoutDirection direction, bool scale) {
            QGuiApplication::setLayoutDirection(direction); // painters begin with that
            ColorScale legend;
            if (scale)
                legend.showDifference(0.992);
            else
                legend.showSwatches(keptSwatches);
            legend.resize(400, 24);
            return legend.grab().toImage();
        };
        for (const bool scale : {true, false})
            QCOMPARE(painted(Qt::RightToLeft, scale), painted(Qt::LeftToRight, scale));
    }

    void verdicts()
    {
        for (const char *text : {"+30 chips", "7 of 13 pairs re-encoded"}) {
            VerdictPill pill(Token::KindData, QString::fromLatin1(text), {}, nullptr);
            pill.resize(pill.sizeHint());
            const QImage wanted = pill.grab().toImage();
            QGuiApplication::setLayoutDirection(Qt::RightToLeft);
            QVERIFY2(pill.grab().toImage() == wanted, text);
            QGuiApplication::setLayoutDirection(Qt::LeftToRight);
        }
    }

    // Numbers and names of a window from right to left are read from left to right.
    void keepsItsOrder_data()
    {
        addEach({"-0.10931", "381 kB", "0_weight", "\u20260_weight\u2026", "\u25B6 streams"});
    }

    /// What is painted in a window from right to left is what one from left to right shows.
    void keepsItsOrder()
    {
        const auto [text] = fetched<QString>();
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

KERNSCOPE_TEST(TestRightToLeft, QApplication)
#include "tst_right_to_left.moc"
