// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/change_applier.h"

#include "core/base/error_builder.h"
#include "core/base/files.h"
#include "core/bundle/bundle.h"
#include "widgets/models/table_text.h"

#include <QFile>
#include <QFileInfo>

#include <utility>

namespace kernscope::app {

namespace {

struct ReadScript {
    patch::ScriptOrigin origin;
    std::vector<Edit> edits;
};

Result<ReadScript> readScript(const QString &path, const BundlePtr &bundle)
{
    const auto text = readSmallFile(QFile::encodeName(path).toStdString(), patch::kMostScriptBytes);
    if (!text)
        return tl::unexpected(text.error());
    const std::string name = path.toStdString();
    ReadScript script{patch::scriptOrigin(*text), {}};
    auto edits = parseEditScript(*text, name);
    if (!edits)
        return tl::unexpected(std::move(edits.error()));
    script.edits = *std::move(edits);
    const BundleReadLock lock(*bundle);
    if (auto fits = patch::checkBase(script.origin, *bundle, name); !fits)
        return tl::unexpected(std::move(fits.error()));
    return script;
}

} // namespace

ChangeApplier::ChangeApplier(ui::Session &session, QObject *parent)
    : QObject(parent), m_session(session)
{
    connect(&session, &ui::Session::bytesChanged, this, &ChangeApplier::checkResult);
    const auto forget = [this] { m_path.clear(); };
    connect(&session, &ui::Session::editsRefused, this, forget);
    connect(&session, &ui::Session::bundleChanged, this, forget);
}

void ChangeApplier::apply(const QString &path)
{
    const BundlePtr bundle = m_session.bundle();
    if (!bundle)
        return;
    if (m_task)
        m_task->cancel();
    m_path.clear();
    m_task = m_session.tasks().start(
        this, tr("Reading %1").arg(QFileInfo(path).fileName()),
        [path, bundle](Progress &) { return readScript(path, bundle); },
        [this, path, bundle](Result<ReadScript> script) {
            m_task = nullptr;
            if (!script)
                Q_EMIT failed(script.error());
            else if (m_session.bundle() == bundle)
                request(path, script->origin, std::move(script->edits));
        });
}

void ChangeApplier::request(const QString &path, const patch::ScriptOrigin &origin,
                            std::vector<Edit> edits)
{
    if (edits.empty()) {
        Q_EMIT applied(path, false);
        return;
    }
    m_origin = origin;
    m_path = path;
    m_session.requestEdits(std::move(edits),
                           tr("Changes of %1").arg(ui::shown(QFileInfo(path).fileName())));
}

void ChangeApplier::checkResult()
{
    if (m_path.isEmpty())
        return;
    const QString path = std::exchange(m_path, QString());
    if (m_origin.result.empty()) {
        Q_EMIT applied(path, false);
        return;
    }
    m_task = m_session.tasks().start(
        this, tr("Checking the result"),
        [path, origin = m_origin, bundle = m_session.bundle()](Progress &) {
            const BundleReadLock lock(*bundle);
            return patch::checkResult(origin, *bundle, path.toStdString());
        },
        [this, path](const Result<void> &result) {
            m_task = nullptr;
            if (result)
                Q_EMIT applied(path, true);
            else
                Q_EMIT failed(result.error());
        });
}

} // namespace kernscope::app

#include "moc_change_applier.cpp"
