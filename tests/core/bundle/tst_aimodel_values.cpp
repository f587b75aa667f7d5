// SPDX-License-Identifier: GPL-3.0-or-later
// Core AI packages that the platform's own tools wrote: every weight has the values that its own
// runtime computed (expected.json), bit for bit.
#include "tests/data/data_folder.h"

#include "core/base/sha256.h"
#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"

namespace {

QString root()
{
    return test::dataPath(u"../peers/coreai"_s);
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
    const QString own =
        name.startsWith(QLatin1String("si")) ? u"int"_s + name.mid(2) : u"uint"_s + name.mid(2);
    return anyElementTypeFromName(own.toStdString());
}

} // namespace

class TestAimodelValues : public QObject
{
    Q_OBJECT

private slots:
    void asTheRuntime_data()
    {
        QTest::addColumn<QString>("name");
        const QStringList names = QDir(root()).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        for (const QString &name : names) {
            if (QDir(root() + QLatin1Char('/') + name + QLatin1Char('/') + name + u".aimodel"_s)
                    .exists())
                test::addRow(qPrintable(name), name);
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
        const QJsonArray expected = expectedOf(name).value(QLatin1String("weights")).toArray();
        QCOMPARE(bundle.weights().size(), static_cast<std::size_t>(expected.size()));

        std::multimap<QString, std::size_t> byValues;
        std::set<std::string> addresses;
        for (std::size_t i = 0; i < bundle.weights().size(); ++i) {
            byValues.emplace(valuesHash(bundle, i), i);
            QVERIFY2(addresses.insert(bundle.weights()[i].address()).second,
                     bundle.weights()[i].address().c_str());
        }
        for (const QJsonValue &each : expected) {
            const QJsonObject row = each.toObject();
            const QString id = row.value(QLatin1String("id")).toString();
            // What was meant, where the runtime reads codes of one byte as packed.
            const QString meant = u"intended_one_code_per_byte"_s;
            const QString digest = row.value(row.contains(meant) ? meant : u"values"_s)
                                       .toObject()
                                       .value(QLatin1String("sha256_f32le"))
                                       .toString();
            Shape shape;
            for (const QJsonValue &extent : row.value(QLatin1String("shape")).toArray())
                shape.push_back(static_cast<std::uint64_t>(extent.toDouble()));
            std::set<std::uint64_t> places;
            for (const QJsonValue &part : row.value(QLatin1String("parts")).toArray()) {
                if (part.toObject().value(QLatin1String("role")) != QLatin1String("axis"))
                    places.insert(static_cast<std::uint64_t>(
                        part.toObject().value(QLatin1String("offset")).toDouble()));
            }
            bool found = false;
            QString seen;
            for (auto [at, end] = byValues.equal_range(digest); at != end && !found; ++at) {
                const Weight &weight = bundle.weights()[at->second];
                std::set<std::uint64_t> own;
                for (const codec::Operand &operand : weight.operands())
                    own.insert(operand.place->dataOffset.value);
                found =
                    weight.function == row.value(QLatin1String("graph")).toString().toStdString() &&
                    weight.shape == shape &&
                    weight.type == typeOf(row.value(QLatin1String("element_type")).toString()) &&
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
};

KERNSCOPE_TEST(TestAimodelValues, kernscope::test::NoApplication)
#include "tst_aimodel_values.moc"
