// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "core/report/program_table.h"
#include "widgets/common/dock.h"
#include "widgets/models/row_table_model.h"
#include "widgets/models/task_manager.h"
#include "widgets/program/graph_view.h"

namespace kernscope::ui {

/// What is drawn, a row a box: the twin of the drawing.
using GraphModel = RowTable<report::GraphRow>;

/// What is around an operation or a weight of the program, drawn: a few values away, repeated
/// blocks as one box. Follows the common position: what is drawn already is picked, anything else
/// becomes the centre of another drawing.
class GraphDock final : public Dock
{
    Q_OBJECT

public:
    explicit GraphDock(Session &session, QWidget *parent = nullptr);

    GraphView &view() { return *m_view; }
    GraphModel &model() { return *m_model; }
    QTableView &table() { return *m_table; }
    /// Draws what is around nodes of the graph.
    void centreOn(std::vector<std::size_t> nodes);
    /// 1 to graph::kMostHops, or kWhole: all that hangs together with the inputs of the function.
    static constexpr unsigned kWhole = graph::kMostHops + 1;
    void setHops(unsigned hops);
    /// The drawing as SVG, and in the language of Graphviz; off the GUI thread.
    void exportSvg(const QString &path);
    void exportDot(const QString &path);

protected:
    void refresh() override;
    void follow(const Place &place, QObject *origin) override;
    void changeEvent(QEvent *event) override;

private:
    static constexpr std::size_t kDrawnAtFirst = 80, kDrawnMore = 120; ///< boxes

    enum class Flow : std::uint8_t { AsTheRoom, Right, Down };
    /// What a drawing shows, for going back.
    struct Visit {
        std::vector<std::size_t> centres;
        std::set<std::size_t> opened;
    };

    void buildHeader();
    void buildActions();
    void buildViewActions();
    void connectParts();
    void showGraph(graph::GraphPtr graph);
    void draw();
    void arrange(std::shared_ptr<const graph::Neighbourhood> drawn);
    void showScene(GraphScenePtr scene);
    void sayWhatIsDrawn();
    void leadThere(std::size_t unit);
    void activate(std::size_t unit);
    void showRow(std::size_t unit);
    void goBackHere();
    void showWeight();
    void showInHex();
    void showTable(bool table);
    void askAndExport(bool svg);
    void writeExport(const QString &path, std::function<Result<std::string>(Progress &)> make);
    bool rightwards() const; ///< by the room alone
    /// The one node that a box stands for; kNone: several.
    std::size_t nodeOf(std::size_t unit) const;
    std::size_t nodeAt(const Place &place) const;

    GraphView *m_view = nullptr;
    GraphModel *m_model = nullptr;
    QTableView *m_table = nullptr;
    QStackedWidget *m_pages = nullptr;
    QComboBox *m_hopsBox = nullptr, *m_functions = nullptr;
    QLabel *m_said = nullptr;
    QAction *m_fold = nullptr, *m_asTable = nullptr;
    graph::GraphPtr m_graph;
    std::vector<std::size_t> m_centres;
    std::set<std::size_t> m_opened; ///< repeats that are drawn in full
    std::vector<Visit> m_visited;
    std::size_t m_picked = graph::kNone; ///< node that is picked, kept over drawings
    std::size_t m_limit = kDrawnAtFirst;
    unsigned m_hops = 2;
    Flow m_flow = Flow::AsTheRoom;
    Job m_task{session().tasks(), this};
    bool m_drawnRight = false; ///< rightwards() of what is drawn
};

} // namespace kernscope::ui
