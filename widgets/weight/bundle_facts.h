// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/assessment/bundle_findings.h"
#include "core/container/mil/program.h"
#include "widgets/common/qt_fwd.h"
#include "widgets/models/session.h"

#include <QWidget>

namespace kernscope::ui {

class ChipState;
struct AlikeChips;

/// The bytes of the bundle's weights that are read per call, a bar for each figure that chips
/// have in common: one row says the chips, the bar and the bytes. The chip that the docks judge by
/// stands first, and each row is a link that chooses its first chip.
class ChipBars final : public QWidget
{
    Q_OBJECT

public:
    explicit ChipBars(Session &session, QWidget *parent = nullptr);

private:
    void showRows();
    void addNote(const QString &text);
    void addRow(int row, const AlikeChips &group, std::uint64_t most);

    Session &m_session;
    ChipState &m_state;
    QPointer<QWidget> m_body;
};

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
    void addFeatures(const Bundle &bundle);
    void addProgram(const mil::Program &program);
    QLabel *addRow(const QString &name, const QString &value, const QString &tip = {});
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
