// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/bundle_findings.h"
#include "core/container/mil/program.h"
#include "widgets/common/session.h"

#include <QWidget>

#include <memory>

class QGridLayout;
class QLabel;

namespace kernscope::ui {

class ChipBars;
class ShareBar;

/// What the inspector says of a whole bundle: bytes by form as a bar and as rows, what crosses on
/// the chips, files, inputs and outputs of its program; then what one may do with it next.
class BundleFacts : public QWidget
{
    Q_OBJECT

public:
    explicit BundleFacts(Session &session, QWidget *parent = nullptr);

    void setBundle(const BundlePtr &bundle);
    const ShareBar &forms() const { return *m_forms; }
    const ChipBars &chips() const { return *m_chips; }

Q_SIGNALS:
    /// A link at the end was followed: "compare", "plan" or "report".
    void nextRequested(const QString &what);

private:
    void addForms(const Bundle &bundle);
    void addFiles(const Bundle &bundle);
    void addProgram(const mil::Program &program);
    QLabel *addRow(const QString &name, const QString &value);
    void addHeading(const QString &text);

    /// Of the bundle that was shown last: one comes back to it with every place without a weight.
    std::weak_ptr<const Bundle> m_summed;
    BundleSums::Forms m_sums;
    ShareBar *m_forms = nullptr;
    ChipBars *m_chips = nullptr;
    QWidget *m_body = nullptr;
    QWidget *m_more = nullptr; ///< under the chips
    QGridLayout *m_rows = nullptr;
};

} // namespace kernscope::ui
