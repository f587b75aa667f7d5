// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/qt_fwd.h"

#include <QLayout>
#include <QList>
#include <QScrollArea>
#include <QWidget>

namespace kernscope::ui {

class ElidedLabel;

/// Lays widgets side by side and begins a new line where the width is used up. The first of a line
/// that expands takes what is left of it. Hidden ones take no room.
class FlowLayout final : public QLayout
{
    Q_OBJECT

public:
    explicit FlowLayout(QWidget *parent);
    ~FlowLayout() override;

    void addItem(QLayoutItem *item) override { m_items.append(item); }
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem *itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem *takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSize() const override;
    void setGeometry(const QRect &area) override;

private:
    /// Places the items where `place`; the height that they take.
    int arrange(const QRect &area, bool place) const;

    QList<QLayoutItem *> m_items;
};

/// Fills itself with its widget, and scrolls where there is less room than the widget needs at
/// least: nothing is squeezed into another thing in a small window or with a large font.
class ShrinkArea final : public QScrollArea
{
    Q_OBJECT

public:
    explicit ShrinkArea(QWidget *content, QWidget *parent = nullptr);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

protected:
    void resizeEvent(QResizeEvent *event) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void fit();
    /// The least height of the content where it is `width` wide.
    int leastHeight(int width) const;
};

/// A part of an inspector: a heading that folds it away, faint words beside the heading, content.
class PanelSection final : public QWidget
{
    Q_OBJECT

public:
    PanelSection(const QString &title, QWidget *content, QWidget *parent);

    void setTitle(const QString &title);
    void setNote(const QString &text);
    QWidget &content() { return *m_content; }
    bool folded() const { return m_folded; }
    void setFolded(bool folded);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QToolButton *m_heading = nullptr;
    ElidedLabel *m_note = nullptr;
    QWidget *m_content = nullptr;
    bool m_folded = false;
};

/// A figure of a page with a hairline about it: title, figure, note below one another.
class CardFrame : public QWidget
{
    Q_OBJECT

public:
    CardFrame(const QString &title, QWidget *parent);

    void say(const QString &value, const QString &note);
    QString text() const; ///< the figure and its note

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QLabel *m_value, *m_note;
};

} // namespace kernscope::ui
