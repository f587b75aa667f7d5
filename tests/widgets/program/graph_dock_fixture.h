// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/core/bundle/made_bundle.h"
#include "tests/widgets/sample_session.h"
#include "widgets/program/graph_dock.h"

namespace kernscope::test {

/// The dock of the drawn graph over a session of its own: made anew for each test.
class GraphDockFixture : public QObject
{
    Q_OBJECT

protected:
    /// Of init() and of cleanup().
    void begin()
    {
        m_session = std::make_unique<ui::Session>();
        m_dock = std::make_unique<ui::GraphDock>(*m_session);
    }

    /// x, then blocks of relu, linear and add, then head.
    void end()
    {
        m_dock.reset();
        m_session.reset();
    }

    static BundlePtr chain(int blocks)
    {
        MadeBundle made;
        std::string from = "x";
        for (int i = 0; i < blocks; ++i) {
            const std::string n = std::to_string(i);
            made.weight("w" + n, "[4, 4]", Bytes(32, static_cast<std::byte>(i)));
            made.line("tensor<fp16, [1, 4]> a" + n + " = relu(x = " + from + ")[name = string(\"a" +
                      n + "\")]");
            made.line("tensor<fp16, [1, 4]> b" + n + " = linear(weight = w" + n + ", x = a" + n +
                      ")[name = string(\"b" + n + "\")]");
            made.line("tensor<fp16, [1, 4]> c" + n + " = add(x = " + from + ", y = b" + n +
                      ")[name = string(\"c" + n + "\")]");
            from = "c" + n;
        }
        made.line("tensor<fp16, [1, 4]> head = softmax(x = " + from + ")[name = string(\"head\")]");
        made.result = "head";
        return made.open().value_or(nullptr);
    }

    ui::GraphView &view() { return m_dock->view(); }

    /// Shows the dock with a bundle, and waits until its program is drawn.
    bool shows(BundlePtr bundle, QSize size = {900, 700})
    {
        return showDock(*m_dock, *m_session, std::move(bundle), size) && ready();
    }

    bool ready() { return settle(*m_dock) && m_dock->showsContent() && view().scene(); }

    std::size_t unit(const char *name) const
    {
        const ui::GraphScenePtr &scene = m_dock->view().scene();
        for (std::size_t u = 0; u < scene->drawn->units.size(); ++u) {
            const graph::DrawnUnit &of = scene->drawn->units[u];
            if (of.kind == graph::DrawnUnit::Kind::Node &&
                scene->drawn->graph->nodes()[of.nodes.front()].kind != graph::NodeKind::Output &&
                scene->drawn->graph->name(of.nodes.front()) == name)
                return u;
        }
        return graph::kNone;
    }

    QString currentName() const
    {
        const ui::GraphView &view = m_dock->view();
        if (view.current() == graph::kNone)
            return {};
        const graph::DrawnUnit &of = view.scene()->drawn->units[view.current()];
        return of.kind == graph::DrawnUnit::Kind::Node
                   ? QString::fromStdString(view.scene()->drawn->graph->name(of.nodes.front()))
                   : QStringLiteral("several");
    }

    QPoint middle(std::size_t of) { return view().viewRect(of).center().toPoint(); }

    std::unique_ptr<ui::Session> m_session;
    std::unique_ptr<ui::GraphDock> m_dock;
};
} // namespace kernscope::test
