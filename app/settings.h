// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <span>

namespace kernscope::app {

/// Takes a settings file from one version to the next.
using SettingsStep = void (*)(QSettings &store);

/// What migrateSettings found.
enum class SettingsState {
    Ready, ///< of the present version now
    Newer, ///< written by a newer version: not touched
};

/// Brings a settings file up to version `steps.size() + 1`, one step after the other: `steps[i]`
/// takes version i + 1 to i + 2. A new file gets the present number at once; one without a number
/// that holds something counts as version 1.
SettingsState migrateSettings(QSettings &store, std::span<const SettingsStep> steps);

/// Which palette the window wears.
enum class ThemeChoice : std::uint8_t { System, Light, Dark };

/// What the window remembers between two starts, in one file with a version. Opening it migrates
/// what an older version wrote, step by step; a file of a newer version is left alone, and another
/// one beside it used.
class Settings
{
public:
    static constexpr int kMaxRecent = 10;

    /// The user's own file.
    Settings();
    /// A file of its own (tests, screenshots).
    explicit Settings(const QString &file);

    /// One path, or two that were compared.
    struct Recent {
        QString path, other; ///< other: empty where one bundle was opened
        friend bool operator==(const Recent &, const Recent &) = default;
    };
    QList<Recent> recent() const;
    /// Puts an entry in front and drops the oldest past kMaxRecent.
    void addRecent(const Recent &entry);
    void removeRecent(const Recent &entry);
    void clearRecent() { writeRecent({}); }

    ThemeChoice theme() const;
    /// Answers this from now on, until another one is chosen; nothing is written.
    void overrideTheme(ThemeChoice choice) { m_theme = choice; }
    void setTheme(ThemeChoice choice);
    /// Points added to the system's font size, -4 to 12.
    int fontStep() const;
    void setFontStep(int step);

    /// Where what belongs to single bundles is kept, such as bookmarks: kernscope in
    /// $XDG_STATE_HOME, by default ~/.local/state; of settings in a file of their own, beside it.
    QString stateFolder() const { return m_stateFolder; }
    /// Pairs by hand of two files that are compared: names in `path` and in `other` by turns. Those
    /// of the kMaxPairings comparisons that had some last.
    static constexpr int kMaxPairings = 50;
    QStringList pairsByHand(const QString &path, const QString &other) const;
    void setPairsByHand(const QString &path, const QString &other, const QStringList &names);

    /// A value of the file by its key; T{} where none is kept.
    template <class T>
    struct Key {
        const char *name;
    };
    static constexpr Key<QByteArray> kWindowGeometry{"window/geometry"};
    /// The layout last chosen by hand for a hardware container; empty where none was.
    static constexpr Key<QString> kContainerLayout{"window/containerLayout"};
    /// Whether the tour was offered once.
    static constexpr Key<bool> kTourOffered{"window/tourOffered"};
    /// Whether a save in place first copies what it changes beside the bundle; off by default.
    static constexpr Key<bool> kKeepBackup{"save/keepBackup"};
    static constexpr Key<QString> kLastFolder{"open/folder"};
    template <class T>
    T get(Key<T> key) const
    {
        return m_store->value(QLatin1String(key.name)).template value<T>();
    }
    template <class T>
    void set(Key<T> key, const T &value)
    {
        m_store->setValue(QLatin1String(key.name), value);
    }

    /// State of the docks in a layout; empty where the docks in it were not `docks`.
    QByteArray layoutState(const QString &layout, const QStringList &docks) const;
    void setLayoutState(const QString &layout, const QStringList &docks, const QByteArray &state);
    void forgetLayout(const QString &layout);

    /// Order and visibility of a table's columns as TableColumns writes them; empty: as they come.
    QString tableColumns(const QString &table) const;
    void setTableColumns(const QString &table, const QString &columns);

    void sync() { m_store->sync(); }

private:
    void migrate();
    struct Pairing {
        QString path, other;
        QStringList names;
    };
    QList<Pairing> pairings() const;
    void writeRecent(const QList<Recent> &entries);

    std::unique_ptr<QSettings> m_store;
    QString m_stateFolder;
    std::optional<ThemeChoice> m_theme; ///< of this run only
};

} // namespace kernscope::app
