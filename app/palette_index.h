// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <QStringList>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string_view>
#include <vector>

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

} // namespace kernscope::app
