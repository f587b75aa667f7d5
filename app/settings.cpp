// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/settings.h"

#include "app/files.h"
#include "core/base/files.h"
#include "widgets/common/qt.h"

namespace kernscope::app {

namespace {

const QString kRecentKey = u"recent"_s;
const QString kPairingsKey = u"pairings"_s;
const QString kThemeKey = u"appearance/theme"_s;
const QString kFontKey = u"appearance/fontStep"_s;
const QString kColumnsGroup = u"columns/"_s;

/// Backups were on by default and lay in the bundle, and every save stored that choice: it is
/// forgotten, and chosen again where backups beside the bundle are wanted.
void forgetBackupChoice(QSettings &store)
{
    store.remove(QLatin1String(Settings::kKeepBackup.name));
}

// Step i takes a file of version i + 1 to version i + 2.
constexpr std::array<SettingsStep, 1> kSteps{forgetBackupChoice};

QString stateKey(const QString &layout)
{
    return u"layouts/%1/state"_s.arg(layout);
}

QString docksKey(const QString &layout)
{
    return u"layouts/%1/docks"_s.arg(layout);
}

} // namespace

SettingsState migrateSettings(QSettings &store, std::span<const SettingsStep> steps)
{
    const QString key = u"version"_s;
    const int present = static_cast<int>(steps.size()) + 1;
    const int unnumbered = store.allKeys().isEmpty() ? present : 1;
    const int version = std::max(1, store.value(key, unnumbered).toInt());
    if (version > present)
        return SettingsState::Newer;
    for (int from = version; from < present; ++from) {
        steps[static_cast<std::size_t>(from - 1)](store);
        // Written after each step: a crash in between goes on where it stopped.
        store.setValue(key, from + 1);
    }
    store.setValue(key, present);
    return SettingsState::Ready;
}

Settings::Settings()
    : m_store(std::make_unique<QSettings>(QSettings::IniFormat, QSettings::UserScope,
                                          u"kernscope"_s, u"kernscope"_s))
{
    m_stateFolder = toQString(kernscope::stateFolder());
    migrate();
}

Settings::Settings(const QString &file)
    : m_store(std::make_unique<QSettings>(file, QSettings::IniFormat)),
      m_stateFolder(QFileInfo(file).absolutePath() + u"/state"_s)
{
    migrate();
}

void Settings::migrate()
{
    if (migrateSettings(*m_store, kSteps) == SettingsState::Ready)
        return;
    const QFileInfo newer(m_store->fileName());
    const QString own =
        u"%1/%2.v%3.ini"_s.arg(newer.path(), newer.completeBaseName()).arg(kSteps.size() + 1);
    m_store = std::make_unique<QSettings>(own, QSettings::IniFormat);
    migrateSettings(*m_store, kSteps);
}

QList<Settings::Recent> Settings::recent() const
{
    QList<Recent> entries;
    const int count = m_store->beginReadArray(kRecentKey);
    for (int i = 0; i < std::min(count, kMaxRecent); ++i) {
        m_store->setArrayIndex(i);
        const Recent entry{m_store->value(u"path"_s).toString(),
                           m_store->value(u"other"_s).toString()};
        if (!entry.path.isEmpty())
            entries.push_back(entry);
    }
    m_store->endArray();
    return entries;
}

void Settings::writeRecent(const QList<Recent> &entries)
{
    m_store->remove(kRecentKey);
    m_store->beginWriteArray(kRecentKey, static_cast<int>(entries.size()));
    for (int i = 0; i < entries.size(); ++i) {
        m_store->setArrayIndex(i);
        m_store->setValue(u"path"_s, entries[i].path);
        if (!entries[i].other.isEmpty())
            m_store->setValue(u"other"_s, entries[i].other);
    }
    m_store->endArray();
}

void Settings::addRecent(const Recent &entry)
{
    QList<Recent> entries = recent();
    entries.removeAll(entry);
    entries.prepend(entry);
    if (entries.size() > kMaxRecent)
        entries.resize(kMaxRecent);
    writeRecent(entries);
}

void Settings::removeRecent(const Recent &entry)
{
    QList<Recent> entries = recent();
    entries.removeAll(entry);
    writeRecent(entries);
}

QList<Settings::Pairing> Settings::pairings() const
{
    QList<Pairing> entries;
    const int count = m_store->beginReadArray(kPairingsKey);
    for (int i = 0; i < std::min(count, kMaxPairings); ++i) {
        m_store->setArrayIndex(i);
        entries.push_back({m_store->value(u"path"_s).toString(),
                           m_store->value(u"other"_s).toString(),
                           m_store->value(u"names"_s).toStringList()});
    }
    m_store->endArray();
    return entries;
}

/// Whichever of the two was the document then.
QStringList Settings::pairsByHand(const QString &path, const QString &other) const
{
    for (const Pairing &entry : pairings()) {
        if (entry.path == path && entry.other == other)
            return entry.names;
        if (entry.path != other || entry.other != path)
            continue;
        QStringList turned;
        for (qsizetype i = 0; i + 1 < entry.names.size(); i += 2)
            turned << entry.names[i + 1] << entry.names[i];
        return turned;
    }
    return {};
}

void Settings::setPairsByHand(const QString &path, const QString &other, const QStringList &names)
{
    QList<Pairing> entries = pairings();
    entries.removeIf([&](const Pairing &entry) {
        return (entry.path == path && entry.other == other) ||
               (entry.path == other && entry.other == path);
    });
    if (!names.isEmpty())
        entries.prepend({path, other, names});
    if (entries.size() > kMaxPairings)
        entries.resize(kMaxPairings);
    m_store->remove(kPairingsKey);
    m_store->beginWriteArray(kPairingsKey, static_cast<int>(entries.size()));
    for (int i = 0; i < entries.size(); ++i) {
        m_store->setArrayIndex(i);
        m_store->setValue(u"path"_s, entries[i].path);
        m_store->setValue(u"other"_s, entries[i].other);
        m_store->setValue(u"names"_s, entries[i].names);
    }
    m_store->endArray();
}

ThemeChoice Settings::theme() const
{
    if (m_theme)
        return *m_theme;
    const QString name = m_store->value(kThemeKey).toString();
    if (name == "light"_L1)
        return ThemeChoice::Light;
    return name == "dark"_L1 ? ThemeChoice::Dark : ThemeChoice::System;
}

void Settings::setTheme(ThemeChoice choice)
{
    m_theme.reset();
    const auto name = [choice] {
        switch (choice) {
        case ThemeChoice::Light: return u"light"_s;
        case ThemeChoice::Dark: return u"dark"_s;
        case ThemeChoice::System: break;
        }
        return u"system"_s;
    };
    m_store->setValue(kThemeKey, name());
}

int Settings::fontStep() const
{
    return std::clamp(m_store->value(kFontKey, 0).toInt(), -4, 12);
}

void Settings::setFontStep(int step)
{
    m_store->setValue(kFontKey, std::clamp(step, -4, 12));
}

QByteArray Settings::layoutState(const QString &layout, const QStringList &docks) const
{
    if (m_store->value(docksKey(layout)).toStringList() != docks)
        return {};
    return m_store->value(stateKey(layout)).toByteArray();
}

void Settings::setLayoutState(const QString &layout, const QStringList &docks,
                              const QByteArray &state)
{
    m_store->setValue(docksKey(layout), docks);
    m_store->setValue(stateKey(layout), state);
}

void Settings::forgetLayout(const QString &layout)
{
    m_store->remove(docksKey(layout));
    m_store->remove(stateKey(layout));
}

QString Settings::tableColumns(const QString &table) const
{
    return m_store->value(kColumnsGroup + table).toString();
}

void Settings::setTableColumns(const QString &table, const QString &columns)
{
    if (columns.isEmpty())
        m_store->remove(kColumnsGroup + table);
    else
        m_store->setValue(kColumnsGroup + table, columns);
}

} // namespace kernscope::app
