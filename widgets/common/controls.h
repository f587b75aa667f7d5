// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/qt_fwd.h"
#include "widgets/models/theme.h"

#include <QLabel>
#include <QList>
#include <QRectF>
#include <QToolButton>
#include <QWidget>

namespace kernscope::ui {

/// The ground of a pill: a quiet tint, round at its ends.
void paintPill(QPainter &painter, const QRectF &box, const QColor &tint);

/// A word or two on a tinted ground, beside a title: what form a thing has, what becomes of it. The
/// colour never stands alone: the word says it.
class Pill final : public QLabel
{
    Q_OBJECT

public:
    explicit Pill(const QString &name, QWidget *parent);

    /// An empty text hides the pill.
    void setWords(const QString &text, const QColor &tint, const QString &tip);
    QColor tint() const { return m_tint; }

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QString m_name; ///< what it is about, for screen readers
    QColor m_tint;
};

/// A button in the words of an action, which Tab comes to.
QToolButton *actionButton(QAction *action, QWidget *parent);

/// A check box in the words of an action.
QWidget *actionCheck(QAction *action, QWidget *parent);

/// A bar of parts beside each other, each as long as its share of the whole; what the parts leave
/// is empty track. A part has its label where there is room for it. The words of a part are its
/// tooltip, those of all are read by screen readers.
class ShareBar final : public QWidget
{
    Q_OBJECT

public:
    struct Part {
        double share = 0; ///< 0 to 1 of the whole
        Token token = Token::KindData;
        QString words;
        QString label = {};
    };

    /// `height` in ems.
    explicit ShareBar(double height, QWidget *parent);

    void setParts(std::vector<Part> parts);
    /// The part at a place of the widget; -1 where none is.
    int partAt(int x) const;

    QSize sizeHint() const override { return {theme::em(this, 8), theme::em(this, m_height)}; }
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    std::vector<double> edges() const; ///< of the parts, from the left, in pixels

    std::vector<Part> m_parts;
    double m_height;
};

/// A switch between a few words, one of them chosen: a rounded track with the chosen word on a
/// lighter ground. Every word is an action, so that menus and shortcuts hold the same. Tab comes to
/// the chosen word only; arrows, Home and End choose another.
class Segmented final : public QWidget
{
    Q_OBJECT

public:
    explicit Segmented(const QString &name, QWidget *parent = nullptr);

    /// `action` is checkable and in an exclusive group; its text is the word.
    void add(QAction *action);

protected:
    void paintEvent(QPaintEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void takeTab();
    void choose(qsizetype at, int step);

    QHBoxLayout *m_row = nullptr;
    QList<QToolButton *> m_segments;
};

/// The kinds of sections that a file has, each as its colour and pattern with its word; and the
/// mark of changed bytes. Wraps where it is narrow.
class KindLegend final : public QWidget
{
    Q_OBJECT

public:
    explicit KindLegend(QWidget *parent = nullptr);

    /// In the order given; duplicates are shown once.
    void setKinds(const std::vector<SectionKind> &kinds, bool changes);
    const std::vector<SectionKind> &kinds() const { return m_kinds; }

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    struct Entry {
        QRect box;     ///< swatch and word
        int kind = -1; ///< index into m_kinds; -1: the mark of changed bytes
    };
    std::vector<Entry> entries(int width) const;
    QString wordOf(int kind) const;

    std::vector<SectionKind> m_kinds;
    bool m_changes = false;
};

} // namespace kernscope::ui
