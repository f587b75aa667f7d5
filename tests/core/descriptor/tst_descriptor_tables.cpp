// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/little_endian.h"
#include "core/descriptor/format_word.h"
#include "core/descriptor/image_v10.h"
#include "core/descriptor/register_map.h"
#include "tests/test_program.h"

using namespace kernscope::descriptor;

using Words = std::vector<std::uint32_t>;

/// What the tables say of versions, registers, the version-10 image and the format register.
class TestDescriptorTables : public QObject
{
    Q_OBJECT

private slots:
    void versions()
    {
        const auto numberOf = [](std::uint32_t subtype) {
            const Version *version = versionOfSubtype(subtype);
            return version == nullptr ? 0U : version->number;
        };
        const Words wanted{5, 5, 4, 6, 7, 11, 8, 17, 10, 19, 20, 24, 31, 1, 36, 1, 28, 26, 1, 1, 1};
        for (std::uint32_t subtype = 0; subtype < wanted.size(); ++subtype)
            QCOMPARE(numberOf(subtype), wanted[subtype]);
        QVERIFY(versionOfSubtype(99) == nullptr);
        QCOMPARE(versionOfSubtype(4)->generation.c_str(), "H13");
        QCOMPARE(versionOfSubtype(8)->confidence, format::Confidence::Contested);
        QVERIFY(!versionOfSubtype(14)->known());
    }

    void registersOfEveryVersion()
    {
        for (const Version &version : descriptor::versions()) {
            if (version.registerMap == 0)
                continue;
            const RegisterMap *map = VERIFIED(RegisterMap::of(version.registerMap));
            QVERIFY(map->registers().size() > 50);
            QVERIFY(map->header(0) != nullptr);
            QVERIFY(roleOf(version.registerMap, "kernel_fmt") != nullptr);
            QVERIFY(roleOf(version.registerMap, "lane_config") != nullptr);
            for (const Register &reg : map->registers()) {
                QVERIFY(map->find(reg.address));
                for (const BitField &field : reg.fields)
                    QVERIFY(field.low <= field.high && field.high < 32);
            }
        }
        QVERIFY(RegisterMap::of(0) == nullptr);
        // MacCfg is 0x1241 up to version 20 and 0x1242 in version 24.
        QCOMPARE(RegisterMap::of(20)->find(4 * 0x1241)->name.c_str(), "MacCfg");
        QCOMPARE(RegisterMap::of(24)->find(4 * 0x1242)->name.c_str(), "MacCfg");
        QCOMPARE(RegisterMap::of(24)->find(4 * 0x1245)->name.c_str(), "NEPostScale");
        // Two published tables of version 11 disagree: the one that decodes is shown first.
        QCOMPARE(RegisterMap::of(11)->find(0)->name.c_str(), "InDim (packed W+H)");
        QVERIFY(!RegisterMap::of(11)->alternatives(0).empty());
        QVERIFY(RegisterMap::of(11)->alternatives(0).front()->alternative);
    }

    void fieldsDecode()
    {
        // 0x5042a063 (version 7) and 0x5042a0c3 (later ones) are the same 3x3 convolution.
        for (const auto &[version, word] :
             {std::pair(7U, 0x5042a063U), std::pair(17U, 0x5042a0c3U)}) {
            const auto field = [version = version, word = word](const char *name) {
                return roleOf(version, name)->bits.of(word);
            };
            QCOMPARE(field("Kw"), 3U);
            QCOMPARE(field("Kh"), 3U);
            QCOMPARE(field("Sx"), 1U);
            QCOMPARE(field("Px"), 1U);
            QCOMPARE(field("Ox"), 1U);
        }
        const Register *cfg = RegisterMap::of(7)->find(0xc800);
        QCOMPARE(decodedField(*cfg, cfg->fields.front(), 2, 7).c_str(), "fp16");
        const Register *scale = RegisterMap::of(7)->find(0xc810);
        QCOMPARE(decodedField(*scale, scale->fields.front(), 0x3c00, 7).c_str(), "1");
        const Register *row = RegisterMap::of(7)->find(0x17808);
        QCOMPARE(decodedField(*row, row->fields.front(), 3, 7).c_str(), "0xc0 bytes");
        const Register *mac = RegisterMap::of(7)->find(0xc804);
        const auto point = std::ranges::find_if(
            mac->fields, [](const BitField &f) { return f.name == "BinaryPoint"; });
        QCOMPARE(decodedField(*mac, *point, 0x1c, 7).c_str(), "-4");
    }

    void imageGroups()
    {
        const auto groups = descriptor::imageGroups();
        QCOMPARE(groups.size(), 7U);
        const Words counts{34, 19, 69, 30, 14, 11, 21};
        const Words offsets{0x2c, 0xfc, 0x150, 0x26c, 0x2ec, 0x32c, 0x360};
        for (std::size_t i = 0; i < 7; ++i) {
            QCOMPARE(groups[i].registers, counts[i]);
            QCOMPARE(groups[i].structOffset, offsets[i]);
            QVERIFY(!groups[i].reading.empty());
        }
        QCOMPARE(imageGroupOfAddress(0x5500)->id.c_str(), "G0");
        QCOMPARE(imageGroupOfAddress(4 * 0x1344)->name.c_str(), "tile DMA");
        QCOMPARE(imageGroupOfAddress(4 * 0x1442)->id.c_str(), "G6");
        QCOMPARE(imageGroupOfAddress(0x10)->id.c_str(), "G1");
        QVERIFY(imageGroupOfAddress(0x208) == nullptr);
        QCOMPARE(groups[3].confidence, format::Confidence::Contested);
        QVERIFY(imageV10Note().find("Contested") != std::string_view::npos);
    }

    void imageStreams()
    {
        const auto streams = descriptor::imageStreams();
        QCOMPARE(streams.size(), 4U);
        const char *const names[] = {"bias", "post-scale", "palette lookup", "activation lookup"};
        const Words enables{0x5548, 0x5558, 0x5568, 0x5578};
        const Words relocations{0x1554, 0x1558, 0x155c, 0x1560};
        for (std::size_t i = 0; i < 4; ++i) {
            QCOMPARE(streams[i].name.c_str(), names[i]);
            QCOMPARE(streams[i].enable, enables[i]);
            QCOMPARE(streams[i].baseOffset, enables[i] + 4);
            QCOMPARE(streams[i].relocation, relocations[i]);
        }
    }

    void orderingBits()
    {
        std::vector<std::byte> object(0x140, std::byte(0xff));
        storeLittle(std::span(object), 0x134, 0xbfffffffU);
        storeLittle(std::span(object), 0x10, 0xfeabcdefU);
        storeLittle(std::span(object), 0x18, 0xfc000001U);
        QVERIFY(readOrderingBits(object) == (OrderingBits{true, false, 0x2abcdef, 0x1}));
        storeLittle(std::span(object), 0x134, 0x40000000U);
        QVERIFY(readOrderingBits(object) == (OrderingBits{false, true, 0x2abcdef, 0x1}));
        QVERIFY(!readOrderingBits(std::span(object).first(0x136)));
    }

    void formatLanes()
    {
        constexpr format::TensorFormat kE4m3(12), kFp16(3), kE5m2(13);
        QCOMPARE(encodeFormatLane(20, FormatLane::Source1, kE4m3).value_or(0), 4U);
        QCOMPARE(encodeFormatLane(20, FormatLane::Source2, kE4m3).value_or(0), 0x20U);
        QCOMPARE(encodeFormatLane(20, FormatLane::Output, kE4m3).value_or(0), 0x100U);
        QCOMPARE(encodeFormatLane(7, FormatLane::Output, kFp16).value_or(0), 0x20U);
        QCOMPARE(encodeFormatLane(7, FormatLane::Output, kE5m2).value_or(0), 0x20U);
        for (const std::uint32_t version : {5U, 7U, 11U, 19U}) {
            const Error refused = REFUSED(encodeFormatLane(version, FormatLane::Source1, kE4m3));
            // The chapter quotes it of generations 5 and 7.
            const auto why = laneRefusal(version, FormatLane::Source1, kE4m3);
            QVERIFY(why && why->text == refused.message && !why->source.empty());
            QCOMPARE(why->quoted, version <= 7);
            QCOMPARE(why->text == "Error: Invalid Common InFmt E4M3", version <= 7);
            for (const FormatLane lane : {FormatLane::Source2, FormatLane::Output})
                QVERIFY(!laneRefusal(version, lane, kE4m3)->quoted);
            QCOMPARE(formatWordLayout(version).offset, 0x48U);
            QCOMPARE(formatWordLayout(version).laneBits, 2U);
            QVERIFY(encodeOverflow(version, FormatLane::Source1, false));
            QCOMPARE(encodeOverflow(version, FormatLane::Source1, true).error().message.c_str(),
                     "E4M3Overflow is not supported");
        }
        QVERIFY(!laneRefusal(20, FormatLane::Source1, kE4m3));
        QVERIFY(!laneRefusal(5, FormatLane::Source1, kE5m2)->quoted);
        QCOMPARE(contestedCode(16, format::TensorFormat(1)), std::string_view("format_codes"));
        QVERIFY(contestedCode(17, format::TensorFormat(1)).empty() &&
                contestedCode(5, kFp16).empty());
        const FormatWordLayout wide = formatWordLayout(20);
        QCOMPARE(wide.offset, 0x228U);
        QCOMPARE(wide.overflowSource1.value_or(0), 0x2fcU);
        QCOMPARE(wide.overflowSource2.value_or(0), 0x300U);
        QCOMPARE(encodeOverflow(20, FormatLane::Source2, true).value_or(0), 1U << 24);
        QCOMPARE(decodeFormatLane(20, FormatLane::Output, 0x100).c_str(), "e4m3");
        QCOMPARE(decodeFormatLane(19, FormatLane::Source1, 0).c_str(), "uint8");
        QVERIFY(decodeFormatLane(7, FormatLane::Source1, 0).find("contested") != std::string::npos);
        QCOMPARE(decodeFormatLane(16, FormatLane::Source1, 1).c_str(), "int8 or uint8 (contested)");
        QCOMPARE(decodeFormatLane(17, FormatLane::Source1, 1).c_str(), "int8");
        QCOMPARE(decodeFormatLane(5, FormatLane::Source1, 2).c_str(), "fp16");
        QCOMPARE(decodeFormatLane(20, FormatLane::Source1, 5).c_str(), "code 5");
    }

    void publishedKernelWords_data()
    {
        const auto row = addColumns<unsigned, QByteArray, unsigned, unsigned>();
        row(24, "kernel_fmt", 0x10000082, 2);
        row(24, "palette_enable", 0x10000082, 0);
        row(24, "detect_zeros", 0x10000082, 1);
        row(24, "sparse_fmt", 0x182, 1);
        row(24, "kernel_fmt", 0x10000081, 1);
        row(24, "palette_enable", 0x10000046, 1);
        row(24, "palette_bits", 0x10000046, 4);
        row(17, "align_format", 0x00010082, 1);
        row(7, "palette_bits", 0x82, 8);
        row(7, "bias_mode", 0x101c10, 1);
        row(7, "bias_mode", 0x101c00, 0);
        row(7, "nonlinear_mode", 0x12000c, 2);
        row(7, "op_mode", 0x12000c, 4);
        row(7, "kernel_mode", 0x12000c, 1);
        row(7, "nonlinear_mode", 0x11000c, 1);
        row(24, "kernel_enable", 0x00010040, 1);
        row(24, "kernel_sparse", 0x00010260, 1);
        row(24, "kernel_sparse", 0x00010040, 0);
        row(7, "OCGSize", 0x5000b421, 5);
        row(7, "OCGSize", 0x5000a821, 2);
    }

    void publishedKernelWords()
    {
        const auto [version, role, word, value] =
            fetched<unsigned, QByteArray, unsigned, unsigned>();
        const Role *place = VERIFIED(roleOf(version, role.toStdString()));
        QCOMPARE(place->bits.of(word), value);
    }
};

KERNSCOPE_TEST(TestDescriptorTables, QCoreApplication)
#include "tst_descriptor_tables.moc"
