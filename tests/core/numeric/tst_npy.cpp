// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/numeric/npy.h"
#include "tests/test_program.h"

namespace {

/// A file of format version 1 with this header text and these elements.
QByteArray file(const QByteArray &header, const QByteArray &data, char version = 1)
{
    QByteArray out("\x93NUMPY");
    out += version;
    out += '\0';
    out += char(header.size() & 0xff);
    out += char(header.size() >> 8);
    if (version > 1)
        out += QByteArray(2, '\0');
    return out + header + data;
}

QByteArray described(const char *type, const char *order, const char *shape)
{
    return "{'descr': '"_ba + type + "', 'fortran_order': " + order + ", 'shape': " + shape +
           ", }\n";
}

} // namespace

/// NumPy files, as NEP 1 has them and as they should not be.
class TestNpy : public QObject
{
    Q_OBJECT

private slots:
    /// A name leads back to its type; weights pack what NumPy does not, which has no name.
    void namesOfTypes()
    {
        QCOMPARE(numpyTypeName(ElementType::Fp16), "<f2");
        QCOMPARE(numpyTypeName(ElementType::Uint8), "u1");
        int named = 0;
        for (int type = 0; type < 64; ++type) {
            const std::string name = numpyTypeName(static_cast<ElementType>(type));
            if (name.empty())
                continue;
            ++named;
            const auto bytes = std::size_t(name.back() - '0');
            QCOMPARE(numpyElementType(name[name.size() - 2], bytes),
                     static_cast<ElementType>(type));
            QCOMPARE(name.front() == '<', bytes > 1);
        }
        QCOMPARE(named, 11);
        QVERIFY(numpyTypeName(ElementType::Bool).empty() &&
                numpyTypeName(ElementType::Int4).empty());
        QVERIFY(!numpyElementType('f', 1) && !numpyElementType('c', 8));
    }

    void headers_data()
    {
        const auto row = addColumns<bool, QList<qulonglong>, QByteArray>();
        row("scalar", true, {}, "{'descr': '<f2', 'fortran_order': False, 'shape': (), }");
        row("vector", false, {3}, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }");
        row("matrix", true, {2, 3}, "{'descr': '<f2', 'fortran_order': False, 'shape': (2, 3), }");
    }

    void headers()
    {
        const auto [half, shape, start] = fetched<bool, QList<qulonglong>, QByteArray>();
        const auto header = QByteArray::fromStdString(npyHeader(
            half ? ElementType::Fp16 : ElementType::Fp32, Shape(shape.begin(), shape.end())));
        QCOMPARE(header.left(8), QByteArray("\x93NUMPY\x01\x00", 8));
        QCOMPARE(header.mid(10, start.size()), start);
        QCOMPARE(header.size() % 64, 0);
        QCOMPARE(header.back(), '\n');
        QCOMPARE(int(static_cast<unsigned char>(header[8])), int(header.size()) - 10);
    }

    void types_data()
    {
        addColumns<QByteArray, QByteArray, QList<double>>();
        const auto row = [](const char *type, const char *hex, QList<double> values) {
            addRow(type, QByteArray(type), QByteArray::fromHex(hex), values);
        };
        row("<f2", "003c00c0", {1, -2});
        row(">f2", "3c00c000", {1, -2});
        row("<f4", "0000c03f000080ff", {1.5, -HUGE_VAL});
        row("<f8", "000000000000f83f9a9999999999b93f", {1.5, 0.1});
        row("|i1", "ff7f", {-1, 127});
        row("|u1", "ff7f", {255, 127});
        row("<i2", "feff0180", {-2, -32767});
        row(">i2", "fffe0100", {-2, 256});
        row("<u2", "feff0180", {65534, 32769});
        row("<i4", "ffffffff01000000", {-1, 1});
        row("<u4", "ffffffff01000000", {4294967295.0, 1});
        row("<i8", "ffffffffffffffff0100000000000000", {-1, 1});
        row("<u8", "ffffffffffffffff0100000000000000", {18446744073709551616.0, 1});
        row("|b1", "0001", {0, 1});
        row("=f4", "0000803f00000040", {1, 2});
    }

    void types()
    {
        const auto [type, data, values] = fetched<QByteArray, QByteArray, QList<double>>();
        for (const char version : {'\x01', '\x02', '\x03'}) {
            const QByteArray content = file(described(type, "False", "(2,)"), data, version);
            const auto array = VERIFIED(readNpy(asSpan(content), "x.npy"));
            QCOMPARE(array->shape, Shape{2});
            QCOMPARE(QList<double>(array->values.begin(), array->values.end()), values);
        }
    }

    void fortranOrder()
    {
        // Element (i, j, k) of shape (2, 3, 2) is 100 i + 10 j + k; on file i runs first.
        QByteArray data;
        for (const int k : {0, 1}) {
            for (const int j : {0, 1, 2}) {
                for (const int i : {0, 1})
                    data += QByteArray(1, char(100 * i + 10 * j + k));
            }
        }
        const QByteArray content = file(described("|u1", "True", "(2, 3, 2)"), data);
        const auto array = VERIFIED(readNpy(asSpan(content), "x.npy"));
        const std::vector<double> expected{0, 1, 10, 11, 20, 21, 100, 101, 110, 111, 120, 121};
        QCOMPARE(array->values, expected);
    }

    /// Any part of an array is what the whole has there.
    void inRuns()
    {
        std::mt19937 random(5);
        for (const char *type : {"<f2", "<f4", ">f4", "<f8", "|i1", ">u2", "<i8", "|b1"}) {
            for (const char *order : {"False", "True"}) {
                const auto bytes = qsizetype(type[2] - '0');
                QByteArray data(bytes * 4 * 3 * 5, '\0');
                for (char &byte : data)
                    byte = char(random() % 64);
                const QByteArray content = file(described(type, order, "(4, 3, 5)"), data);
                const auto whole = readNpy(asSpan(content), "x.npy");
                const auto layout = readNpyLayout(asSpan(content), "x.npy");
                QVERIFY(whole && layout);
                for (std::size_t first = 0; first <= 60; ++first) {
                    for (const std::size_t count : {0u, 1u, 7u, 60u}) {
                        std::vector<double> part(std::min<std::size_t>(count, 60 - first));
                        readNpyElements(asSpan(content), *layout, first, part);
                        QVERIFY(std::equal(part.begin(), part.end(),
                                           whole->values.begin() + qsizetype(first)));
                        if (type[1] != 'f' || type[2] == '8')
                            continue;
                        std::vector<float> floats(part.size());
                        readNpyElements(asSpan(content), *layout, first, floats);
                        QVERIFY(std::equal(floats.begin(), floats.end(), part.begin()));
                    }
                }
            }
        }
    }

    void roundTrip()
    {
        std::mt19937 random(3);
        for (const Shape &shape :
             {Shape{}, Shape{7}, Shape{3, 5}, Shape{2, 1, 4, 3}, Shape{0, 4}}) {
            std::vector<float> values(elementCount(shape)->value);
            for (float &value : values)
                value = float(random()) / 1e9f - 2.0f;
            QByteArray content = QByteArray::fromStdString(npyHeader(ElementType::Fp32, shape));
            content += QByteArray(reinterpret_cast<const char *>(values.data()),
                                  qsizetype(values.size() * 4));
            const auto array = VERIFIED(readNpy(asSpan(content), "x.npy"));
            QCOMPARE(array->shape, shape);
            QCOMPARE(array->values, std::vector<double>(values.begin(), values.end()));
        }
    }

    void faults_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        const QByteArray two = QByteArray::fromHex("003c003c");
        const auto header = [&](const char *type, const char *order, const char *shape) {
            return file(described(type, order, shape), two);
        };
        const QByteArray good = header("<f2", "False", "(2,)");
        row("empty", "", "npy.magic");
        row("text", "hello, this is no array", "npy.magic");
        row("cut in the magic", good.left(5), "npy.magic");
        row("cut in the length", good.left(9), "npy.header");
        row("cut in the header", good.left(40), "npy.header");
        row("cut in the elements", good.left(good.size() - 1), "npy.length");
        row("bytes behind", good + "x", "npy.length");
        row("version 9", file(described("<f2", "False", "(2,)"), two, 9), "npy.magic");
        row("complex", header("<c8", "False", "(2,)"), "npy.type");
        row("object", header("|O", "False", "(2,)"), "npy.type");
        row("fp128", header("<f16", "False", "(2,)"), "npy.type");
        row("structure",
            file("{'descr': [('a', '<f2')], 'fortran_order': False, 'shape': (2,)}", two),
            "npy.type");
        row("huge", header("<f2", "False", "(18446744073709551615,)"), "npy.length");
        row("too large a number", header("<f2", "False", "(18446744073709551616,)"), "npy.header");
        row("overflow", header("<f2", "False", "(4294967296, 4294967297)"), "npy.length");
        row("negative", header("<f2", "False", "(-2,)"), "npy.header");
        row("no tuple", header("<f2", "False", "2"), "npy.header");
        row("maybe", header("<f2", "Maybe", "(2,)"), "npy.header");
        row("missing key", file("{'descr': '<f2', 'shape': (2,)}", two), "npy.header");
        row("key twice", file("{'descr': '<f2', 'descr': '<f2', 'shape': (2,)}", two),
            "npy.header");
        row("unknown key", file("{'x': 1}", two), "npy.header");
        row("open string", file("{'descr: ", two), "npy.header");
        row("text behind", file(described("<f2", "False", "(2,)") + "x", two), "npy.header");
        row("deep tuple", file(described("<f2", "False", "(") + QByteArray(60000, '('), two),
            "npy.header");
    }

    void faults()
    {
        const auto [content, code] = fetched<QByteArray, QByteArray>();
        const Error array = REFUSED(readNpy(asSpan(content), "x.npy"));
        QCOMPARE(QByteArray::fromStdString(array.code), code);
        QCOMPARE(array.file, "x.npy");
        QVERIFY(!array.message.empty());
    }

    void anyBytesGiveAnAnswer()
    {
        const QByteArray good = file(described("<i4", "True", "(2, 2)"), QByteArray(16, 'x'));
        std::mt19937 random(11);
        for (int i = 0; i < 20000; ++i) {
            QByteArray bad = good.left(qsizetype(random() % std::size_t(good.size() + 1)));
            for (int n = 0; n < 3 && !bad.isEmpty(); ++n)
                bad[qsizetype(random() % std::size_t(bad.size()))] = char(random());
            const auto array = readNpy(asSpan(bad), "x.npy");
            if (array)
                QCOMPARE(array->values.size(), std::size_t{elementCount(array->shape)->value});
        }
    }
};

KERNSCOPE_TEST(TestNpy, NoApplication)
#include "tst_npy.moc"
