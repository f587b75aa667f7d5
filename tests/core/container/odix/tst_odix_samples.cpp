// SPDX-License-Identifier: GPL-3.0-or-later
// Programs that the vendor's compiler made (../shared/peers/odix), and broken ones.
#include "core/base/sha256.h"
#include "core/codec/decode/decoder.h"
#include "core/numeric/convert.h"
#include "core/report/compiled_origin.h"
#include "core/report/odix_json.h"
#include "made_bundle.h"
#include "rewrite.h"
#include "tests/data/data_folder.h"

#include <nlohmann/json.hpp>

using nlohmann::json; // whose objects do not depend on the order of keys

namespace {

json readJson(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly)
               ? json::parse(file.readAll().toStdString(), nullptr, false)
               : json();
}

/// A member of `wanted` that `found` has otherwise; `skipped` are not compared.
std::string difference(const json &found, const json &wanted, const std::set<std::string> &skipped)
{
    for (const auto &[key, value] : wanted.items()) {
        if (skipped.count(key) == 0 && (!found.contains(key) || found[key] != value))
            return key + ": " + (found.contains(key) ? found[key].dump() : "none") + "\nexpected " +
                   value.dump();
    }
    return {};
}

/// The members of an array whose order may differ from run to run.
std::set<std::string> unordered(const json &array)
{
    std::set<std::string> all;
    for (const json &each : array)
        all.insert(each.dump());
    return all;
}

std::string hashOf(const std::vector<float> &values)
{
    return Sha256::hexOf(std::as_bytes(std::span(values))).value_or("");
}

/// The values of what is made of constants at these places: of the weight with the most operands
/// there, else of a number that is written out in the program. Nothing where there is none.
std::optional<std::vector<float>> valuesAt(const Bundle &bundle,
                                           const std::set<std::uint64_t> &places)
{
    std::optional<std::size_t> best;
    std::size_t most = 0;
    for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
        const OperandList &operands = bundle.weights()[i].operands();
        const bool inside = std::ranges::all_of(operands, [&](const codec::Operand &operand) {
            return places.count(operand.place->dataOffset.value) > 0;
        });
        if (inside && operands.size() > most) {
            best = i;
            most = operands.size();
        }
    }
    if (best)
        return valuesOf(bundle, *best);
    for (const mil::Function &function : bundle.program()->functions) {
        for (const mil::Operation &operation : function.body.operations) {
            const mil::ProgramValue *value = operation.operand("val");
            const mil::Literal *literal = value ? value->literal() : nullptr;
            if (!literal || places.count(literal->elementSpans.front().offset) == 0)
                continue;
            std::vector<float> numbers;
            for (const std::int64_t number : literalIntegers(*literal))
                numbers.push_back(float(number));
            if (isFloatingPoint(literal->element)) {
                numbers.resize(literal->count);
                convertToFloat(literal->bytes, literal->element, 0, numbers);
            }
            return numbers;
        }
    }
    return std::nullopt;
}

} // namespace

class TestOdixSamples : public QObject
{
    Q_OBJECT

private slots:
    void samples_data() { rows(u"odix"_s); }

    /// Structure, places and values as ../shared/peers/odix says; written back byte for byte.
    void samples()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const json wanted = readJson(path + u"/expected.json"_s);
        const QString folder = QDir(path).filePath(QDir(path).dirName() + u".aimodelx"_s);
        const auto bundle = VERIFIED(Bundle::open(QFile::encodeName(folder).toStdString()));
        QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
        QCOMPARE(sectionFault(**bundle), std::string());
        const auto &files = (*bundle)->files();
        const auto bytes = files.back().file->bytes();
        const auto written = VERIFIED(rewrite(*containerReader(BundleKind::Aimodelx), files));
        QVERIFY(std::ranges::equal(written->back(), bytes));

        const odix::Compiled &compiled = *(*bundle)->compiled();
        const bool debug = wanted.contains("debug");
        QCOMPARE(compiled.debug.has_value(), debug);
        const json found = json::parse(report::odixJson(compiled, bytes.size()).dump());
        for (const char *key : {"header", "platform", "attributes", "op_id", "public_functions",
                                "types", "segments", "symbols"})
            QVERIFY2(found[key] == wanted[key],
                     (key + found[key].dump() + wanted[key].dump()).c_str());
        QVERIFY(unordered(found["entries"]) == unordered(wanted["entries"]));
        for (std::size_t i = 0; i < wanted["functions"].size(); ++i)
            QCOMPARE(difference(found["functions"][i], wanted["functions"][i], {}), std::string());
        QCOMPARE(found["constants"].size(), wanted["constants"].size());
        std::set<std::string> skipped{"index",   "packing", "sha256",   "read_by",
                                      "sources", "source",  "loaded_by"};
        if (!debug)
            skipped.insert("coreai_ops");
        for (std::size_t i = 0; i < wanted["constants"].size(); ++i) {
            const json &constant = wanted["constants"][i];
            const json &own = found["constants"][constant["record"].get<std::size_t>()];
            QCOMPARE(difference(own, constant, skipped), std::string());
            QVERIFY(unordered(own["loaded_by"]) == unordered(constant["loaded_by"]));
            const auto part = bytes.subspan(constant["offset"], constant["length"]);
            QCOMPARE(Sha256::hexOf(part).value_or(""), constant["sha256"].get<std::string>());
        }
        QCOMPARE(found["buffers"].size(), wanted["buffers"].size());
        for (std::size_t i = 0; i < wanted["buffers"].size(); ++i) {
            const json &one = found["buffers"][i], &other = wanted["buffers"][i];
            QCOMPARE(difference(one, other, {"views"}), std::string());
            QCOMPARE(one["views"].size(), other["views"].size());
            for (std::size_t v = 0; v < other["views"].size(); ++v)
                QCOMPARE(difference(one["views"][v], other["views"][v], {}), std::string());
        }
        if (debug) {
            QCOMPARE(found["debug"]["operations"], wanted["debug"]["operations"]);
            QCOMPARE(found["debug"]["locations"], wanted["debug"]["locations"]);
        }

        for (std::size_t i = 0; i < (*bundle)->weights().size(); ++i)
            QVERIFY2((*bundle)->decoder(i), (*bundle)->weights()[i].name.c_str());
        for (const json &weight : wanted["weights"]) {
            std::set<std::uint64_t> places;
            for (const std::size_t record : weight["constants"])
                places.insert(wanted["constants"][record]["offset"].get<std::uint64_t>());
            const auto values = valuesAt(**bundle, places);
            QVERIFY2(values, weight.dump().c_str());
            QVERIFY2(hashOf(*values) == weight["sha256_f32le"].get<std::string>(),
                     (weight.dump() + '\n' + json(*values).dump().substr(0, 200)).c_str());
        }
    }

    void interfaces_data()
    {
        addColumns<QString, QByteArray>();
        const char *state = "x fp16 [1, 4, 8], cache fp16 [1, 4, 8] > y",
                   *image = "x image 6x8 BGRA > y c";
        for (const auto &[path, text] :
             {std::pair("odix/state-kv/state-kv.aimodelx", state),
              std::pair("coreai/state-kv/state-kv.aimodel", state),
              std::pair("odix/image-complex/image-complex.aimodelx", image),
              std::pair("odix/image-complex/image-complex.aimodel", image)})
            addRow(path, dataPath(u"../peers/"_s + QLatin1String(path)), QByteArray(text));
    }

    /// States are no outputs, and images have a size.
    void interfaces()
    {
        const auto [path, wanted] = fetched<QString, QByteArray>();
        if (!QFileInfo::exists(path))
            QSKIP("no samples");
        const auto bundle = VERIFIED(Bundle::open(QFile::encodeName(path).toStdString()));
        const mil::Function &function = (*bundle)->program()->functions.front();
        std::string text;
        for (const mil::NamedType &input : function.inputs)
            text += (text.empty() ? "" : ", ") + input.name + " " + shapedTypeText(input.type);
        text += " >";
        for (const std::string &output : function.body.outputs)
            text += " " + output;
        QCOMPARE(QByteArray::fromStdString(text), wanted);
    }

    /// What an arm of an if leaves is in use after the arms, and both arms reach the output.
    void arms()
    {
        const QString path =
            dataPath(u"../peers/odix/control-if-while/control-if-while.aimodelx"_s);
        if (!QFileInfo::exists(path))
            QSKIP("no samples");
        const auto bundle = VERIFIED(Bundle::open(QFile::encodeName(path).toStdString()));
        const auto &views = (*bundle)->compiled()->trace.views;
        QCOMPARE(views[1].last, 26U);
        QCOMPARE(views[2].last, 26U);
        const auto &operations = (*bundle)->program()->functions.front().body.operations;
        const auto copy = std::ranges::find(operations, "y", &mil::Operation::displayName);
        QVERIFY(copy != operations.end());
        QCOMPARE(copy->inputs[0].values.size(), 2U);
    }

    void origins_data() { rows(u"odix"_s); }

    /// Each weight of the package is found in the program, with the same values.
    void origins()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const QString source = QString::fromStdString(
            readJson(path + u"/expected.json"_s).value("source", std::string()));
        const auto package =
            Bundle::open(QFile::encodeName(QDir(path).filePath(source)).toStdString());
        const auto program = Bundle::open(
            QFile::encodeName(QDir(path).filePath(QDir(path).dirName() + u".aimodelx"_s))
                .toStdString());
        QVERIFY2(package, package ? "" : describe(package.error()).c_str());
        QVERIFY(program);
        const auto rows = VERIFIED(report::compiledOrigins(**package, **program, nullptr));
        // Codes written one a byte: the package shows what was meant, the program what runs.
        const bool unpacked = path.endsWith(u"unpacked"_s);
        for (const report::OriginRow &row : *rows) {
            if (unpacked) {
                QVERIFY(row.fate == report::Fate::Differs);
                continue;
            }
            const auto &weights = (row.a == kNoIndex ? **program : **package).weights();
            QVERIFY2(row.fate != report::Fate::Differs && row.fate != report::Fate::Dropped &&
                         row.fate != report::Fate::Added,
                     (weights[row.a == kNoIndex ? row.b : row.a].name + ": " +
                      std::string(report::fateName(row.fate)))
                         .c_str());
        }
    }

    void hostile_data() { rows(u"odix-hostile"_s); }

    /// No crash, and each says at least one thing with the file and a place; those that the README
    /// accepts still have their weights.
    void hostile()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const auto bundle = VERIFIED(Bundle::open(QFile::encodeName(path).toStdString()));
        QCOMPARE(sectionFault(**bundle), std::string());
        const QString name = QFileInfo(path).baseName();
        const auto &all = (*bundle)->diagnostics();
        const QStringList silent{u"registers-count-bomb"_s, u"loop-to-itself"_s,
                                 u"call-of-itself"_s};
        const QStringList warned{u"opcode-unknown"_s, u"kind-unknown"_s, u"bytes-after-data"_s};
        QCOMPARE(all.empty(), silent.contains(name));
        QCOMPARE(hasErrors(all), !silent.contains(name) && !warned.contains(name));
        const bool inDebug = name.startsWith(u"dbg-"_s);
        if (!all.empty()) {
            QCOMPARE(all.front().error.file,
                     std::string(inDebug ? "main-universal.dbginfo" : "main-universal.odix"));
            QVERIFY(all.front().error.offset);
        }
        if (silent.contains(name) || warned.contains(name) || inDebug)
            QVERIFY(!(*bundle)->weights().empty());
        if ((*bundle)->compiled())
            QVERIFY(!report::odixJson(*(*bundle)->compiled(), 0).dump().empty());
    }

private:
    static void rows(const QString &folder)
    {
        QTest::addColumn<QString>("path");
        const QDir root(dataPath(u"../peers/"_s + folder));
        for (const QString &name : root.entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            QTest::newRow(qPrintable(name)) << root.filePath(name);
    }
};

KERNSCOPE_TEST(TestOdixSamples, QCoreApplication)
#include "tst_odix_samples.moc"
