// SPDX-License-Identifier: GPL-3.0-or-later
// Text, CSV and JSON of one command say the same figures: every number of a CSV is that of the JSON
// document, and every number of the text is that of the CSV, rounded.
#include "cli_process.h"
#include "core/report/decision_table.h"
#include "core/report/encode_table.h"
#include "core/report/pair_table.h"
#include "core/report/plan_table.h"
#include "core/report/weight_detail.h"

using Json = nlohmann::ordered_json;

namespace {

using Cells = QStringList;

/// Lines of a CSV as RFC 4180 has them; no field here has a line break.
std::vector<Cells> csvRows(const QByteArray &text)
{
    std::vector<Cells> rows;
    for (const QString &line : QString::fromUtf8(text).split(u'\n', Qt::SkipEmptyParts)) {
        Cells cells{QString()};
        bool quoted = false;
        for (const QChar c : line) {
            if (c == u'"')
                quoted = !quoted;
            else if (c == u',' && !quoted)
                cells << QString();
            else
                cells.last() += c;
        }
        rows.push_back(cells);
    }
    return rows;
}

/// Cells of a line, which two spaces part, and where each lies in it.
struct TextCell {
    QString text;
    qsizetype begin = 0, end = 0;
};
std::vector<TextCell> textCells(const QString &line)
{
    static const QRegularExpression kCell(u"\\S+(?: \\S+)*"_s);
    std::vector<TextCell> cells;
    for (const auto &match : kCell.globalMatch(line))
        cells.push_back({match.captured(), match.capturedStart(), match.capturedEnd()});
    return cells;
}

/// A number as people read it, and half a step of its last digit.
struct ShownNumber {
    double value = 0, half = 0;
};
std::optional<ShownNumber> shownNumber(const QString &cell)
{
    static const QRegularExpression kNumber(
        u"^(-?[0-9,]+)(?:\\.([0-9]+))?(?:e([+-]?[0-9]+))?( %)?$"_s);
    bool sound = false;
    if (cell.startsWith(u"0x"_s)) {
        const auto number = static_cast<double>(cell.mid(2).toULongLong(&sound, 16));
        return sound ? std::optional(ShownNumber{number, 0}) : std::nullopt;
    }
    const auto match = kNumber.match(cell);
    if (!match.hasMatch())
        return std::nullopt;
    const double scale =
        std::pow(10.0, match.captured(3).toInt()) * (match.captured(4).isEmpty() ? 1.0 : 0.01);
    const QString digits = match.captured(1).remove(u',') + u'.' + match.captured(2) + u'0';
    const double half = 0.5 * std::pow(10.0, -double(match.captured(2).size())) * scale;
    return ShownNumber{digits.toDouble(&sound) * scale, half};
}

/// Where the JSON document has the figure of a column: a key of the row, or a path "a/form".
using JsonPaths = QMap<QString, QString>;

const Json *jsonAt(const Json &row, const QString &path)
{
    const Json *at = &row;
    for (const QString &key : path.split(u'/')) {
        const auto found = at->is_object() ? at->find(key.toStdString()) : at->end();
        if (!at->is_object() || found == at->end())
            return nullptr;
        at = &*found;
    }
    return at;
}

/// Ratios of documents have six places.
bool sameNumber(double csv, double json)
{
    return csv == json || std::abs(std::round(csv * 1e6) / 1e6 - json) < 1e-12;
}

struct Compared {
    int json = 0, text = 0; ///< numbers that were compared
};

void compareJson(const std::vector<Cells> &csv, const Json &rows, const JsonPaths &paths,
                 Compared &compared)
{
    QCOMPARE(rows.size(), csv.size() - 1);
    for (std::size_t r = 0; r < rows.size(); ++r) {
        for (qsizetype column = 0; column < csv[0].size(); ++column) {
            const QString key = csv[0][column], cell = csv[r + 1].value(column);
            const Json *json = jsonAt(rows[r], paths.value(key, key));
            bool number = false;
            const double figure = cell.toDouble(&number);
            if (json == nullptr || !json->is_number() || !number)
                continue;
            ++compared.json;
            QVERIFY2(sameNumber(figure, json->get<double>()),
                     qPrintable(u"row %1, %2: %3 in CSV, %4 in JSON"_s.arg(r).arg(key, cell).arg(
                         QString::fromStdString(json->dump()))));
        }
    }
}

/// The columns that a line of text is the header of, and where each lies; columns that no row has
/// are left out. Empty where it is no header of that table.
struct TextColumn {
    QString key;
    TextCell header;
    bool number = false;
    /// Numbers end where their header ends, others begin where it begins.
    bool holds(const TextCell &cell) const
    {
        return number ? cell.end == header.end : cell.begin == header.begin;
    }
};
std::vector<TextColumn> headerColumns(const std::vector<report::ColumnFacts> &columns,
                                      const QString &line)
{
    const std::vector<TextCell> titles = textCells(line);
    std::vector<TextColumn> found;
    for (const report::ColumnFacts &column : columns) {
        if ((column.shown & report::kTerminal) != 0 && found.size() < titles.size() &&
            titles[found.size()].text == QString::fromStdString(column.header()))
            found.push_back({QString::fromUtf8(column.key.data(), qsizetype(column.key.size())),
                             titles[found.size()], column.number()});
    }
    return found.size() == titles.size() && found.size() > 1 ? found : std::vector<TextColumn>();
}

/// Rows of the text are the first ones of the CSV, in its order.
void compareText(const std::vector<Cells> &csv, const QByteArray &text,
                 const std::vector<report::ColumnFacts> &columns, const JsonPaths &csvNames,
                 Compared &compared)
{
    std::vector<TextColumn> header;
    std::size_t row = 0;
    for (const QString &line : QString::fromUtf8(text).split(u'\n')) {
        if (header.empty()) {
            header = headerColumns(columns, line);
            continue;
        }
        if (line.trimmed().isEmpty() || ++row >= csv.size())
            break;
        for (const TextCell &cell : textCells(line)) {
            const auto column =
                std::find_if(header.begin(), header.end(),
                             [&cell](const TextColumn &each) { return each.holds(cell); });
            if (column == header.end())
                continue;
            const qsizetype at = csv[0].indexOf(csvNames.value(column->key, column->key));
            const auto shown = shownNumber(cell.text);
            bool number = false;
            const double figure = csv[row].value(at).toDouble(&number);
            if (at < 0 || !shown || !number)
                continue;
            ++compared.text;
            QVERIFY2(std::abs(shown->value - figure) <= shown->half * (1 + 1e-6),
                     qPrintable(u"row %1, %2: %3 in text, %4 in CSV"_s.arg(row - 1).arg(
                         column->key, cell.text, csv[row].value(at))));
        }
    }
}

/// The figures of JSON rows as a CSV would have them, for commands that print none: a column for
/// each of these keys of a declared table, from where the document has it.
std::vector<Cells> cellsOf(const Json &rows, const JsonPaths &paths)
{
    std::vector<Cells> cells{paths.keys()};
    for (const Json &row : rows) {
        Cells line;
        for (const QString &path : paths) {
            const Json *json = jsonAt(row, path);
            line << (json != nullptr && json->is_number() ? QString::fromStdString(json->dump())
                                                          : QString());
        }
        cells.push_back(line);
    }
    return cells;
}

} // namespace

class TestCliSameFigures : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        MadeBundle made;
        std::mt19937 random(11);
        std::normal_distribution<float> normal(0, 0.1F);
        const Bytes bytes =
            halves(64 * 32 * 9, [&](std::size_t i) { return i % 5 == 0 ? 0.0F : normal(random); });
        made.parameters = "tensor<fp16, [1, 32, 18, 18]> x";
        made.weight("w", "[64, 32, 3, 3]", bytes);
        made.op("y", "[1, 64, 16, 16]", "conv(weight = w, x = x)");
        made.result = "y";
        const QString dense = writeBundle(m_scratch, "dense.mlmodelc", made);
        for (const QString &form :
             {u"palette"_s, u"affine"_s, u"sparse --density 0.5"_s, u"blockwise"_s}) {
            QStringList line{u"encode"_s, dense, u"w"_s, u"--form"_s};
            line += form.split(u' ');
            line += {u"-o"_s, bundleOf(form.section(u' ', 0, 0))};
            const CliResult encoded = RAN(0, runCli(line));
        }
    }

    void pairs_data() { forms(); }

    void pairs()
    {
        QFETCH(QString, form);
        const QStringList line =
            args("diff % % --values --format", bundleOf(u"dense"_s), bundleOf(form));
        const auto csv = csvRows(said(line + args("csv")));
        QCOMPARE(csv.size(), std::size_t(2));
        JsonPaths paths{{u"stored_a"_s, u"a/stored_bytes"_s}, {u"stored_b"_s, u"b/stored_bytes"_s}};
        for (const char *key : {"equal", "changed", "zeroed", "revived", "max_abs", "max_rel",
                                "rmse", "max_ulp", "cosine", "snr_db", "relative_rmse"})
            paths.insert(QString::fromLatin1(key), u"values/"_s + QString::fromLatin1(key));
        Compared compared;
        compareJson(csv, told(said(line + args("json")))["weights"], paths, compared);
        compareText(csv, said(line + args("text")), report::pairTable.facts(), {}, compared);
        QVERIFY2(compared.json >= 10, qPrintable(QString::number(compared.json)));
        QVERIFY2(compared.text >= 3, qPrintable(QString::number(compared.text)));
    }

    void plans_data() { forms(); }

    void plans()
    {
        QFETCH(QString, form);
        const QStringList line =
            args("plan % --target M1 --tolerance 0.1 --format", bundleOf(form));
        const auto csv = csvRows(said(line + args("csv")));
        QVERIFY(csv.size() >= 2);
        // The report names figures in words, chip by chip.
        const JsonPaths words{{u"stored_bytes"_s, u"stored bytes before"_s},
                              {u"bytes_before"_s, u"stored bytes before"_s},
                              {u"bytes"_s, u"stored bytes after"_s},
                              {u"time_before_s"_s, u"H13 time before s"_s},
                              {u"time_s"_s, u"H13 time after s"_s}};
        Compared compared;
        compareText(csv, said(line + args("text")), report::plannedWeightTable.facts(), words,
                    compared);
        const Json plan = told(said(line + args("json")))["plan"];
        QCOMPARE(plan.size(), csv.size() - 1);
        for (std::size_t r = 0; r < plan.size(); ++r) {
            for (const char *key : {"bytes_before", "bytes"}) {
                const qsizetype at = csv[0].indexOf(words.value(QString::fromLatin1(key)));
                QCOMPARE(csv[r + 1].value(at).toDouble(), plan[r][key].get<double>());
                ++compared.json;
            }
            // Times and errors of the report have four digits.
            for (const char *key : {"time_before_s", "time_s", "error"}) {
                const qsizetype at =
                    csv[0].indexOf(words.value(QString::fromLatin1(key), QString::fromLatin1(key)));
                const auto shown = shownNumber(csv[r + 1].value(at));
                if (!plan[r][key].is_number() || !shown)
                    continue;
                ++compared.json;
                QVERIFY(std::abs(shown->value - plan[r][key].get<double>()) <=
                        shown->half * (1 + 1e-6));
            }
        }
        QVERIFY2(compared.text >= 3, qPrintable(QString::number(compared.text)));
        QVERIFY2(compared.json >= 3, qPrintable(QString::number(compared.json)));
    }

    void weights_data()
    {
        addColumns<QString, QString, QString>();
        for (const char *form : {"dense", "palette", "affine", "sparse", "blockwise"})
            QTest::addRow("%s histogram", form)
                << QString::fromLatin1(form) << u"histogram"_s << u"histogram/bins"_s;
        addRow("codebook", u"palette"_s, u"codebook"_s, u"codebooks/rows"_s);
        addRow("scales of channels", u"affine"_s, u"scales"_s, u"scales/rows"_s);
        addRow("scales of blocks", u"blockwise"_s, u"scales"_s, u"scales/rows"_s);
        addRow("density", u"sparse"_s, u"density"_s, u"kept/channels"_s);
        for (const char *form : {"dense", "palette", "affine", "sparse", "blockwise"})
            QTest::addRow("%s parts", form) << QString::fromLatin1(form) << u"parts"_s << QString();
    }

    void weights()
    {
        const auto [form, table, rows] = fetched<QString, QString, QString>();
        const QStringList line = args("weight % w", bundleOf(form));
        const auto csv = csvRows(said(line + args("--csv %", table)));
        QVERIFY(csv.size() > 1);
        const std::vector<report::ColumnFacts> columns =
            table == u"histogram"  ? report::binTable.facts()
            : table == u"codebook" ? report::bookEntryTable.facts()
            : table == u"scales"   ? report::scaleTable.facts()
            : table == u"density"  ? report::keptChannelTable.facts()
                                   : report::partTable.facts();
        Compared compared;
        if (!rows.isEmpty()) {
            const Json document = told(said(line + args("--json")));
            const Json *list = VERIFIED(jsonAt(document, rows));
            compareJson(csv, *list, {}, compared);
            QVERIFY2(compared.json > 0, "no number of the document was compared");
        }
        compareText(csv, said(line), columns, {}, compared);
        QVERIFY2(compared.text > 0, "no number of the text was compared");
    }

    void decisions_data() { forms(); }

    /// The document is written piece by piece, the text by the declared table.
    void decisions()
    {
        QFETCH(QString, form);
        const QStringList line = args("decide % --target M1", bundleOf(form));
        const JsonPaths paths{{u"bytes_moved"_s, u"bytes_moved"_s},
                              {u"predicted_speedup"_s, u"predicted_speedup"_s},
                              {u"demand"_s, u"cap/demand"_s},
                              {u"cap"_s, u"cap/bytes"_s},
                              {u"sub_layers"_s, u"cap/sub_layers"_s}};
        const auto cells = cellsOf(told(said(line + args("--json")))["decisions"], paths);
        QCOMPARE(cells.size(), std::size_t(2));
        Compared compared;
        compareText(cells, said(line), report::decisionTable.facts(), {}, compared);
        QVERIFY2(compared.text >= 3, qPrintable(QString::number(compared.text)));
    }

    void encodedWeights()
    {
        const QStringList line =
            args("encode % * --skip-refused --form palette -f -o %", bundleOf(u"dense"_s),
                 m_scratch.filePath(u"again.mlmodelc"_s));
        const JsonPaths paths{{u"stored_bytes"_s, u"after/stored_bytes"_s},
                              {u"ratio"_s, u"after/ratio"_s}};
        Json rows = told(said(line + args("--json")))["weights"];
        QCOMPARE(rows.size(), std::size_t(1));
        // The text of one weight has a row before and one after.
        Json before = rows[0];
        before["after"] = before["before"];
        rows.insert(rows.begin(), before);
        QVERIFY(QDir(m_scratch.filePath(u"again.mlmodelc"_s)).removeRecursively());
        Compared compared;
        std::vector<report::ColumnFacts> columns = report::encodedSideTable.facts();
        columns.erase(columns.begin()); // its title is blank
        compareText(cellsOf(rows, paths), said(line), columns, {}, compared);
        QCOMPARE(compared.text, 4);
    }

private:
    void forms()
    {
        QTest::addColumn<QString>("form");
        for (const char *form : {"palette", "affine", "sparse", "blockwise"})
            addRow(form, QString::fromLatin1(form));
    }

    /// The weight "w" in that form.
    QString bundleOf(const QString &form) const
    {
        return m_scratch.filePath(form + u".mlmodelc"_s);
    }
    QByteArray said(const QStringList &line)
    {
        const CliResult result = runCli(line);
        if (result.exitCode > 1)
            qWarning("exit %d: %s", result.exitCode, result.err.constData());
        return result.out;
    }
    Json told(const QByteArray &json)
    {
        return Json::parse(json.begin(), json.end(), nullptr, false);
    }

    QTemporaryDir m_scratch;
};

KERNSCOPE_TEST(TestCliSameFigures, QCoreApplication)
#include "tst_cli_same_figures.moc"
