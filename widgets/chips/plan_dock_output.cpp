// SPDX-License-Identifier: GPL-3.0-or-later
// The plan dock's actions, and what it writes.
#include "core/bundle/bundle.h"
#include "core/patch/patch.h"
#include "core/report/plan_report.h"
#include "widgets/chips/front_plot.h"
#include "widgets/chips/plan_dock.h"
#include "widgets/common/dock_tools.h"
#include "widgets/common/file_dialogs.h"
#include "widgets/common/table_text.h"

#include <QAction>
#include <QComboBox>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QTableView>

#include <nlohmann/json.hpp>

namespace kernscope::ui {

void PlanDock::buildActions()
{
    auto *again =
        dockAction(this, tr("Plan Again"), Qt::CTRL | Qt::Key_Return, [this] { start(); });
    auto *form = dockAction(this, tr("Form by Hand"), Qt::Key_F2, [this] {
        m_form->setFocus(Qt::ShortcutFocusReason);
        m_form->showPopup();
    });
    auto *release = dockAction(this, tr("Leave All Forms to the Plan"), {}, [this] {
        m_forced.clear();
        planAgain();
    });
    auto *back = dockAction(this, tr("Show the Plan Again"), {}, [this] {
        m_showsPoint = false;
        if (m_survey && m_plan)
            showChoice(m_plan->choice, m_plan->after);
    });
    auto *activations = dockAction(this, tr("Statistics of Activations\u2026"), {}, [this] {
        askForFile(tr("Mean Squares of Input Channels"), tr("NumPy archives (*.npz)"),
                   m_activations);
    });
    auto *sensitivity = dockAction(this, tr("Sensitivities\u2026"), {}, [this] {
        askForFile(tr("Sensitivities of Weights"), tr("Tables (*.csv)"), m_sensitivity);
    });
    auto *write = dockAction(this, tr("Write Planned Bundle\u2026"),
                             Qt::CTRL | Qt::SHIFT | Qt::Key_W, [this] { askAndWrite(); });
    auto *report =
        dockAction(this, tr("Save Report of the Plan\u2026"), {}, [this] { askAndReport(); });
    auto *copy =
        dockAction(this, tr("Copy Rows"), QKeySequence::Copy, [this] { copySelection(*m_table); });
    auto *save = exportAction(this, session(), tr("Export Planned Forms\u2026"), *m_model,
                              QStringLiteral("plan"));
    m_actions = {again, form, release, back, activations, sensitivity, write, report, copy, save};
    m_table->addActions(m_actions);
    m_actions += m_plot->plotActions();
}

void PlanDock::askForFile(const QString &title, const QString &kinds, QString &path)
{
    const QString chosen = askOpenPath(this, title, kinds, path);
    if (chosen.isEmpty())
        return;
    path = chosen;
    start();
}

void PlanDock::askAndWrite()
{
    if (!m_survey || m_choice.empty() || !m_write->isEnabled())
        return;
    const auto &source = session().bundle()->path();
    const QString path = askSavePath(this, tr("Write the Planned Bundle"),
                                     fromUtf8(source.stem().string()) + QStringLiteral("-planned") +
                                         fromUtf8(source.extension().string()));
    if (!path.isEmpty())
        writeTo(path);
}

void PlanDock::writeTo(const QString &path)
{
    const BundlePtr bundle = session().bundle();
    if (!bundle || !m_survey || m_choice.empty())
        return;
    if (m_task)
        m_task->cancel();
    plan::Limits limits = this->limits();
    if (m_showsPoint) {
        // Exactly the forms that are shown, whatever the limits are.
        limits.forced.clear();
        limits.maxBytes.reset();
        for (std::size_t r = 0; r < m_choice.size(); ++r) {
            const plan::Row &row = m_survey->rows[r];
            if (row.candidates)
                limits.forced.emplace_back(m_survey->names[r],
                                           (*row.candidates)[m_choice[r]]->name);
        }
    }
    m_told->setText(tr("Writing\u2026"));
    m_task = session().tasks().start(
        this, tr("Writing the planned bundle"),
        [bundle, survey = m_survey, options = *m_options, limits,
         path](Progress &progress) mutable {
            options.progress = &progress;
            limits.progress = &progress;
            auto planned = plan::solve(*survey, limits);
            if (!planned)
                return fromUtf8(describe(planned.error()));
            const auto made =
                plan::carryOut(*bundle, options, *survey, limits, std::move(*planned));
            if (!made)
                return fromUtf8(describe(made.error()));
            const CopyOptions copy{false, bundle->path()}; // other files, links, permissions
            const auto saved =
                saveCopy(*made->bundle, std::filesystem::path(path.toStdString()), &progress, copy);
            return saved ? QString() : fromUtf8(describe(saved.error()));
        },
        [this, path](const QString &fault) {
            m_task = nullptr;
            m_told->setText(
                fault.isEmpty() ? tr("Written, decoded and assessed again: %1").arg(path) : fault);
            Q_EMIT session().statusMessage(m_told->text());
            Q_EMIT written(path, fault);
        });
}

QString PlanDock::saveReport(const QString &path) const
{
    if (!m_survey || m_choice.empty())
        return tr("There is no plan to report.");
    plan::Plan shown = m_plan.value_or(plan::Plan());
    if (m_showsPoint || !m_plan) {
        shown.choice = m_choice;
        shown.before = m_before;
        shown.after = m_after;
        shown.why.assign(m_choice.size(), "a point of the front");
        shown.proven = false;
    }
    const plan::Limits limits = this->limits();
    report::PlanSubject subject;
    subject.bundle = session().bundle()->name();
    subject.survey = m_survey.get();
    subject.plan = &shown;
    subject.limits = &limits;
    if (m_build)
        subject.builds.push_back(*m_build);
    const QString ending = QStringLiteral(".") + QFileInfo(path).suffix().toLower();
    const std::string text = report::planReport(ending.toStdString(), subject);
    return writeTextFile(path, QString::fromStdString(text));
}

void PlanDock::askAndReport()
{
    if (!m_survey)
        return;
    const QString path =
        askSavePath(this, tr("Save Report of the Plan"), QStringLiteral("plan.html"),
                    tr("Web page (*.html);;Markdown (*.md);;JSON (*.json);;Table (*.csv)"));
    if (path.isEmpty())
        return;
    const QString fault = saveReport(path);
    Q_EMIT session().statusMessage(fault.isEmpty() ? tr("Saved: %1").arg(path) : fault);
}

} // namespace kernscope::ui
