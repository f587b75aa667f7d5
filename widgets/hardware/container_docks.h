// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/container/hwx/slots.h"
#include "widgets/common/dock.h"
#include "widgets/models/fact_tree_model.h"

namespace kernscope::ui {

/// Words of a hardware container that are left for the loader: place, role and target of each, and
/// what a load at some address would write. Nothing is written into the file.
class RelocationsDock final : public Dock
{
    Q_OBJECT

public:
    explicit RelocationsDock(Session &session, QWidget *parent = nullptr);

    FactTreeModel &model() { return *m_model; }
    QTreeView &view() { return *m_view; }
    /// Computes what a load at the typed address would write; an empty text is a fault.
    void load(const QString &address);
    /// Computes what taking such a load away again would write: the words as they come from a
    /// compiler, for an image that a loader has changed.
    void strip(const QString &address);
    /// Forgets what was computed.
    void takeBack();

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    void buildBar(QBoxLayout *bar, QWidget *parent);
    void buildActions();
    std::optional<std::uint64_t> addressOf(const QString &text);
    void showRows();
    void report(const std::vector<hwx::LoadedSlot> &loaded, const QString &done);

    BundlePtr m_shown;
    std::vector<hwx::Slot> m_places;
    std::vector<hwx::LoadedSlot> m_loaded;
    FactTreeModel *m_model = nullptr;
    QTreeView *m_view = nullptr;
    QLineEdit *m_address = nullptr, *m_filter = nullptr;
    QPushButton *m_load = nullptr, *m_strip = nullptr, *m_back = nullptr;
    QLabel *m_state = nullptr;
};

/// Header, load commands with their fields, and symbols of a hardware container.
class CommandsDock final : public Dock
{
    Q_OBJECT

public:
    explicit CommandsDock(Session &session, QWidget *parent = nullptr);

    FactTreeModel &commands() { return *m_commands; }
    FactTreeModel &symbols() { return *m_symbols; }
    QTreeView &commandView() { return *m_commandView; }

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;

private:
    void buildActions();
    QTreeView *shownView() const;

    FactTreeModel *m_commands = nullptr, *m_symbols = nullptr;
    QLineEdit *m_filter = nullptr;
    QTabWidget *m_tabs = nullptr;
    QTreeView *m_commandView = nullptr, *m_symbolView = nullptr;
};

} // namespace kernscope::ui
