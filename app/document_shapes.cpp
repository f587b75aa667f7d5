// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes of the inputs that a program leaves open: the defaults of its model, or those that are
// given.
#include "app/document.h"
#include "core/bundle/bundle.h"

#include "app/document_run.h"
#include "core/base/error_builder.h"
#include "core/bundle/shapes/described.h"
#include "core/bundle/shapes/tensor.h"
#include "widgets/common/table_text.h"

#include <QUndoStack>

#include <utility>

namespace kernscope::app {

namespace {

std::vector<shapes::ShapeBinding> bindingsOf(const BundlePtr &bundle)
{
    return bundle && bundle->shapeBindings() ? *bundle->shapeBindings()
                                             : std::vector<shapes::ShapeBinding>();
}

QString boundText(const shapes::Summary &summary)
{
    QString text = Document::tr("With %1: %2 of %3 open shapes follow.")
                       .arg(Document::shapesText(summary.bound))
                       .arg(summary.inferred)
                       .arg(summary.open);
    if (!summary.unknown.empty())
        text += Document::tr(" The others are behind %1 (%2): %3.")
                    .arg(ui::fromUtf8(summary.unknown.front().operation),
                         ui::fromUtf8(summary.unknown.front().type),
                         ui::fromUtf8(summary.unknown.front().reason));
    return text;
}

} // namespace

QString Document::shapesText(const std::vector<shapes::ShapeBinding> &bindings)
{
    QStringList bound;
    for (const shapes::ShapeBinding &each : bindings)
        bound << QStringLiteral("%1 = %2").arg(ui::fromUtf8(each.input),
                                               ui::fromUtf8(shapes::dimsText(each.dims)));
    return bound.join(QStringLiteral(", "));
}

Document::Source Document::shownSource() const
{
    return {m_path, m_memory, bindingsOf(m_session.bundle())};
}

Document::Source Document::otherSource() const
{
    return {m_otherPath, m_otherMemory, bindingsOf(m_session.other())};
}

void Document::bindOpened(Opened &opened, const Source &source)
{
    if (!opened.bundle)
        return;
    opened.inputs = opened.bundle->openInputs();
    std::vector<shapes::ShapeBinding> bindings;
    if (source.bindings)
        bindings = *source.bindings;
    else if (!opened.inputs.empty())
        bindings = shapes::describedShapes(*opened.bundle->program());
    if (bindings.empty())
        return;
    auto bound = kernscope::bindShapes(*opened.bundle, bindings);
    if (bound)
        opened.bundle = std::move(bound->bundle);
    else if (source.bindings)
        opened.shapesFault = std::move(bound.error());
}

void Document::bindShapes(std::vector<shapes::ShapeBinding> bindings)
{
    if (!isOpen() || (bindings.empty() && !m_session.bundle()->shapeBindings()))
        return;
    if (m_busy != Busy::Idle) {
        Q_EMIT shapesRefused(
            ErrorBuilder("shapes.busy").message("Wait for what is running, or cancel it"));
        return;
    }
    const BundlePtr base = m_session.bundle();
    run(
        Busy::Binding, tr("Working out shapes"),
        [base, bindings](Progress &) {
            const BundleReadLock lock(*base);
            return kernscope::bindShapes(*base, bindings);
        },
        [this, base, index = m_session.undoStack().index()](Result<BoundShapes> &bound,
                                                            bool stopped) {
            if (stopped) {
                Q_EMIT cancelled(Busy::Binding);
            } else if (!bound) {
                Q_EMIT shapesRefused(bound.error());
            } else if (stillFits(base, index)) {
                m_session.updateBundle(bound->bundle);
                Q_EMIT shapesBound(bound->bundle->shapeBindings() ? boundText(bound->summary)
                                                                  : QString());
            }
        });
}

} // namespace kernscope::app
