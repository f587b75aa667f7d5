// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "widgets/common/dock.h"
#include "widgets/models/byte_models.h"

namespace kernscope::ui {

class KindLegend;
class SectionStrip;

/// How the files of the bundle are laid out: one file as a strip above the table of all sections.
class LayoutDock final : public Dock
{
    Q_OBJECT

public:
    explicit LayoutDock(Session &session, QWidget *parent = nullptr);

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void buildHeader(QWidget *content);
    QWidget *createZoomBar(QWidget *parent);
    void arrange();
    void buildTable();
    void buildActions();
    void buildByteActions();
    void copyBytes(CopyFormat format);
    void fillFiles();
    void showFile(std::size_t file);
    void showSection(std::size_t section);
    void pick(std::size_t section);
    void open(std::size_t section);
    void updateZoom();

    SectionModel *m_model = nullptr;
    QComboBox *m_files = nullptr;
    KindLegend *m_legend = nullptr;
    QWidget *m_zoomBar = nullptr;
    QLabel *m_zoom = nullptr;
    SectionStrip *m_strip = nullptr;
    QLineEdit *m_filter = nullptr;
    QTableView *m_table = nullptr;
    QAction *m_zoomIn = nullptr, *m_zoomOut = nullptr, *m_fit = nullptr, *m_oneToOne = nullptr;
    QList<QAction *> m_byteActions;
};

} // namespace kernscope::ui
