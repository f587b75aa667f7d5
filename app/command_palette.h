// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractListModel>
#include <QByteArray>
#include <QList>
#include <QListView>
#include <QObject>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <vector>

class QMenuBar;

namespace kernscope::ui {
class Session;
}

namespace kernscope::app {

/// Everything that can be found by typing a part of its name, and what to do with it.
class PaletteIndex
{
public:
    /// In the order in which equally good hits are listed.
    enum class Kind : std::uint8_t { Weight, Action, Operation, Register, Section, Chip, Help };

    struct Item {
        Kind kind = Kind::Action;
        QString text; ///< what is searched
        QString note; ///< where it is, its shortcut
        std::function<void()> run;
    };
    /// `run` gets the index of the name.
    struct Group {
        Kind kind = Kind::Weight;
        QStringList names;
        /// In place of `names`, for names that are kept elsewhere: `count` of them. There may be
        /// hundreds of thousands.
        std::size_t count = 0;
        std::function<QString(std::size_t)> name;
        std::function<void(std::size_t)> run;
        std::function<QString(std::size_t)> note; ///< may be empty
    };

    void clear() { m_groups.clear(); }
    void add(Group group);
    /// Takes the groups of the other index.
    void merge(PaletteIndex other);
    /// Forgets the names of these kinds.
    void drop(std::initializer_list<Kind> kinds);

    /// At most `limit` items in whose text every word occurs, in any case: texts that begin with
    /// the first word first, then those with a word that does, then the others; short ones first.
    /// Where these are fewer, texts follow that hold a word without what separates words: conv_2
    /// for conv2.
    QList<Item> find(const QString &words, int limit) const;

private:
    struct Names {
        Group group;
        QByteArray folded;               ///< in lower case, UTF-8, a zero behind each
        std::vector<std::size_t> starts; ///< of each name, and the end

        std::size_t size() const { return starts.size() - 1; }
        std::string_view at(std::size_t name) const;
        QString text(std::size_t name) const;
    };
    struct Hit;
    class Finding;

    std::vector<Names> m_groups;
};

/// "weight", "action", …, translated.
QString paletteKindWord(PaletteIndex::Kind kind);

/// The hits of the palette as rows: text, and kind with note as accessible and secondary text.
class PaletteModel final : public QAbstractListModel
{
    Q_OBJECT

public:
    enum Role : int { NoteRole = Qt::UserRole + 1 };

    using QAbstractListModel::QAbstractListModel;

    void setItems(QList<PaletteIndex::Item> items);
    const PaletteIndex::Item &at(int row) const { return m_items[row]; }
    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role = Qt::DisplayRole) const override;

private:
    QList<PaletteIndex::Item> m_items;
};

/// The list below the box that one types into. It never takes the keyboard.
class PaletteList final : public QListView
{
    Q_OBJECT

public:
    explicit PaletteList(QWidget *window);

    PaletteModel &hits() { return *m_model; }
    /// Shows the items below `box`, none of them chosen; hides itself where there are none.
    void showBelow(const QWidget &box, QList<PaletteIndex::Item> items);
    void step(int by);
    int chosen() const { return currentIndex().row(); } ///< -1: none

Q_SIGNALS:
    void picked(int row);

private:
    PaletteModel *m_model = nullptr;
};

class DockSet;

/// What the search box finds beside the names of the bundle: actions, kinds of edits, chips, help.
class PaletteSource final : public QObject
{
    Q_OBJECT

public:
    PaletteSource(QMenuBar &menus, ui::Session &session, DockSet &docks, QObject *parent);

    void fill(PaletteIndex &index);

Q_SIGNALS:
    void chipChosen();
    void helpChosen(const QString &page);

private:
    void addActions(PaletteIndex &index);
    void addEdits(PaletteIndex &index);
    void addChips(PaletteIndex &index);
    void addHelp(PaletteIndex &index);

    QMenuBar &m_menus;
    ui::Session &m_session;
    DockSet *m_docks;
};

} // namespace kernscope::app
