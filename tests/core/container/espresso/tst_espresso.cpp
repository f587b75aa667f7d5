// SPDX-License-Identifier: GPL-3.0-or-later
// Made-up compiled networks of the published layout.
#include "core/container/espresso/espresso.h"
#include "rewrite.h"

#include "core/bundle/byte_field.h"
#include "core/patch/patch.h"
#include "made_bundle.h"
#include "made_espresso.h"

namespace {

BundlePtr openNet(const std::string &net, const Payload &weights)
{
    return Bundle::open("n.mlmodelc", {.memory = {{"model.espresso.net", bytesOfText(net)},
                                                  {"model.espresso.weights", weights}}})
        .value_or(nullptr);
}

std::string codes(const Bundle &bundle)
{
    std::string text;
    for (const Diagnostic &row : bundle.diagnostics())
        text += row.error.code + " ";
    return text;
}

// espressoNet() as Apple's lzfse compresses it (pyliblzfse 0.4.1): alone, a block of LZVN; behind
// 4,200 blanks, one of LZFSE.
constexpr const char *kSteps =
    "YnZ4bkcDAACsAQAA4CV7InN0b3JhZ2UiOiAibW9kZWwuZXNwcmVzc28ud2VpZ2h0cyIsICJmb3JtYXRfdmVyc2lv"
    "bgAswBcyMDDAEmxheQAP6VsKICB7InR5cBBI6GNvbnZvbHV0CCsAJsgXbmFt9QgQ5mJvdHRvbQgSiHppbQATyBB0"
    "b3BIDGFIX0MACEZLRjGQEU54AGIADGAVeehuX2dyb3VwcyAP6Whhc19iaWFzZSgR5WJsb2JfKMHIEzogM/Q4JfM4"
    "IOR7fX0sOMPz5mJhdGNobgD2OMHymL9ibvhou2HzbmLyEKoYbihG5l9wYXJhbQhqaHg18AY5O/3kaGFsZvr0aHxi"
    "825jCNUJN24ybjHwBjkm8uRfZjE2ABdooDfwBu1pbm5lcl9wcm9kdWN0OKLymKBmY/huY/NQKWRhiEJpJm7zObjz"
    "ClI4e/HlIldfVTgACUAXOUB1cOhjaF9xc2NhbAhvmBUxM/UIQQgUaK0x+Odzb2Z0bWF4OKfyALpoqWL2bmTzkNRv"
    "dTkA8hio6GF0dHJpYnV09eV7ImlzXwAr63B1dCI6IDF9fV19BgAAAAAAAABidngk";
constexpr const char *kStates =
    "YnZ4Mq8TAAAEAnARANkCIB1AtpZiowQgrQAAADwMoACvwKWqKiAqCozb04ulqiikonat1XlwMM+Ojo6Oz8/vXoDD"
    "m70qAAAAAAAAAAAAAHweXwgAAAAAAO8KDwEAAIcM5tkYJEkOAYAEAAgMAAgBQjjnETg+nOcn8+QQjg5Pn4HTvAAv"
    "wCNwNjImkxMAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAADgm+fXLtcQx8IE/s71FdPOATzmBAb8"
    "m05xc17aTVnBitA4LuGeB9C/N3ftVDm/9Z9wuxw/vJ+v4sCj5pPA/+6Db99tlEdMPD2wHhiHawYPI0GDRwDQPD7+"
    "2eVvLjzMk+3Jclg55WBuMM1tpqwBmBkwO08TzA8/6470HV1BTvs1ex6pcyqAKk2YpkVtd+wPHLPMhWkM2u9uVPxC"
    "qmG7iJKtdUOgzBgW0et7FNGCPwKONA3GclMDLg8Q34Klq2WdFmjnup8GNMFBOIrmIcUKEMbxM4sw02BuUpeAUQs1"
    "U3cXzkbaS9Cz39shl4Xzm+//CQRbONaWmYHKRzOIrgn+jcFwX/IYfhkhuz0z5/AWcDG4/KD7aAAAAAAAAAAAAAAQ"
    "4KdnKCJfHC+tMcybMH0lrIDoeNip4hsW0XPK+YuQVz21eJkve3DlTKCvRvuZiNl3Vf+o2Q38O2rwD9AD6OuP9xka"
    "H5c/1VnCDgdQ/uQO1duC/Xxy15nx43MTVkqLTix7Wb333IiLiM3MZDIsWKe4LWMmxmmQPePNhCJPTh8wOCxE2Vc8"
    "2LL2MVXjgfjdVzOmq1Semk8HBzb28FIdsiIaWVO0fle4LLWk12qalKkOxEgwgm3R3JJnaOzSTqtz61L1pszr1yc3"
    "QavF7iJBdXI1ND5r7QOZyYQ5qL098GPFEg3oM44OLnP3qSwoUSOUno4xgbmjT9GmD6DmqS5hsZ7U9K2qefellU7X"
    "ZHQdRHYa3AmVWjI7CWRLgCqJ8S9g72k07JujAhwWU/sX9BnDeUdmTuNYC23VapBjWqraD3oAYii274vWhLC6yKb/"
    "D1ULA4+Xom0/owCpPjkyM7aCuDlm3OjrMZpcPMdXOQRntoTwTsIIQe+WiVSsGc0LJ4TzyXizaeCCSzEJuxv7DALj"
    "3G/Tr3UOZp87jQWpbCKlqczHNA4KTX5bNo/lMiqbHXgTr3/AQyY3OFKdIgaF5HHXVBYjXEjsp4kE8BWlBuFKMGop"
    "6mr7t59mAIjiCtmCBaKN2NwnvLdyUNCCDrYkX8KhFgVOtFp6t+QWfEnppH59g59RZmxFynWxVYcqeyIN4B191heU"
    "SZDwbJSx343qKC71BsOxdFxDi7okQ6W98/GSmY1520BPpNHdElpt+g2FD48GEh/FbZ/HaDOZnL9FZFwnPYlP06zN"
    "8Ffy0+hLpTUhCLSdMc+ZTFFMuIX+L+xDR+dvi54fanTofW0hbJOVB9cLE8jM/jwUDBBz1hz4TpbgYDPEjiCoQBcs"
    "y4m8Pfxi8gRDN/l2FSLjg4w83U7SzGhtJHlw+aRtOJN4W9T+p2G5Sev+0+oWhUlttHeHk/EnogHdU/I7fEIt3VeZ"
    "5sCk/SqJKfs7/6ctddXne9DLxebefRtEMg6taANv50x4nn8V6Fv2rPRO6mrMiQm2g2C8VPUgDgw8kI2xbDSW4QEv"
    "e5K6XxW8RHXK48GPYOTeHhAnxS9tFTRJHjYnlrE2hHFcsQmD9YfpLAsbevF7z5s+p0DqGjsZuEWmyPqFP8P22z2n"
    "yojTmVJ6h/a/7uf9hyiY+rwM9SZx7B2UO8UBeQJc3TFOaE0gdlv+f4oYChW0CQBCaexWEKjL+WBCoVg3+XmN8fdS"
    "h+VEgBp42ZgqKvb9KS4XwOwUkAqvr7dv1wpTV2QBbp1RMjQ5rQhUof1zNf26xmWsQyik+GzOn4ZiUxbxQa2XTzip"
    "4FPzYaxCSn0rmGjGcXms09tZKMZBH6vemynNR0HUcUpwq3qbLtTBDqoAu+gu2U7fm1P140Kb1IAesD3+zvh2GbuD"
    "DdyHTiiLnhy1koVoqSwO4EfhK3fTIUNlJ9Da31aC50O2eSgwyYXfZGJ7Js501Kgipsa6AVmoE2zTaEGofspR0Mx0"
    "xo0YWJP5mIB1KZf0m9WyzsG3770LHOjHy8EbbaasJQZYZlJ6pmo/lydLgjZY5vgUcThxEMmIBmJ2eCQ=";

/// A compressed text of chunks: what each holds, and how it is stored.
QByteArray packedNet(const std::vector<std::pair<qsizetype, QByteArray>> &chunks)
{
    QByteArray bytes("pbze\0\0\0\0\0\x10\0\0", 12);
    for (const auto &[size, stored] : chunks) {
        for (const qsizetype number : {size, stored.size()}) {
            for (int shift = 56; shift >= 0; shift -= 8)
                bytes += char(quint64(number) >> shift);
        }
        bytes += stored;
    }
    return bytes;
}

} // namespace

class TestEspresso : public QObject
{
    Q_OBJECT

private slots:
    void reads()
    {
        const auto opened = VERIFIED(Bundle::open("n.mlmodelc", madeEspresso()));
        const Bundle &bundle = **opened;
        QCOMPARE(codes(bundle), std::string());
        QCOMPARE(bundle.kind(), BundleKind::Mlmodelc);
        QCOMPARE(bundle.weights().size(), 8U);
        QCOMPARE(decoded(bundle, "conv.weights"), (std::vector<float>{1, 2, 3, 4}));
        QCOMPARE(bundle.weights()[*bundle.weightByName("conv.weights")].shape, (Shape{2, 1, 1, 2}));
        QCOMPARE(decoded(bundle, "conv.bias"), (std::vector<float>{0.25F, -0.25F}));
        QCOMPARE(decoded(bundle, "bn.gamma"), (std::vector<float>{1, 2}));
        QCOMPARE(decoded(bundle, "bn.beta"), (std::vector<float>{0, 0.5F}));
        QCOMPARE(decoded(bundle, "bn.mean"), (std::vector<float>{0, 0}));
        QCOMPARE(decoded(bundle, "bn.variance"), (std::vector<float>{1, 1}));
        QCOMPARE(sectionFault(bundle), std::string());
        QCOMPARE(decoded(bundle, "half.weights"), (std::vector<float>{0.5F, -2}));
        // code * scale + bias, a scale and a bias a row.
        QCOMPARE(decoded(bundle, "fc.weights"),
                 (std::vector<float>{-1, -0.75F, -0.5F, 125.5F, 48, 98}));
        QCOMPARE(formText(bundle.weights()[*bundle.weightByName("fc.weights")].form), "affine");
        const mil::Function &function = bundle.program()->functions.at(0);
        QCOMPARE(function.body.operations.size(), 5U);
        QCOMPARE(function.inputs.at(0).name, "image");
        QCOMPARE(function.body.outputs, (std::vector<std::string>{"out"}));
        QCOMPARE(bundle.program()->version, "2.0");
    }

    /// Codes of [inputs, outputs] are the weight of [outputs, inputs]: a scale an output.
    void transposedCodes()
    {
        const std::string net =
            R"({"layers": [{"type": "inner_product", "name": "fc", "bottom": "a", "top": "b",)"
            R"("nB": 2, "nC": 3, "weights": {"W_t_int8": 1, "per_ch_qscale": 3}}]})";
        Payload bytes;
        for (const int code : {1, 2, 3, -4, -5, -6})
            bytes.push_back(std::byte(code));
        const BundlePtr bundle =
            VERIFIED(openNet(net, espressoWeights({{1, bytes}, {3, floatsOf({1, 10, 0.5F})}})));
        QCOMPARE(codes(*bundle), std::string());
        QCOMPARE(bundle->weights().at(0).shape, (Shape{3, 2}));
        QCOMPARE(decoded(*bundle, "fc.weights"), (std::vector<float>{1, -4, 20, -50, 1.5F, -3}));
    }

    /// Count and entries of the weight file are its own, and so is the number of its blobs.
    void fieldsOfTheTable()
    {
        OpenOptions options = madeEspresso();
        for (auto &[path, bytes] : options.memory) {
            if (path.ends_with(".weights"))
                bytes = espressoWeights({{1, floatsOf({0.25F, -0.25F})}, {99, Payload(4)}});
        }
        const auto opened = VERIFIED(Bundle::open("n.mlmodelc", options));
        const std::size_t file = *(*opened)->fileByPath("model.espresso.weights");
        const auto field = [&](std::uint64_t at) {
            return fieldAt(**opened, file, FileOffset(at));
        };
        QCOMPARE(field(7).text, "header: number of blobs (uint64)");
        QCOMPARE(field(24).text, "entry 1: number of the blob (uint64)");
        QCOMPARE(field(33).text, "entry 1: bytes of the blob (uint64)");
        QCOMPARE(field(33).bytes, (ByteRange{FileOffset(32), ByteCount(8)}));
        QCOMPARE((*opened)->files()[file].records, 2U);
        QCOMPARE((*opened)->files()[file].unusedRecords, 1U);
    }

    void compressed_data()
    {
        const auto row = addColumns<QByteArray>();
        const auto net = QByteArray::fromStdString(espressoNet());
        const auto steps = QByteArray::fromBase64(kSteps), states = QByteArray::fromBase64(kStates);
        row("LZVN", packedNet({{net.size(), steps}}));
        row("LZFSE", packedNet({{4200 + net.size(), states}}));
        row("as it is", packedNet({{net.size(), net}}));
        row("chunks", packedNet({{100, net.left(100)}, {net.size() - 100, net.mid(100)}}));
        QByteArray size(4, 0);
        qToLittleEndian(quint32(net.size()), size.data());
        row("a plain block", packedNet({{net.size(), "bvx-" + size + net + "bvx$"}}));
    }

    void compressed()
    {
        const auto [net] = fetched<QByteArray>();
        OpenOptions options = madeEspresso();
        const auto sound = VERIFIED(Bundle::open("n.mlmodelc", madeEspresso()));
        for (auto &[path, bytes] : options.memory) {
            if (path == "model.espresso.net")
                bytes = bytesOfText(net.toStdString());
        }
        const auto opened = VERIFIED(Bundle::open("n.mlmodelc", std::move(options)));
        QCOMPARE(codes(**opened), std::string());
        QCOMPARE((*opened)->weights().size(), (*sound)->weights().size());
        QCOMPARE(decoded(**opened, "fc.weights"), decoded(**sound, "fc.weights"));
        QCOMPARE((*opened)->program()->functions[0].body.operations.size(), 5U);
    }

    /// Its place is one of the unpacked text, which the file does not have.
    void faultsOfCompressedTexts()
    {
        const QByteArray text = QByteArray(100, ' ') + "{]";
        const BundlePtr bundle =
            VERIFIED(openNet(packedNet({{text.size(), text}}).toStdString(), Payload(8)));
        QCOMPARE(codes(*bundle), "espresso.net ");
        const Error &error = bundle->diagnostics().front().error;
        QCOMPARE(error.offset, std::optional(FileOffset(0)));
        QVERIFY2(error.found.ends_with("at byte 101 of the unpacked text"), error.found.c_str());
    }

    /// Extents of values alone are lost with the shapes, and it is said.
    void shapes_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        const QByteArray text = R"({"layer_shapes": {"image": {"n": 1, "k": 1, "h": 1, "w": 4}}})";
        row("sound", text, "");
        row("compressed", packedNet({{text.size(), text}}), "");
        row("no object", "[]", "espresso.shape ");
        row("cut", text.chopped(1), "espresso.shape ");
        row("cut chunk", packedNet({{text.size(), text}}).chopped(1), "espresso.compressed ");
    }

    void shapes()
    {
        const auto [shape, code] = fetched<QByteArray, QByteArray>();
        OpenOptions options = madeEspresso();
        for (auto &[path, bytes] : options.memory) {
            if (path == "model.espresso.shape")
                bytes = bytesOfText(shape.toStdString());
        }
        const auto opened = VERIFIED(Bundle::open("n.mlmodelc", std::move(options)));
        QCOMPARE(codes(**opened), code.toStdString());
        QCOMPARE((*opened)->weights().size(), 8U);
        const auto &input = (*opened)->program()->functions.at(0).inputs.at(0);
        QCOMPARE(!input.type.dims.empty(), code.isEmpty());
    }

    /// One value, one code, one scale: the bytes announced, and what the others decode to stays.
    void patches()
    {
        const auto opened = VERIFIED(Bundle::open("n.mlmodelc", madeEspresso()));
        BundlePtr bundle = *opened;
        for (const auto &[text, name, wanted] :
             {std::tuple("conv.weights[1,0,0,0]=-7", "conv.weights",
                         std::vector<float>{1, 2, -7, 4}),
              std::tuple("bn.beta[1]=3", "bn.beta", std::vector<float>{0, 3}),
              std::tuple("fc.weights[0,1]=1", "fc.weights",
                         std::vector<float>{-1, 1, -0.5F, 125.5F, 48, 98})}) {
            const auto edit = VERIFIED(parseEdit(Edit::Kind::Set, text));
            const auto planned = VERIFIED(planEdits(bundle, {*edit}, 0));
            const auto after = VERIFIED(applyEdit(bundle, planned->front()));
            QCOMPARE(decoded(**after, name), wanted);
        }
    }

    void faults_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        const auto layer = [](const char *fields) {
            return QByteArray(
                       R"({"format_version":200,"layers":[{"type":"inner_product","name":"fc",)"
                       R"("bottom":"a","top":"b",)") +
                   fields + "}]}";
        };
        row("no JSON", "{\"layers\": [", "espresso.net ");
        row("no layers", "{}", "espresso.net ");
        row("no chunk", "pbze....", "espresso.compressed ");
        const QByteArray block = QByteArray::fromBase64(kSteps);
        const auto size = qsizetype(espressoNet().size());
        row("another size", packedNet({{size + 1, block}}), "espresso.compressed ");
        row("chunk too long", packedNet({{size, block}}).chopped(1), "espresso.compressed ");
        row("no end", packedNet({{size, block.chopped(4)}}), "espresso.compressed ");
        row("another block", packedNet({{size, "bvx1" + block.mid(4)}}), "espresso.compressed ");
        row("too far back", packedNet({{size, block.left(12) + "\x38\x01" + block.mid(14)}}),
            "espresso.compressed ");
        row("missing", layer(R"("nB":2,"nC":2,"blob_weights":99)"), "espresso.missing ");
        row("length", layer(R"("nB":2,"nC":3,"blob_weights":1)"), "espresso.length ");
        row("extents too large", layer(R"("nB":4294967296,"nC":4294967297,"blob_weights":1)"),
            "espresso.length ");
        row("scales", layer(R"("nB":2,"nC":4,"weights":{"W_U8":3})"), "espresso.length ");
        row("negative", layer(R"("nB":2,"nC":2,"blob_weights":-1)"), "");
        row("sound", layer(R"("nB":2,"nC":1,"blob_weights":1)"), "");
    }

    void faults()
    {
        const auto [net, code] = fetched<QByteArray, QByteArray>();
        const Payload weights = espressoWeights({{1, floatsOf({1, 2})}, {3, Payload(8)}});
        const BundlePtr bundle = VERIFIED(openNet(net.toStdString(), weights));
        QCOMPARE(codes(*bundle), code.toStdString());
    }

    void tables()
    {
        const Payload sound = espressoWeights({{1, Payload(4)}, {3, Payload(6)}});
        const auto table = VERIFIED(espresso::readBlobs(sound, "w"));
        QCOMPARE(table->blobs.size(), 2U);
        QCOMPARE(table->find(3)->data.offset, FileOffset(44));
        QCOMPARE(*espresso::writeBlobs(*table, sound), sound);
        QVERIFY(!espresso::writeBlobs(*table, std::span(sound).first(49)));
        const auto code = [](const Payload &bytes) {
            const auto read = espresso::readBlobs(bytes, "w");
            return read ? std::string() : read.error().code;
        };
        QCOMPARE(code(Payload(7)), "espresso.table");
        Payload many = sound;
        many[7] = std::byte{0x80};
        QCOMPARE(code(many), "espresso.table");
        Payload cut(sound.begin(), sound.end() - 1);
        QCOMPARE(code(cut), "espresso.blob");
        QCOMPARE(code(espressoWeights({{1, Payload(4)}, {1, Payload(4)}})), "espresso.blob");
    }
};

KERNSCOPE_TEST(TestEspresso, NoApplication)
#include "tst_espresso.moc"
