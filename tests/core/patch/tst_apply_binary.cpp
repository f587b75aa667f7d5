// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/patch/patched_bytes.h"

#include "tests/test_program.h"

#include <sys/mman.h>

using namespace kernscope::patch;

namespace {

using Bytes = std::vector<std::byte>;

Bytes bytesOf(std::string_view text)
{
    Bytes bytes;
    for (const char c : text)
        bytes.push_back(static_cast<std::byte>(c));
    return bytes;
}

/// A number of BPS, from the definition.
std::string number(std::uint64_t value)
{
    std::string text;
    while (true) {
        const auto low = char(value & 0x7F);
        value >>= 7;
        if (value == 0)
            return text + char(low | 0x80);
        text += low;
        --value;
    }
}

std::string little(std::uint32_t value)
{
    std::string text;
    for (int shift = 0; shift < 32; shift += 8)
        text += char(value >> shift & 0xFF);
    return text;
}

std::uint32_t crcOf(std::string_view bytes)
{
    std::uint32_t sum = 0xFFFFFFFF;
    for (const char c : bytes) {
        sum ^= std::uint8_t(c);
        for (int bit = 0; bit < 8; ++bit)
            sum = (sum & 1) != 0 ? sum >> 1 ^ 0xEDB88320 : sum >> 1;
    }
    return ~sum;
}

/// A patch with sound checksums around any steps.
std::string bpsOf(const std::string &source, const std::string &target, const std::string &steps,
                  std::uint64_t targetBytes, const std::string &metadata = {})
{
    std::string patch = "BPS1" + number(source.size()) + number(targetBytes) +
                        number(metadata.size()) + metadata + steps + little(crcOf(source)) +
                        little(crcOf(target));
    return patch + little(crcOf(patch));
}

std::string step(std::uint64_t kind, std::uint64_t length)
{
    return number((length - 1) << 2 | kind);
}

std::string big(std::uint64_t value, int count)
{
    std::string text;
    for (int shift = (count - 1) * 8; shift >= 0; shift -= 8)
        text += char(value >> shift & 0xFF);
    return text;
}

std::string ipsRecord(std::uint64_t offset, const std::string &data)
{
    return big(offset, 3) + big(data.size(), 2) + data;
}

std::string ipsRun(std::uint64_t offset, std::uint64_t length, char byte)
{
    return big(offset, 3) + big(0, 2) + big(length, 2) + byte;
}

const std::string kFile = "0123456789abcdef";

} // namespace

/// Patches that other programs could have written, and faulty ones.
class TestApplyBinary : public QObject
{
    Q_OBJECT

private slots:
    void applies_data()
    {
        addColumns<QByteArray, QByteArray>();
        const auto row = [](const char *name, const std::string &patch, const std::string &made) {
            addRow(name, QByteArray::fromStdString(patch), QByteArray::fromStdString(made));
        };
        row("IPS, nothing", "PATCHEOF", kFile);
        row("IPS, a record", "PATCH" + ipsRecord(2, "XY") + "EOF", "01XY456789abcdef");
        row("IPS, a run", "PATCH" + ipsRun(3, 5, '-') + "EOF", "012-----89abcdef");
        row("IPS, appended", "PATCH" + ipsRecord(16, "gh") + ipsRun(18, 2, 'i') + "EOF",
            kFile + "ghii");
        row("IPS, over the end", "PATCH" + ipsRecord(15, "FG") + "EOF", "0123456789abcdeFG");
        row("IPS, shortened", "PATCH" + ipsRecord(0, "z") + "EOF" + big(4, 3), "z123");
        row("IPS, of no length", "PATCHEOF" + big(0, 3), "");
        row("IPS, later records win", "PATCH" + ipsRecord(0, "aaa") + ipsRecord(1, "b") + "EOF",
            "aba3456789abcdef");
        const auto bps = [&](const char *name, const std::string &steps, const std::string &made,
                             const std::string &metadata = {}) {
            row(name, bpsOf(kFile, made, steps, made.size(), metadata), made);
        };
        bps("BPS, the same", step(0, 16), kFile);
        bps("BPS, empty", "", "");
        bps("BPS, metadata", step(0, 4), "0123", "<about/>");
        bps("BPS, from the patch", step(1, 3) + "xyz" + step(0, 2), "xyz34");
        bps("BPS, from elsewhere", step(2, 4) + number(10 << 1) + step(2, 3) + number(12 << 1 | 1),
            "abcd234");
        bps("BPS, repeated",
            step(1, 2) + "ab" + step(3, 6) + number(0) + step(3, 2) + number(5 << 1 | 1),
            "ababababba");
    }

    void applies()
    {
        const auto [patch, made] = fetched<QByteArray, QByteArray>();
        const auto result =
            VERIFIED(patchedBytes(bytesOf(kFile), bytesOf(patch.toStdString()), "p"));
        QVERIFY(result->content == bytesOf(made.toStdString()));
        const bool checked = patch.startsWith("BPS1");
        QCOMPARE(result->format, checked ? BinaryFormat::Bps : BinaryFormat::Ips);
        QCOMPARE(result->sourceChecked, checked);
        QCOMPARE(result->targetChecked, checked);
    }

    void refused_data()
    {
        addColumns<QByteArray, QByteArray, int>();
        const auto row = [](const char *name, const std::string &patch, const char *code,
                            int offset) {
            addRow(name, QByteArray::fromStdString(patch), QByteArray(code), offset);
        };
        row("nothing", "", "binary_patch.magic", 0);
        row("another format", "UPS1" + std::string(40, 'x'), "binary_patch.magic", 0);
        row("IPS, no end", "PATCH" + ipsRecord(2, "XY"), "binary_patch.cut", 12);
        row("IPS, cut record", "PATCH" + ipsRecord(2, "XY").substr(0, 6), "binary_patch.cut", 10);
        row("IPS, cut run", "PATCH" + big(2, 3) + big(0, 2) + big(9, 2), "binary_patch.cut", 12);
        row("IPS, empty run", "PATCH" + ipsRun(2, 0, 'x') + "EOF", "binary_patch.record", 5);
        row("IPS, behind the file", "PATCH" + ipsRecord(17, "x") + "EOF", "binary_patch.source", 5);
        row("IPS, a record at EOF", "PATCH" + ipsRecord(0x454F46, "abcd") + "EOF",
            "binary_patch.record", 5);
        row("IPS, bytes behind the end", "PATCHEOF" + std::string(4, 'x'), "binary_patch.record",
            5);
        row("IPS, longer than it is", "PATCHEOF" + big(17, 3), "binary_patch.range", 8);
        const auto bps = [&](const char *name, const std::string &steps, std::uint64_t bytes,
                             const char *code, int offset) {
            row(name, bpsOf(kFile, "", steps, bytes), code, offset);
        };
        row("BPS, only a head", "BPS1", "binary_patch.cut", 4);
        bps("BPS, too few steps", step(0, 4), 5, "binary_patch.cut", 8);
        bps("BPS, too many steps", step(0, 4), 3, "binary_patch.range", 7);
        bps("BPS, behind the file", step(1, 1) + "x" + step(0, 16), 17, "binary_patch.range", 9);
        bps("BPS, behind the patch", step(1, 5) + "xyz", 5, "binary_patch.range", 8);
        bps("BPS, from before the file", step(2, 1) + number(1 << 1 | 1), 1, "binary_patch.range",
            8);
        bps("BPS, from behind the file", step(2, 2) + number(15 << 1), 2, "binary_patch.range", 7);
        bps("BPS, far behind the file", step(2, 1) + number(UINT64_MAX - 1), 1,
            "binary_patch.range", 8);
        bps("BPS, repeats nothing", step(3, 1) + number(0), 1, "binary_patch.range", 7);
        bps("BPS, repeats what is to come", step(1, 1) + "x" + step(3, 1) + number(1 << 1), 2,
            "binary_patch.range", 9);
        bps("BPS, a step of 2^62 bytes", number(UINT64_MAX), 5, "binary_patch.range", 7);
        bps("BPS, a number beyond 64 bits", std::string(12, '\x7f') + "\x80", 5,
            "binary_patch.number", 7);
        bps("BPS, another result", step(0, 5), 5, "binary_patch.target", 12);
        bps("BPS, a result of a terabyte", step(0, 5), std::uint64_t{1} << 40, "binary_patch.limit",
            4);
        row("BPS, another file", bpsOf("0123456789abcdeF", kFile, step(0, 16), 16),
            "binary_patch.source", 4);
        row("BPS, a file of another length", bpsOf("0123", kFile, step(0, 4), 4),
            "binary_patch.source", 4);
        std::string metadata =
            "BPS1" + number(16) + number(0) + number(UINT64_MAX) + little(0) + little(0);
        row("BPS, endless metadata", metadata + little(crcOf(metadata)), "binary_patch.cut", 16);
        metadata = "BPS1" + number(16) + number(0) + number(6) + little(0) + little(0);
        row("BPS, metadata over the checksums", metadata + little(crcOf(metadata)),
            "binary_patch.cut", 13);
    }

    /// With a code, the place in the patch and its name.
    void refused()
    {
        const auto [patch, code, offset] = fetched<QByteArray, QByteArray, int>();
        const Error result =
            REFUSED(patchedBytes(bytesOf(kFile), bytesOf(patch.toStdString()), "some.ips"));
        const std::string said = describe(result);
        QVERIFY2(result.code == code.toStdString(), said.c_str());
        QCOMPARE(result.file, "some.ips");
        QVERIFY(result.offset && !result.message.empty());
        QVERIFY2(result.offset->value == std::uint64_t(offset), said.c_str());
    }

    /// A sparse file of a terabyte is not read: neither as the patch nor as what it is for.
    void tooLarge()
    {
        constexpr std::size_t kTerabyte = std::size_t(1) << 40;
        void *mapped = ::mmap(nullptr, kTerabyte, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        QVERIFY(mapped != MAP_FAILED);
        const std::span bytes(static_cast<std::byte *>(mapped), kTerabyte);
        const auto refusal = [](const auto &result) {
            return result ? std::string() : result.error().code;
        };
        std::string head =
            "BPS1" + number(kTerabyte) + number(0) + number(0) + little(0) + little(0);
        head += little(crcOf(head));
        QCOMPARE(refusal(patchedBytes(bytes, bytesOf(head), "p")), "binary_patch.limit");
        QCOMPARE(refusal(patchedBytes(bytes, bytesOf("PATCHEOF"), "p")), "binary_patch.limit");
        std::memcpy(mapped, "BPS1", 4);
        QCOMPARE(refusal(readBinaryPatch(bytes, "p")), "binary_patch.limit");
        ::munmap(mapped, kTerabyte);
    }

    /// Every beginning of a patch is refused, but for those of IPS that end with "EOF".
    void everyCut()
    {
        const std::string ips =
            "PATCH" + ipsRecord(2, "XY") + ipsRun(4, 9, 'q') + "EOF" + big(3, 3);
        const std::string bps =
            bpsOf(kFile, "0abcabc",
                  step(0, 1) + step(2, 3) + number(10 << 1) + step(3, 3) + number(1 << 1), 7);
        QVERIFY(patchedBytes(bytesOf(kFile), bytesOf(bps), "p"));
        for (std::size_t length = 0; length < bps.size(); ++length)
            QVERIFY(!patchedBytes(bytesOf(kFile), bytesOf(bps.substr(0, length)), "p"));
        for (std::size_t length = 0; length < ips.size(); ++length)
            QCOMPARE(patchedBytes(bytesOf(kFile), bytesOf(ips.substr(0, length)), "p").has_value(),
                     length == ips.size() - 3);
    }

    /// Whatever byte of a BPS patch is another one, its checksum says so.
    void everyByteChanged()
    {
        const std::string bps =
            bpsOf(kFile, "0xabc", step(0, 1) + step(1, 1) + "x" + step(2, 3) + number(10 << 1), 5);
        for (std::size_t i = 0; i < bps.size(); ++i) {
            std::string changed = bps;
            changed[i] = char(changed[i] ^ 0x20);
            const Error result = REFUSED(patchedBytes(bytesOf(kFile), bytesOf(changed), "p"));
            QVERIFY(result.code == (i < 4 ? "binary_patch.magic" : "binary_patch.checksum"));
        }
    }

    /// What a patch says of itself tells which file it is for, and whether it was applied already.
    void head()
    {
        const std::string made = "012";
        const std::string bps = bpsOf(kFile, made, step(0, 3), 3);
        const auto head = VERIFIED(readBinaryPatch(bytesOf(bps), "p"));
        QCOMPARE(head->sourceBytes, std::optional<std::uint64_t>(16));
        QCOMPARE(head->targetBytes, std::optional<std::uint64_t>(3));
        QVERIFY(head->isFor(bytesOf(kFile)) && !head->isFor(bytesOf(made)));
        QCOMPARE(REFUSED(patchedBytes(bytesOf(made), bytesOf(bps), "p")).message,
                 "The file is what the patch makes already");
        const auto ips = readBinaryPatch(bytesOf("PATCHEOF"), "p");
        QVERIFY(ips && !ips->isFor(bytesOf(kFile)) && !ips->sourceBytes);
    }

    void cancelled()
    {
        Progress progress;
        progress.cancel();
        for (const std::string &patch :
             {"PATCH" + ipsRecord(2, "XY") + "EOF", bpsOf(kFile, kFile, step(0, 16), 16)}) {
            QCOMPARE(REFUSED(patchedBytes(bytesOf(kFile), bytesOf(patch), "p", &progress)).code,
                     "task.cancelled");
        }
    }
};

KERNSCOPE_TEST(TestApplyBinary, QCoreApplication)
#include "tst_apply_binary.moc"
