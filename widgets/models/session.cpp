// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/models/session.h"

#include "core/bundle/bundle.h"
#include "core/search/place.h"
#include "widgets/models/task_manager.h"

#include <QUndoStack>

namespace kernscope::ui {

namespace {

constexpr std::size_t kMaxHistory = 200;

} // namespace

Session::Session(QObject *parent)
    : QObject(parent), m_saving(std::make_shared<std::atomic<bool>>(false)),
      m_tasks(new TaskManager(this)), m_undoStack(new QUndoStack(this))
{
    connect(m_tasks, &TaskManager::resultDropped, this, &Session::checkFiles);
}

Session::~Session()
{
    // Tasks hold bundles and deliver to docks: both must be gone before this object is.
    m_tasks->quiesce();
}

void Session::setBundle(BundlePtr bundle)
{
    m_tasks->quiesce();
    m_bundle = std::move(bundle);
    watchResults();
    m_place = {};
    m_history.assign(m_bundle ? 1 : 0, Place()); // the overview, to which one goes back
    m_historyAt = 0;
    m_patches.clear();
    Q_EMIT bundleChanged();
    Q_EMIT historyChanged();
    Q_EMIT patchesChanged();
}

void Session::setOther(BundlePtr bundle)
{
    m_other = std::move(bundle);
    watchResults();
    Q_EMIT otherChanged();
}

void Session::updateBundle(BundlePtr bundle)
{
    m_bundle = std::move(bundle);
    watchResults();
    Q_EMIT bytesChanged();
}

void Session::watchResults()
{
    m_tasks->setResultsHold([a = m_bundle, b = m_other, saving = m_saving] {
        return *saving || ((!a || a->checkUnchanged()) && (!b || b->checkUnchanged()));
    });
    checkFiles();
}

void Session::checkFiles()
{
    if (*m_saving)
        return;
    std::optional<Error> fault;
    for (const BundlePtr &bundle : {m_bundle, m_other}) {
        if (!bundle || fault)
            continue;
        if (auto same = bundle->checkUnchanged(); !same)
            fault = std::move(same.error());
    }
    const bool news = fault.has_value() != m_filesFault.has_value();
    m_filesFault = std::move(fault);
    if (news)
        Q_EMIT filesHoldChanged(filesHold());
}

void Session::setSaving(bool saving)
{
    *m_saving = saving;
    if (!saving)
        checkFiles();
}

void Session::goTo(Place place, QObject *origin)
{
    if (!m_bundle)
        return;
    complete(place);
    if (place == m_place) {
        Q_EMIT placeConfirmed(origin);
        return;
    }
    if (m_historyAt + 1 < m_history.size())
        m_history.resize(m_historyAt + 1);
    m_history.push_back(place);
    if (m_history.size() > kMaxHistory)
        m_history.erase(m_history.begin());
    m_historyAt = m_history.size() - 1;
    moveTo(place, origin);
}

void Session::goToWeight(std::size_t weight, QObject *origin)
{
    Place place;
    place.weight = weight;
    goTo(place, origin);
}

void Session::goToElement(std::size_t weight, std::uint64_t element, QObject *origin)
{
    Place place;
    place.weight = weight;
    place.element = element;
    goTo(place, origin);
}

void Session::goToBytes(std::size_t file, ByteRange range, QObject *origin)
{
    Place place;
    place.file = file;
    place.bytes = range;
    goTo(place, origin);
}

void Session::goToSection(std::size_t section, QObject *origin)
{
    Place place;
    place.section = section;
    goTo(place, origin);
}

void Session::goBack()
{
    if (!canGoBack())
        return;
    --m_historyAt;
    moveTo(m_history[m_historyAt], nullptr);
}

void Session::goForward()
{
    if (!canGoForward())
        return;
    ++m_historyAt;
    moveTo(m_history[m_historyAt], nullptr);
}

void Session::goToHistory(std::size_t index)
{
    if (index >= m_history.size() || index == m_historyAt)
        return;
    m_historyAt = index;
    moveTo(m_history[index], nullptr);
}

void Session::setPatchingEnabled(bool enabled)
{
    if (std::exchange(m_patchingEnabled, enabled) == enabled)
        return;
    Q_EMIT patchingEnabledChanged(enabled);
}

void Session::requestEdits(std::vector<Edit> edits, const QString &title)
{
    Q_EMIT editsRequested(edits, title);
}

void Session::setPatches(std::vector<PatchEntry> patches)
{
    m_patches = std::move(patches);
    Q_EMIT patchesChanged();
}

void Session::complete(Place &place) const
{
    const auto &sections = m_bundle->sections();
    if (place.bytes && place.file < m_bundle->files().size()) {
        if (place.section == kNoIndex)
            place.section = m_bundle->sectionAt(place.file, place.bytes->offset);
    } else if (place.section == kNoIndex) {
        if (const auto own = search::bytesOfWeight(*m_bundle, place.weight)) {
            place.section = m_bundle->sectionAt(own->file, own->range.offset);
            // What the program writes is a part of its section.
            if (place.section == kNoIndex || sections[place.section].weight == kNoIndex) {
                place.file = own->file;
                place.bytes = own->range;
            }
        }
    }
    if (place.section < sections.size()) {
        const Section &section = sections[place.section];
        if (place.file == kNoIndex)
            place.file = section.file;
        if (!place.bytes)
            place.bytes = section.range;
        if (place.weight == kNoIndex)
            place.weight = section.weight;
    }
}

void Session::moveTo(const Place &place, QObject *origin)
{
    m_place = place;
    Q_EMIT placeChanged(m_place, origin);
    Q_EMIT historyChanged();
}

} // namespace kernscope::ui

#include "moc_session.cpp"
