// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/test_program.h"
#include "widgets/common/design.h"
#include "widgets/common/quiet_style.h"
#include "widgets/common/theme.h"
#include "widgets/compare/picture_pane.h"
#include "widgets/compare/verdict_strip.h"

#include <QGuiApplication>
#include <QImage>
#include <QPainter>
#include <QStyleOption>
#include <QTableView>
#include <QTest>

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
            PictureLegend legend;
            if (scale)
                legend.showScale(0.992);
            else
                legend.showKept();
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
};

KERNSCOPE_TEST(TestRightToLeft, QApplication)
#include "tst_right_to_left.moc"
