// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "app/document.h"
#include "widgets/models/task_manager.h"

#include <memory>
#include <type_traits>

namespace kernscope::app {

/// Private to Document's sources. TaskManager drops the result of a cancelled task; a document has
/// to know how it ended, so the work posts it itself.
template <class Work, class Done>
void Document::run(Busy busy, const QString &title, Work work, Done done)
{
    using T = std::invoke_result_t<Work, Progress &>;
    setBusy(busy);
    m_session.tasks().start(
        this, title,
        [this, work = std::move(work), done = std::move(done)](Progress &progress) {
            std::shared_ptr<T> result;
            try {
                result = std::make_shared<T>(work(progress));
            } catch (...) { // TaskManager says it
                QMetaObject::invokeMethod(this, &Document::abandon, Qt::QueuedConnection);
                throw;
            }
            const bool stopped = progress.cancelled();
            QMetaObject::invokeMethod(
                this,
                [this, result, stopped, done] {
                    setBusy(Busy::Idle);
                    done(*result, stopped);
                },
                Qt::QueuedConnection);
            return true;
        },
        [](bool) {});
}

} // namespace kernscope::app
