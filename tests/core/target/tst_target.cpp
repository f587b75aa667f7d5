// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/format/table_rows.h"
#include "core/target/registry.h"
#include "tests/test_program.h"

using namespace kernscope::target;

namespace {

QString text(std::string_view view)
{
    return QString::fromUtf8(view.data(), qsizetype(view.size()));
}

const Target &named(const char *name)
{
    const auto found = findTarget(name);
    if (!found)
        qFatal("no target %s", name);
    return *found->target;
}

} // namespace

class TestTarget : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// CheckValidDMAFormat of chapter 36.
    void dmaFormats()
    {
        const auto check = [](const char *chip, std::uint32_t code) {
            return checkDmaFormat(named(chip), format::TensorFormat(code));
        };
        for (std::uint32_t code = 0; code < 0xb; ++code)
            QVERIFY(check("M1", code).valid.value_or(false) && !check("M1", code).byte);
        QCOMPARE(check("M1", 12).byte->value, 0x52dU);
        QCOMPARE(check("M1", 12).valid, std::optional(false));
        QCOMPARE(check("H18", 12).valid, std::optional(true));
        QCOMPARE(check("M1", 11).byte->value, 0x52cU);
        QCOMPARE(check("M1", 13).byte->value, 0x52eU);
        QCOMPARE(check("M1", 14).byte->value, 0x685U);
        QVERIFY(!check("M1", 16).valid && !check("M1", 16).byte); // the chapter does not say
        QVERIFY(!check("M1", 99).valid);
    }

    void tablesAreReadWhole_data()
    {
        QTest::addColumn<int>("least");
        for (const auto &[table, least] : std::initializer_list<std::pair<const char *, int>>{
                 {"targets", 33},         {"target_claims", 100}, {"target_names", 20},
                 {"hal_fields", 150},     {"hal_values", 700},    {"chip_facts", 30},
                 {"device_buckets", 5},   {"roofline", 110},      {"speedups", 76},
                 {"power", 10},           {"contested", 18},      {"weight_element_roles", 6},
                 {"family_floors", 4},    {"tquant_devices", 9},  {"tquant_forms", 14},
                 {"stream_outcomes", 30}, {"stream_gates", 10},   {"geometry_facts", 20},
                 {"collective", 58},      {"target_rules", 10},   {"codegen_rules", 7},
                 {"layer_roofs", 20},     {"format_codes", 6},    {"measurements", 160},
                 {"model_parameters", 4}, {"model_effects", 14}})
            addRow(table, least);
    }

    void tablesAreReadWhole()
    {
        QFETCH(int, least);
        const auto table = VERIFIED(tables::load(QTest::currentDataTag()));
        QVERIFY(int(table->rows()) >= least);
        const auto source = VERIFIED(table->column("source"));
        for (std::size_t i = 0; i < table->rows(); ++i)
            QVERIFY2(!table->cell(i, *source).empty(), qPrintable(QString::number(i)));
        const auto confidence = VERIFIED(table->column("confidence"));
        for (std::size_t i = 0; i < table->rows(); ++i) {
            const std::string word(table->cell(i, *confidence));
            QVERIFY2(format::confidenceName(format::confidenceFromName(word)) == word,
                     word.c_str());
        }
    }

    void twentyEightTargetsOfTheChapters()
    {
        int chapters = 0;
        for (const Target &target : targets())
            chapters += target.ofTheChapters() ? 1 : 0;
        QCOMPARE(chapters, 28);
    }

    void names_data()
    {
        QTest::addColumn<QString>("expected");
        for (const auto &[name, expected] :
             std::initializer_list<std::pair<const char *, const char *>>{
                 {"H13", "H13"},      {"h13", "H13"},
                 {"M1", "H13"},       {"m1 pro", "H13g"},
                 {"t8103", "H13"},    {"T6001", "H13g"},
                 {"T6007", "H13g"},   {"h13g", "H13g"},
                 {"M2", "H14"},       {"T8112", "H14"},
                 {"A14", "H14"},      {"M3", "H15"},
                 {"M4", "H16g"},      {"Mac16,10", "H16g"},
                 {"M4 Max", "H16c"},  {"M4 Pro", "H16g"},
                 {"T8132", "H16"},    {"M5", "H17s"},
                 {"M5 Max", "H17c"},  {"Mac17,14", "H17c"},
                 {"Mac18,5", "H18g"}, {"iPhone 17 Pro", "H18"},
                 {"h18p", "H18"},     {"iPhone 18 Pro", "H19"},
                 {"h19p", "H19"},     {"T6050", "H17s"},
                 {"M6", "H18g"},      {"2026baseline", "2026BaseLine"},
                 {"A13", "H13"},      {"A19", "H18"}})
            addRow(name, QString::fromUtf8(expected));
    }
    void names()
    {
        QFETCH(QString, expected);
        const auto found = VERIFIED(findTarget(QTest::currentDataTag()));
        QCOMPARE(text(found->target->name), expected);
    }

    void contestedNamesSayWhoDisagrees()
    {
        const auto m5 = VERIFIED(findTarget("m5"));
        QCOMPARE(int(m5->others.size()), 2);
        QVERIFY(!m5->source.empty());
        for (const auto &other : m5->others)
            QVERIFY(!other.source.empty());
        QVERIFY(findTarget("h14")->others.empty());
        for (const auto &[name, other] :
             {std::pair("M4", "H16"), std::pair("M4 Max", "H16g"), std::pair("M5 Max", "H17s")}) {
            const auto found = findTarget(name);
            QVERIFY(found && found->others.size() == 1 && !found->source.empty());
            QCOMPARE(text(found->others[0].target->name), QString::fromUtf8(other));
            const auto contested = contestedNames(*found->others[0].target);
            QVERIFY(std::ranges::find(contested, name) != contested.end());
            QVERIFY(isContested(*found->others[0].target, "product"));
        }
    }

    void wrongNamesAreRefused_data()
    {
        QTest::addColumn<QByteArray>("name");
        for (const char *name : {"", "H99", "M", "T60", "x", "h13 ", "A\xff"})
            addRow(name[0] ? name : "empty", QByteArray(name));
    }
    void wrongNamesAreRefused()
    {
        QFETCH(QByteArray, name);
        const Error found = REFUSED(findTarget(name.constData()));
        QCOMPARE(text(found.code), u"target.name"_s);
        QVERIFY(!found.expected.empty());
        QVERIFY(findTarget(std::string(100000, 'x')).error().code == "target.name");
    }

    void coresAreTheChaptersUntilChosen()
    {
        const Target &m1 = named("M1");
        const auto standard = VERIFIED(cores(m1));
        QCOMPARE(standard->value.value_or(0), 4U);
        QVERIFY(standard->contested);
        const auto other = VERIFIED(cores(m1, {16, {}}));
        QCOMPARE(other->value.value_or(0), 16U);
        QVERIFY(other->source != standard->source);
        const Error wrong = REFUSED(cores(m1, {5, {}}));
        QCOMPARE(text(wrong.code), u"target.claim"_s);
        QVERIFY(!cores(named("T0"))->value);
        QCOMPARE(cores(named("H17d"))->value.value_or(0), 64U);
    }

    void versionsOfTheM1()
    {
        const Target &m1 = named("M1");
        QCOMPARE(descriptorVersion(m1)->value.value_or(0), 5U);
        for (const unsigned version : {5U, 7U, 10U})
            QCOMPARE(descriptorVersion(m1, {{}, version})->value.value_or(0), version);
        QVERIFY(isContested(m1, "descriptor_version"));
        QVERIFY(!isContested(named("H11"), "descriptor_version"));
    }

    void gateBytes_data()
    {
        // expected: -1: unknown
        const auto row = addColumns<QString, uint, int>();
        for (const unsigned a14 : {0x528U, 0x532U, 0x537U}) {
            row("H13", a14, 0);
            row("H13g", a14, 0);
            row("H14", a14, 1);
            row("H15c", a14, 1);
            row("H17s", a14, 1);
            row("H18", a14, -1);
        }
        for (const unsigned a15 : {0x520U, 0x523U, 0x533U, 0x539U}) {
            row("H13", a15, 0);
            row("H14", a15, 0);
            row("H15", a15, 1);
            row("H16", a15, 1);
            row("H17", a15, 1);
        }
        // Both bytes are published for the families A13 to A18, and of no other chip of the tables.
        const std::set<std::string_view> published{"A13", "A14", "A15", "A16", "A17", "A18"};
        for (const Target &target : targets()) {
            const int expected = published.contains(target.family) ? 1 : -1;
            row(target.name.c_str(), 0x48f, expected);
            row(target.name.c_str(), 0x529, expected);
        }
        row("H13", 0x52d, 0);
        row("H17s", 0x52d, 0);
        row("H18", 0x52d, 1);
        row("H13", 0x680, 1);
        row("H14", 0x680, -1);
        row("U1", 0x55c, 0);
        row("U2", 0x55c, 1);
        row("H18g", 0x48b, -1);
        row("H17", 0x55c, -1);
        row("H17s", 0x55c, 1);
    }
    void gateBytes()
    {
        const auto [target, offset, expected] = fetched<QString, uint, int>();
        const auto bit = halBit(named(target.toUtf8().constData()), HalOffset{offset});
        QCOMPARE(bit ? int(*bit) : -1, expected);
    }

    void layoutsAreNotMixed()
    {
        const Target &h16 = named("H16");
        // 0x210 is the streamed cap in one layout and an L2 threshold in the other.
        const HalValue *cap = halValue(h16, HalLayout::Chapters, hal::kStreamedCap);
        const HalValue *threshold = halValue(h16, HalLayout::Later, hal::kStreamedCap);
        QVERIFY(cap && threshold);
        QCOMPARE(cap->number.value_or(0), std::int64_t(16) << 20);
        QCOMPARE(threshold->number.value_or(0), std::int64_t(262144));
        const auto nameOf = [](HalLayout layout) -> std::string {
            for (const HalField &field : halFields()) {
                if (field.layout == layout && field.offset == hal::kStreamedCap)
                    return field.name;
            }
            return {};
        };
        QVERIFY(nameOf(HalLayout::Chapters) != nameOf(HalLayout::Later));
        QVERIFY(!halValue(named("H19"), HalLayout::Chapters, hal::kTinySource));
    }

    void collectiveIsOffOnAllTwentyEight()
    {
        for (const Target &target : targets()) {
            const auto bit = halBit(target, hal::kCollective);
            QCOMPARE(bit.has_value(), target.ofTheChapters());
            QVERIFY(!bit || !*bit);
        }
    }

    void buckets_data()
    {
        QTest::addColumn<uint>("bucket");
        addRow("4", 1U);
        addRow("7", 1U);
        addRow("8", 2U);
        addRow("16", 3U);
        addRow("32", 4U);
        addRow("64", 5U);
    }
    void buckets()
    {
        QFETCH(uint, bucket);
        const DeviceBucket *found =
            VERIFIED(deviceBucket(QByteArray(QTest::currentDataTag()).toUInt()));
        QCOMPARE(found->bucket, bucket);
        QCOMPARE(found->peak.value_or(0), bucket == 5 ? 800U : 0U);
        QVERIFY(!deviceBucket(0));
    }
};

KERNSCOPE_TEST(TestTarget, QCoreApplication)
#include "tst_target.moc"
