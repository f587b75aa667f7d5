// SPDX-License-Identifier: GPL-3.0-or-later
// Made-up ExecuTorch programs of the published layout (program.fbs, inmemoryfs).
#include "core/container/pte/pte.h"

#include "core/base/little_endian.h"
#include "made_bundle.h"
#include "made_module.h"
#include "tests/test_program.h"

namespace {

/// A FlatBuffer written from its root on: every slot has eight bytes, what it refers to follows.
struct Writer {
    Bytes bytes;

    void put(std::size_t at, std::uint64_t value, unsigned width)
    {
        for (unsigned i = 0; i < width; ++i)
            bytes[at + i] = std::byte(value >> (8 * i) & 0xff);
    }
    /// A table with these slots present.
    std::size_t table(const std::vector<unsigned> &present)
    {
        const unsigned count = present.empty() ? 0 : *std::ranges::max_element(present) + 1;
        while (bytes.size() % 8 != 0)
            bytes.emplace_back();
        const std::size_t vtable = bytes.size(), at = vtable + (4 + 2 * count + 7) / 8 * 8;
        bytes.resize(at + 8 + 8 * count);
        put(vtable, 4 + 2 * count, 2);
        put(vtable + 2, 8 + 8 * count, 2);
        for (const unsigned slot : present)
            put(vtable + 4 + 2 * slot, 8 + 8 * slot, 2);
        put(at, at - vtable, 4);
        return at;
    }
    static std::size_t slot(std::size_t table, unsigned number) { return table + 8 + 8 * number; }
    void refer(std::size_t from, std::size_t to) { put(from, to - from, 4); }
    /// What a slot refers to begins here: a vector of that number of entries, or a text.
    std::size_t vector(std::size_t from, std::size_t count, std::size_t entryBytes)
    {
        while (bytes.size() % 4 != 0)
            bytes.emplace_back();
        const std::size_t at = bytes.size();
        refer(from, at);
        bytes.resize(at + 4 + count * entryBytes);
        put(at, count, 4);
        return at + 4;
    }
    void text(std::size_t from, std::string_view text)
    {
        const std::size_t at = vector(from, text.size(), 1);
        for (std::size_t i = 0; i < text.size(); ++i)
            bytes[at + i] = std::byte(text[i]);
        bytes.emplace_back();
    }
};

Bytes ofText(std::string_view text)
{
    Bytes bytes(text.size());
    std::ranges::transform(text, bytes.begin(), [](char c) { return std::byte(c); });
    return bytes;
}

/// The files of a compiled model and the list of them, backwards.
Bytes packed(const MadeBundle &made, std::string list = {})
{
    const Bytes program = ofText(made.text());
    const Bytes blobs = made.weights();
    Bytes data = program;
    data.insert(data.end(), blobs.begin(), blobs.end());
    if (list.empty())
        list = fmt::format(
            R"({{"nodes":[{{"name":"model.mil","kind":0,"dataRegion":{{"offset":0,"size":{}}}}},)"
            R"({{"name":"weight.bin","kind":0,"dataRegion":{{"offset":{},"size":{}}}}},)"
            R"({{"name":"weights","kind":1,"children":{{"weight.bin":1}}}},)"
            R"({{"name":"model.mlmodelc","kind":1,"children":{{"model.mil":0,"weights":2}}}},)"
            R"({{"name":"lowered_module","kind":1,"children":{{"model.mlmodelc":3}}}}]}})",
            program.size(), program.size(), blobs.size());
    std::ranges::reverse(list);
    const Bytes end = ofText(list);
    data.insert(data.end(), end.begin(), end.end());
    return data;
}

MadeBundle weights(const char *name = "w")
{
    MadeBundle made;
    made.layer(name, "[2]", halves({3, -5}));
    return made;
}

/// Data of a program under a name.
struct Named {
    std::string key;
    Bytes bytes;
};

/// One method with one delegate, listed that often, whose data are a segment or stand in the
/// FlatBuffer. Named data are segments behind it; `step`: the next delegate has the next one.
Bytes program(std::string_view backend, const Bytes &data, bool segment, std::uint32_t index = 0,
              const std::vector<Named> &named = {}, std::size_t often = 1, unsigned step = 0)
{
    Writer writer;
    writer.bytes = ofText("....ET12eh00");
    writer.bytes.resize(32);
    writer.put(12, 24, 4);
    const std::size_t root = writer.table({1, segment ? 4U : 3U, 7});
    writer.put(0, root, 4);
    std::size_t entry = writer.vector(Writer::slot(root, 1), 1, 4);
    const std::size_t plan = writer.table({0, 7});
    writer.refer(entry, plan);
    writer.text(Writer::slot(plan, 0), "forward");
    entry = writer.vector(Writer::slot(plan, 7), often, 4);
    for (std::size_t i = 0; i < often; ++i) {
        const std::size_t delegate = writer.table({0, 1});
        writer.refer(entry + 4 * i, delegate);
        writer.text(Writer::slot(delegate, 0), backend);
        const std::size_t place = writer.table({0, 1});
        writer.refer(Writer::slot(delegate, 1), place);
        writer.put(Writer::slot(place, 0), segment ? 1 : 0, 1);
        writer.put(Writer::slot(place, 1), index + i * step, 4);
    }
    entry = writer.vector(Writer::slot(root, segment ? 4 : 3), 1 + named.size(), 4);
    Bytes behind(16);
    const auto hold = [&](std::size_t slot, const Bytes &bytes) {
        const std::size_t held = writer.table({0, 1});
        writer.refer(slot, held);
        writer.put(Writer::slot(held, 0), behind.size(), 8);
        writer.put(Writer::slot(held, 1), bytes.size(), 8);
        behind.insert(behind.end(), bytes.begin(), bytes.end());
    };
    if (segment) {
        hold(entry, data);
    } else {
        const std::size_t held = writer.table({0});
        writer.refer(entry, held);
        const std::size_t at = writer.vector(Writer::slot(held, 0), data.size(), 1);
        std::ranges::copy(data, writer.bytes.begin() + std::ptrdiff_t(at));
    }
    for (std::size_t i = 0; i < named.size(); ++i)
        hold(entry + 4 * (i + 1), named[i].bytes);
    entry = writer.vector(Writer::slot(root, 7), named.size(), 4);
    for (std::size_t i = 0; i < named.size(); ++i) {
        const std::size_t one = writer.table({0, 1});
        writer.refer(entry + 4 * i, one);
        writer.text(Writer::slot(one, 0), named[i].key);
        writer.put(Writer::slot(one, 1), i + 1, 4);
    }
    writer.put(16, writer.bytes.size(), 8);
    if (segment) {
        writer.put(24, writer.bytes.size(), 8);
        writer.bytes.insert(writer.bytes.end(), behind.begin(), behind.end());
    }
    return writer.bytes;
}

Result<BundlePtr> opened(const Bytes &bytes)
{
    return Bundle::open("m.pte", {.memory = {{"m.pte", bytes}}});
}

} // namespace

class TestPte : public QObject
{
    Q_OBJECT

private slots:
    void opens_data() { addEach({"a segment", "in the FlatBuffer"}); }

    void opens()
    {
        const bool segment = std::get<0>(fetched<QString>()) == u"a segment"_s;
        const Bytes bytes = program("CoreMLBackend", packed(weights()), segment);
        const auto delegates = VERIFIED(pte::readDelegates(bytes, "m.pte"));
        QCOMPARE(delegates->size(), 1U);
        QCOMPARE(delegates->front().method, "forward");
        const auto bundle = VERIFIED(opened(bytes));
        QCOMPARE((*bundle)->kind(), BundleKind::Mlmodelc);
        QCOMPARE(decoded(**bundle, "w"), (std::vector<float>{3, -5}));
        QVERIFY(!(*bundle)->readOnlyReason().empty());
        QVERIFY((*bundle)->diagnostics().empty());
    }

    /// Methods of one model name its data, which are shown once.
    void methods()
    {
        const auto reference = [](const char *key, const char *method) {
            return ofText(fmt::format(R"(CMJR{{"version": 1, "key": "{}", "functionName": "{}"}})",
                                      key, method));
        };
        const auto made = [&](const char *key) {
            return program("CoreMLBackend", reference(key, "forward"), true, 0,
                           {{"other", reference("m", "second")}, {"m", packed(weights())}}, 2, 1);
        };
        const auto bundle = VERIFIED(opened(made("m")));
        QCOMPARE(decoded(**bundle, "w"), (std::vector<float>{3, -5}));
        QVERIFY((*bundle)->diagnostics().empty());
        QCOMPARE(VERIFIED(pte::readDelegates(made("m"), "m.pte"))->size(), 1U);
        QCOMPARE(REFUSED(opened(made("n"))).expected, "data named n");
    }

    /// The packages of several delegates are the models of one pipeline, and each opens alone.
    void several()
    {
        const auto bytes = program("CoreMLBackend", packed(weights()), true, 0,
                                   {{"x", packed(weights("v"))}}, 2, 1);
        const BundlePtr both = *VERIFIED(opened(bytes));
        QCOMPARE(both->weights().size(), 2U);
        QCOMPARE(decoded(*both, "w"), (std::vector<float>{3, -5}));
        QCOMPARE(both->weights().back().model, "model1");
        QCOMPARE(both->diagnostics().at(0).error.code, "pte.several");
        QCOMPARE((*VERIFIED(both->reread()))->weights().size(), 2U);
        const QTemporaryDir folder;
        const std::filesystem::path pte = folder.filePath(u"m.pte"_s).toStdString();
        QVERIFY(put(folder.filePath(u"m.pte"_s), bytes));
        const BundlePtr second = *VERIFIED(Bundle::open(pte / "1"));
        QCOMPARE(second->weights().size(), 1U);
        QCOMPARE(second->weights().front().name, "v");
        QCOMPARE(second->name(), "m.pte/1");
        QCOMPARE(REFUSED(Bundle::open(pte / "2")).expected, "0 to 1");
        QCOMPARE(REFUSED(Bundle::open(pte / "x")).code, "io.open");
    }

    /// Of Core AI they are not: one of them is to be opened.
    void severalOfCoreAi()
    {
        const auto list = [](const char *hash) {
            return ofText(fmt::format(R"({{"hash": "{}", "packaging": "inline", "files": ["{}"]}})",
                                      hash, "model.aimodel/main.mlirb"));
        };
        const Bytes module = madeWeights().bytes();
        const auto error = REFUSED(opened(program("CoreAIBackend", list("ab"), true, 0,
                                                  {{"x", list("cd")},
                                                   {"coreai/ab/model.aimodel/main.mlirb", module},
                                                   {"coreai/cd/model.aimodel/main.mlirb", module}},
                                                  2, 1)));
        QCOMPARE(error.code, "bundle.several");
        QCOMPARE(error.expected, "one of m.pte/0 to m.pte/1");
    }

    /// Its data list the files, which the program has under names.
    void opensCoreAi_data()
    {
        const auto row = addColumns<QByteArray, std::string>();
        const QByteArray names = R"({"hash": "ab", "packaging": "inline", "files": )";
        row("names", names + R"(["model.aimodel/main.mlirb", "model.aimodel/main.hash"]})",
            std::string());
        row("names and sizes",
            names + R"({"model.aimodel/main.hash": 32, "model.aimodel/main.mlirb": 1}})",
            std::string());
        row("beside the program",
            R"({"packaging": "sidecar", "path": "ab/model.aimodel",)"
            R"("files": {"model.aimodel/main.hash": 32}})",
            std::string("a package in files of its own: open ab/model.aimodel"));
        row("beside it, without a name", R"({"packaging": "sidecar"})",
            std::string("a package in files of its own, which it does not name"));
        row("a name that it lacks", names + R"(["model.aimodel/other"]})",
            std::string("no data of model.aimodel/other"));
        row("no list", "[1]", std::string("no such list"));
        QByteArray often = names + "[";
        for (int i = 0; i < 40; ++i)
            often += R"("model.aimodel/main.mlirb",)";
        row("one often", often + R"("model.aimodel/main.hash"]})", std::string("more"));
    }

    void opensCoreAi()
    {
        const auto [list, fault] = fetched<QByteArray, std::string>();
        const Bytes module = madeWeights().bytes();
        const Bytes bytes = program("CoreAIBackend", ofText(list.toStdString()), true, 0,
                                    {{"coreai/ab/model.aimodel/main.hash", Bytes(32)},
                                     {"coreai/ab/model.aimodel/main.mlirb", module}});
        const auto bundle = opened(bytes);
        if (!fault.empty()) {
            QCOMPARE(REFUSED(bundle).found, fault);
            return;
        }
        const BundlePtr package = *VERIFIED(bundle);
        QCOMPARE(package->kind(), BundleKind::Aimodel);
        QCOMPARE(package->weights().size(), 2U);
        QVERIFY(!package->readOnlyReason().empty());
    }

    void refused()
    {
        const auto other = opened(program("XnnpackBackend", Bytes(8), true));
        QVERIFY(!other && other.error().code == "bundle.kind");
        QVERIFY(other.error().found.find("XnnpackBackend") != std::string::npos);
        const auto code = [](const Bytes &bytes) {
            const auto bundle = opened(bytes);
            return bundle ? std::string() : bundle.error().code;
        };
        QCOMPARE(code(program("CoreMLBackend", packed(weights()), true, 1)), "pte.content");
        const std::string file = R"("name":"model.mil","kind":0,"dataRegion":)";
        std::string often; // bytes that many files have
        for (int i = 0; i < 99; ++i)
            often += "{" + file + R"({"offset":0,"size":200}},)";
        for (const std::string &list :
             {std::string("{}"),
              R"({"nodes":[{"name":"a","kind":1,"children":{"a":0}}]})" + std::string(),
              R"({"nodes":[{)" + file + R"({"offset":0,"size":999999}}]})",
              R"({"nodes":[{"name":"a","kind":1,"children":{"b":7}}]})" + std::string(),
              "{\"nodes\":[" + often + "{" + file + R"({"offset":0,"size":200}}]})"}) {
            const std::string found = code(program("CoreMLBackend", packed(weights(), list), true));
            QVERIFY2(found == "pte.files" || found == "bundle.kind", (list + ": " + found).c_str());
        }
    }

    /// The first ones are read, and it is said that there are others.
    void many()
    {
        const Bytes bytes = program("CoreMLBackend", packed(weights()), true, 0, {}, 1001);
        std::size_t beyond = 0;
        QCOMPARE(VERIFIED(pte::readDelegates(bytes, "m.pte", &beyond))->size(), 1U);
        QCOMPARE(beyond, 1U);
        const auto bundle = VERIFIED(opened(bytes));
        QCOMPARE(decoded(**bundle, "w"), (std::vector<float>{3, -5}));
        QCOMPARE((*bundle)->diagnostics().at(0).error.code, "pte.several");
        QCOMPARE((*bundle)->diagnostics().at(0).error.found, "1001");
    }

    /// Cut anywhere: refused or read, never beyond the end.
    void damaged()
    {
        const Bytes whole = program("CoreMLBackend", packed(weights()), true);
        for (std::size_t size = 8; size < whole.size(); size += 3)
            QVERIFY(!opened(Bytes(whole.begin(), whole.begin() + std::ptrdiff_t(size))));
    }
};

KERNSCOPE_TEST(TestPte, NoApplication)
#include "tst_pte.moc"
