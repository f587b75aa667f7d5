// SPDX-License-Identifier: GPL-3.0-or-later
// Core AI packages that the platform's own tools wrote: every weight has the values that its own
// runtime computed (expected.json), bit for bit.
#include "answers.h"
#include "core/base/overlaid_file.h"
#include "core/base/sha256.h"
#include "core/bundle/build_facts.h"
#include "core/bundle/shapes/infer.h"
#include "core/bundle/shapes/rules.h"
#include "core/codec/decode/decoder.h"
#include "core/report/json.h"
#include "made_bundle.h"

namespace {

QString root()
{
    return dataPath(u"../peers/coreai"_s);
}

QJsonObject expectedOf(const QString &name)
{
    QFile file(root() + QLatin1Char('/') + name + u"/expected.json"_s);
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object()
                                          : QJsonObject();
}

/// SHA-256 of all values as little-endian fp32, in hexadecimal digits.
QString valuesHash(const Bundle &bundle, std::size_t weight)
{
    const auto decoder = bundle.decoder(weight);
    if (!decoder)
        return QString::fromStdString(decoder.error().message + " " + decoder.error().expected +
                                      " / " + decoder.error().found);
    std::vector<float> values(decoder->elements().value);
    decoder->decodeFloat(0, values);
    return QString::fromStdString(Sha256::hexOf(std::as_bytes(std::span(values))).value_or(""));
}

ElementType typeOf(const QString &name)
{
    static const std::map<QString, ElementType> types{
        {u"f16"_s, ElementType::Fp16},
        {u"f32"_s, ElementType::Fp32},
        {u"f64"_s, ElementType::Fp64},
        {u"bf16"_s, ElementType::Bf16},
        {u"f8E4M3FN"_s, ElementType::Fp8E4M3Fn},
        {u"f8E5M2"_s, ElementType::Fp8E5M2},
        {u"f8E8M0FNU"_s, ElementType::Fp8E8M0},
        {u"f4E2M1FN"_s, ElementType::Fp4E2M1},
        {u"i1"_s, ElementType::Bool},
    };
    const auto found = types.find(name);
    if (found != types.end())
        return found->second;
    const QString own = name.startsWith("si"_L1) ? u"int"_s + name.mid(2) : u"uint"_s + name.mid(2);
    return anyElementTypeFromName(own.toStdString());
}

void erase(mil::ValueType &type)
{
    if (type.isTensor())
        std::ranges::fill(type.dims, mil::kUnknownExtent);
}

void erase(mil::Block &block)
{
    for (mil::NamedType &input : block.inputs)
        erase(input.type);
    for (mil::Operation &operation : block.operations) {
        for (mil::NamedType &output : operation.outputs)
            erase(output.type);
        for (mil::Block &body : operation.blocks)
            erase(body);
    }
}

/// How many values have the declared shape again, and what went wrong.
struct Coverage {
    std::size_t same = 0, open = 0; ///< of values whose declared extents are all numbers
    std::size_t inferred = 0;       ///< whose extents were erased and are known again
    QStringList wrong;
};

void compare(const mil::Block &before, const mil::Block &after, Coverage &coverage)
{
    for (std::size_t i = 0; i < before.operations.size(); ++i) {
        const mil::Operation &a = before.operations[i], &b = after.operations[i];
        for (std::size_t at = 0; at < a.outputs.size(); ++at) {
            const mil::ValueType &declared = a.outputs[at].type, &found = b.outputs[at].type;
            if (!declared.isTensor())
                continue;
            const bool known = found.shape().has_value();
            coverage.inferred += known && !found.dims.empty() ? 1 : 0;
            if (!declared.shape())
                continue;
            coverage.open += known ? 0 : 1;
            coverage.same += declared.dims == found.dims ? 1 : 0;
            if (known && declared.dims != found.dims)
                coverage.wrong += QString::fromStdString(a.displayName() + " (" + a.type + ")");
        }
        for (std::size_t body = 0; body < a.blocks.size(); ++body)
            compare(a.blocks[body], b.blocks[body], coverage);
    }
}

} // namespace

/// Real and made bundles against the answers that come with them.
/// Real programs with every extent erased: bound to their own input shapes, they have them again.
class TestBundleData : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { KERNSCOPE_NEEDS(dataFolder()); }

    void everything_data() { addPaths({u"*.mlmodelc"_s, u"*.mlpackage"_s}); }

    /// Opens without a fault, covers every byte, decodes every weight, is the same when read again,
    /// and its weight file opens on its own.
    void everything()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        QCOMPARE(faults((*bundle)->diagnostics()), std::vector<std::string>());
        QCOMPARE(faults(verifyPayloads(**bundle)), std::vector<std::string>());
        QCOMPARE(sectionFault(**bundle), std::string());
        QVERIFY(!(*bundle)->weights().empty());
        for (std::size_t i = 0; i < (*bundle)->weights().size(); ++i) {
            const auto decoder = VERIFIED((*bundle)->decoder(i));
            QCOMPARE(decoder->elements(), (*bundle)->weights()[i].elements);
        }
        const auto again = VERIFIED((*bundle)->reread());
        QCOMPARE(report::inspectJson(**again, {}, {}).dump(),
                 report::inspectJson(**bundle, {}, {}).dump());
        for (const BundleFile &file : (*bundle)->files()) {
            if (file.role != SectionKind::Data)
                continue;
            const auto bare = VERIFIED(Bundle::open(file.file->path()));
            QCOMPARE((*bare)->weights().size(), file.records);
            QCOMPARE(sectionFault(**bare), std::string());
        }
    }

    /// Half of the weights of this network sit in loop bodies.
    void loopWeights()
    {
        const QString path = dataFolder() + u"/real/dtln/DTLN_AEC_128_Part1.mlpackage"_s;
        KERNSCOPE_NEEDS(path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        QCOMPARE((*bundle)->weights().size(), 12U);
        int inside = 0;
        for (const Weight &weight : (*bundle)->weights()) {
            QVERIFY(!weight.consumers.empty());
            inside += weight.consumers.front().geometry.insideLoop ? 1 : 0;
        }
        QCOMPARE(inside, 6);
    }

    /// A package says which tools made it, as the compiled model does.
    void packageTools()
    {
        const QString folder = dataFolder() + u"/real/silero-vad/unified_pruned_int8."_s;
        KERNSCOPE_NEEDS(folder + u"mlpackage"_s);
        std::vector<std::vector<BuildFact>> facts;
        for (const char *kind : {"mlpackage", "mlmodelc"}) {
            const auto bundle =
                VERIFIED(Bundle::open((folder + QLatin1String(kind)).toStdString()));
            facts.push_back(buildFacts(**bundle));
        }
        QCOMPARE(buildTools(facts[0]), std::vector<std::string>{"coremltools 9.0b1"});
        // The compiler adds its own, and keeps those of the package.
        for (const BuildFact &fact : facts[0])
            QVERIFY2(std::ranges::find(facts[1], fact) != facts[1].end(),
                     (fact.key + "=" + fact.value).c_str());
    }

    void asTheRuntime_data()
    {
        QTest::addColumn<QString>("name");
        const QStringList names = QDir(root()).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        for (const QString &name : names) {
            if (QDir(root() + QLatin1Char('/') + name + QLatin1Char('/') + name + u".aimodel"_s)
                    .exists())
                addRow(qPrintable(name), name);
        }
        if (names.isEmpty())
            QSKIP("no packages of the platform's own tools");
    }

    void asTheRuntime()
    {
        QFETCH(QString, name);
        const QString path =
            root() + QLatin1Char('/') + name + QLatin1Char('/') + name + u".aimodel"_s;
        const auto opened = VERIFIED(Bundle::open(path.toStdString()));
        const Bundle &bundle = **opened;
        const QJsonArray expected = expectedOf(name).value("weights"_L1).toArray();
        QCOMPARE(bundle.weights().size(), std::size_t(expected.size()));

        std::multimap<QString, std::size_t> byValues;
        std::set<std::string> addresses;
        for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
            byValues.emplace(valuesHash(bundle, i), i);
            QVERIFY2(addresses.insert(bundle.weights()[i].address()).second,
                     bundle.weights()[i].address().c_str());
        }
        for (const QJsonValue &each : expected) {
            const QJsonObject row = each.toObject();
            const QString id = row.value("id"_L1).toString();
            // What was meant, where the runtime reads codes of one byte as packed.
            const QString meant = u"intended_one_code_per_byte"_s;
            const QString digest = row.value(row.contains(meant) ? meant : u"values"_s)
                                       .toObject()
                                       .value("sha256_f32le"_L1)
                                       .toString();
            Shape shape;
            for (const QJsonValue &extent : row.value("shape"_L1).toArray())
                shape.push_back(std::uint64_t(extent.toDouble()));
            std::set<std::uint64_t> places;
            for (const QJsonValue &part : row.value("parts"_L1).toArray()) {
                if (part.toObject().value("role"_L1) != "axis"_L1)
                    places.insert(std::uint64_t(part.toObject().value("offset"_L1).toDouble()));
            }
            bool found = false;
            QString seen;
            for (auto [at, end] = byValues.equal_range(digest); at != end && !found; ++at) {
                const Weight &weight = bundle.weights()[at->second];
                std::set<std::uint64_t> own;
                for (const codec::Operand &operand : weight.operands())
                    own.insert(operand.place->dataOffset.value);
                found = weight.function == row.value("graph"_L1).toString().toStdString() &&
                        weight.shape == shape &&
                        weight.type == typeOf(row.value("element_type"_L1).toString()) &&
                        own == places;
                seen += QString::fromStdString(weight.address() + shapeText(weight.shape));
            }
            for (std::size_t i = 0; i < bundle.weights().size() && seen.isEmpty(); ++i) {
                if (bundle.weights()[i].shape == shape)
                    seen = QString::fromStdString("values of " + bundle.weights()[i].address());
            }
            QVERIFY2(found, qPrintable(id + u": "_s + seen));
        }
    }

    void erased_data()
    {
        addPaths({u"*.mil"_s, u"*.mlmodel"_s}, {dataFolder(), dataFolder() + u"/../samples"_s});
    }

    void erased()
    {
        KERNSCOPE_SKIP_WITHOUT_ROWS();
        QFETCH(QString, path);
        const auto bundle = VERIFIED(Bundle::open(path.toStdString()));
        const auto whole = (*bundle)->program();
        const mil::Program &before = *whole;
        mil::Program program = before;
        std::vector<shapes::ShapeBinding> bindings;
        for (mil::Function &function : program.functions) {
            const bool called = function.name.starts_with("main_");
            for (mil::NamedType &input : function.inputs) {
                if (!input.type.isTensor())
                    continue;
                std::string address = function.model.empty() ? "" : function.model + "/";
                address += function.name + "/" + input.name;
                if (!called)
                    bindings.push_back({std::move(address), input.type.dims});
                erase(input.type);
            }
            erase(function.body);
        }
        const auto summary = VERIFIED(shapes::inferShapes(program, bindings, "model"));
        Coverage coverage;
        for (std::size_t i = 0; i < program.functions.size(); ++i)
            compare(before.functions[i].body, program.functions[i].body, coverage);
        std::string behind;
        for (const shapes::Open &open : summary->unknown) {
            behind += " " + open.type;
            QVERIFY2(shapes::ruleOf(open.type) == nullptr,
                     (open.operation + " (" + open.type + "): " + open.reason).c_str());
        }
        qInfo("%zu of %zu shapes follow from the inputs; open behind%s", coverage.same,
              coverage.same + coverage.open, behind.empty() ? " none" : behind.c_str());
        QVERIFY(coverage.open == 0 || !behind.empty());
        QVERIFY2(coverage.wrong.isEmpty(), qPrintable(coverage.wrong.join(u", ")));
        QCOMPARE(summary->conflicts, 0U);
        QCOMPARE(summary->inferred, coverage.inferred);
    }
};

KERNSCOPE_TEST(TestBundleData, QCoreApplication)
#include "tst_bundle_data.moc"
