// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "made_bundle.h"
#include "window_fixture.h"

namespace kernscope::test {

/// A document over a session of its own, and a folder for copies: made anew for each test.
class DocumentFixture : public QObject
{
    Q_OBJECT

protected:
    /// Of init().
    void begin()
    {
        m_document.reset();
        m_session = std::make_unique<ui::Session>();
        m_document = std::make_unique<app::Document>(*m_session);
        m_folder = std::make_unique<QTemporaryDir>();
    }

    bool open(const QString &path, const QString &other = {});

    /// Writes a build of the sample to m_path, whose content is m_before, opens and unlocks it.
    bool openSample(const QString &build);
    bool wait()
    {
        return QTest::qWaitFor([this] { return m_document->busy() == app::Document::Busy::Idle; },
                               60'000);
    }

    /// Saves in place and waits for the end.
    bool save(bool backup = false);
    void edit(std::size_t weight, std::uint64_t element, double value);
    const Bundle &bundle() const { return *m_session->bundle(); }

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<ui::Session> m_session;
    std::unique_ptr<app::Document> m_document;
    QString m_path;
    FileBytes m_before;
};
inline bool DocumentFixture::open(const QString &path, const QString &other)
{
    m_document->open(path, other);
    return wait() && m_document->isOpen() && m_document->path() == path;
}

inline bool DocumentFixture::openSample(const QString &build)
{
    m_path = writeSample(m_folder->path(), build);
    m_before = filesBelow(m_path);
    m_session->setPatchingEnabled(open(m_path));
    return m_session->patchingEnabled();
}

inline bool DocumentFixture::save(bool backup)
{
    m_document->save(backup);
    return wait();
}

inline void DocumentFixture::edit(std::size_t weight, std::uint64_t element, double value)
{
    m_session->requestEdits({setEdit(bundle(), weight, element, value)}, {});
}

} // namespace kernscope::test
