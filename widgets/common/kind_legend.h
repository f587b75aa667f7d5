// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/bundle/bundle_fwd.h"

#include <QWidget>

#include <vector>

namespace kernscope::ui {

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
