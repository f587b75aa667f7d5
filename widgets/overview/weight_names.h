// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/weight_texts.h"
#include "widgets/common/session.h"
#include "widgets/common/task_manager.h"
#include "widgets/common/text_list.h"

#include <QObject>

#include <memory>

namespace kernscope::ui {

/// The short names of the open bundle's weights, which the docks share. One a session. Those of
/// many weights are made by a task: until then they are whole.
class WeightNames final : public QObject
{
    Q_OBJECT

public:
    /// How many weights have their short names made within a frame.
    static constexpr std::size_t kMostAtOnce = 2000;

    static WeightNames &of(Session &session);

    /// By weight, as its function tells it apart: for views that show the functions. Empty where
    /// they are still being made.
    const TextList &namesInFunctions() const { return m_inFunctions; }
    /// The short name, or the whole one until it is known; with its function where weights of
    /// several functions have the same name.
    QString nameOf(std::size_t weight) const;
    /// For filters; null until they are made, and where that takes no time.
    const std::shared_ptr<const WeightTexts> &texts() const { return m_texts; }
    bool working() const { return m_task != nullptr; }

Q_SIGNALS:
    void namesChanged();

private:
    explicit WeightNames(Session &session);
    void rebuild();

    Session &m_session;
    TextList m_names, m_inFunctions;
    std::shared_ptr<const WeightTexts> m_texts;
    TaskPtr m_task;
};

} // namespace kernscope::ui
