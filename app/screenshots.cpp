// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/screenshots.h"

#include "app/bookmarks_dock.h"
#include "app/dock_set.h"
#include "app/main_window.h"
#include "app/notice_area.h"
#include "core/bundle/bundle.h"
#include "core/bundle/element_place.h"
#include "core/codec/decode/decoder.h"
#include "core/container/hwx/container.h"
#include "widgets/common/help_dock.h"
#include "widgets/common/qt.h"
#include "widgets/models/task_manager.h"
#include "widgets/models/theme.h"

namespace kernscope::app {

namespace {

constexpr int kPollMilliseconds = 5;
/// Calm this often in a row counts as done: a finished task may start the next one.
constexpr int kQuietPolls = 4;
constexpr int kStepTimeoutMilliseconds = 60'000;
constexpr double kDockWidth = 60, kDockHeight = 36; // in ems

std::size_t firstWith(const Bundle &bundle, codec::PartRole role)
{
    // A weight of several axes makes the better picture.
    std::size_t found = kNoIndex;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        if (!bundle.weights()[i].has(role))
            continue;
        if (bundle.weights()[i].shape.size() > 1)
            return i;
        found = std::min(found, i);
    }
    return found;
}

} // namespace

ScreenshotRun::ScreenshotRun(MainWindow &window, QString folder, QList<QSize> sizes,
                             QObject *parent)
    : QObject(parent), m_window(window), m_folder(std::move(folder)), m_sizes(std::move(sizes))
{
    m_poll.setInterval(kPollMilliseconds);
    connect(&m_poll, &QTimer::timeout, this, &ScreenshotRun::poll);
    connect(&window.document(), &Document::openFailed, this,
            [this](const QString &path, const Error &error) {
                end(4, u"%1: %2"_s.arg(path, QString::fromStdString(describe(error))));
            });
}

void ScreenshotRun::start(const QStringList &paths)
{
    m_compare = paths.size() > 1;
    if (!QDir().mkpath(m_folder)) {
        end(4, tr("The folder %1 cannot be made.").arg(m_folder));
        return;
    }
    // There is no user who could answer.
    m_window.document().setInterruptedAnswer(Document::Interrupted::Show);
    m_window.openPaths(paths);
    plan();
    m_waited.start();
    m_poll.start();
}

void ScreenshotRun::plan()
{
    planLayout(u"overview"_s, [this] {
        const ui::Place &place = m_window.session().place();
        if (place.weight < m_window.session().bundle()->weights().size())
            m_asked = place; // PATH#weight
        m_window.layouts().show(Layout::Inspect);
        m_window.session().goTo({});
    });
    planLayout(u"inspect"_s, [this] { chooseWeight({}); });
    if (m_compare)
        planLayout(u"compare"_s, [this] { m_window.layouts().show(Layout::Compare); });
    planLayout(u"performance"_s, [this] { m_window.layouts().show(Layout::Performance); });
    // What is opened is known only when the steps run.
    m_steps.push_back([this] {
        if (!isContainer(*m_window.session().bundle()))
            return;
        auto others = std::exchange(m_steps, {});
        planLayout(u"hardware"_s, [this] {
            m_window.layouts().show(Layout::Hardware);
            chooseRegister();
        });
        std::move(others.begin(), others.end(), std::back_inserter(m_steps));
    });
    planLayout(u"patch"_s, [this] {
        m_window.layouts().show(Layout::Patch);
        patchSomething();
    });
    planDocks();
}

/// A picture in every size, each arranged as it comes.
void ScreenshotRun::planLayout(const QString &name, const Step &prepare)
{
    m_steps.push_back(prepare);
    for (const QSize size : std::as_const(m_sizes)) {
        m_steps.push_back([this, name, size] {
            if (m_window.size() != size) {
                m_window.resize(size);
                m_window.layouts().reset();
            }
            if (name == "overview"_L1)
                m_window.docks().dock(u"overview"_s)->raise();
            if (name == "inspect"_L1)
                m_window.docks().dock(u"weight"_s)->raise();
        });
        // Drawing it may make columns as wide as their numbers: only then is it as one sees it.
        m_steps.push_back([this] { (void)m_window.grab(); });
        m_steps.push_back([this, name, size] { grabWindow(name, size); });
    }
}

void ScreenshotRun::planDocks()
{
    m_steps.push_back([this] { m_window.docks().bookmarks()->addHere(); }); // so that there is one
    for (const QString &id : m_window.docks().ids()) {
        m_steps.push_back([this, id] {
            ui::Dock *dock = m_window.docks().dock(id);
            chooseWeight(id);
            dock->setFloating(true);
            dock->resize(ui::theme::em(dock, kDockWidth), ui::theme::em(dock, kDockHeight));
            dock->show();
        });
        // Drawing it may make columns as wide as their numbers: only then is it as one sees it.
        m_steps.push_back([this, id] { (void)m_window.docks().dock(id)->grab(); });
        m_steps.push_back([this, id] { grabDock(id); });
    }
}

void ScreenshotRun::poll()
{
    m_quietPolls = settled() ? m_quietPolls + 1 : 0;
    if (m_quietPolls < kQuietPolls && m_waited.elapsed() < kStepTimeoutMilliseconds)
        return;
    if (!m_window.document().isOpen()) {
        end(4, tr("Nothing was opened in time."));
        return;
    }
    if (m_steps.empty()) {
        end(0, {});
        return;
    }
    const Step step = std::move(m_steps.front());
    m_steps.pop_front();
    m_quietPolls = 0;
    m_waited.restart();
    step();
}

bool ScreenshotRun::settled() const
{
    if (m_window.document().busy() != Document::Busy::Idle || !m_window.session().tasks().idle())
        return false;
    for (const DockSet::Entry &entry : m_window.docks().entries()) {
        if (entry.dock->isVisible() && entry.dock->busy())
            return false;
    }
    return true;
}

void ScreenshotRun::chooseWeight(const QString &dock)
{
    const Bundle &bundle = *m_window.session().bundle();
    using codec::PartRole;
    if (m_asked &&
        (dock != "codebook"_L1 || bundle.weights()[m_asked->weight].has(PartRole::Lut))) {
        m_window.session().goTo(*m_asked);
        return;
    }
    const std::array<PartRole, 2> roles = dock == "codebook"_L1
                                              ? std::array{PartRole::Lut, PartRole::Mask}
                                              : std::array{PartRole::Mask, PartRole::Lut};
    for (const PartRole role : roles) {
        if (const std::size_t weight = firstWith(bundle, role); weight != kNoIndex) {
            m_window.session().goToWeight(weight);
            return;
        }
    }
    if (!bundle.weights().empty())
        m_window.session().goToWeight(0);
}

/// The last word of the first task's header: the inspector shows a register.
void ScreenshotRun::chooseRegister()
{
    const auto &hardware = m_window.session().bundle()->hardware();
    if (!hardware || hardware->taskCount() == 0)
        return;
    for (const hwx::Text &text : hardware->texts) {
        const hwx::SegmentSection *section = hardware->section(text.section);
        if (!section || !section->bytes || text.tasks->tasks.empty())
            continue;
        const descriptor::Task &task = text.tasks->tasks.front();
        const std::uint64_t word =
            section->bytes->offset.value + task.offset + 4ULL * (task.headerWords - 1);
        m_window.session().goToBytes(0, {FileOffset(word), ByteCount(4)});
        return;
    }
}

void ScreenshotRun::patchSomething()
{
    ui::Session &session = m_window.session();
    const std::size_t index = session.place().weight;
    if (index >= session.bundle()->weights().size())
        return;
    const Weight &weight = session.bundle()->weights()[index];
    const auto decoder = session.bundle()->decoder(index);
    if (!decoder)
        return;
    // The first stored element is one that every form can change.
    std::uint64_t element = 0;
    constexpr std::uint64_t kLookAt = 100'000;
    const std::uint64_t end = std::min(weight.elements.value, kLookAt);
    while (element < end && !decoder->stored(element))
        ++element;
    if (element == end)
        return;
    Edit edit;
    edit.weight = weight.findableName();
    for (const std::uint64_t at : elementPlace(weight.shape, element))
        edit.indices.push_back({at, at + 1, false, true});
    edit.value = 0.25;
    session.setPatchingEnabled(true);
    session.requestEdits({edit}, {});
    ui::Place place;
    place.weight = index;
    place.element = element;
    if (!session.patches().empty() && !session.patches().back().edit->bytes.empty()) {
        const FileEdit &run = session.patches().back().edit->bytes.front();
        place.file = run.file;
        place.bytes = ByteRange{run.offset, ByteCount(run.after.size())};
    }
    session.goTo(place);
    m_window.notices().clear();
}

void ScreenshotRun::grabWindow(const QString &name, QSize size)
{
    const QString folder = u"%1x%2"_s.arg(size.width()).arg(size.height());
    const bool several = m_sizes.size() > 1;
    if (several && !QDir(m_folder).mkpath(folder)) {
        end(4, tr("The folder %1 cannot be made.").arg(QDir(m_folder).filePath(folder)));
        return;
    }
    write(m_window.grab(), (several ? folder + QLatin1Char('/') : QString()) + u"window-"_s + name);
}

void ScreenshotRun::grabDock(const QString &id)
{
    ui::Dock *dock = m_window.docks().dock(id);
    write(dock->grab(), u"dock-"_s + id);
    dock->hide();
}

void ScreenshotRun::write(const QPixmap &picture, const QString &name)
{
    const QString file = QDir(m_folder).filePath(name + u".png"_s);
    if (!picture.save(file, "PNG"))
        end(4, tr("%1 cannot be written.").arg(file));
}

void ScreenshotRun::end(int exitCode, const QString &reason)
{
    if (m_ended)
        return;
    m_ended = true;
    m_poll.stop();
    m_steps.clear();
    Q_EMIT finished(exitCode, reason);
}

} // namespace kernscope::app

#include "moc_screenshots.cpp"
