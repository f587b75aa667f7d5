// SPDX-License-Identifier: GPL-3.0-or-later
// What is refused and why; edits that see each other.
#include "core/base/overlaid_file.h"
#include "core/codec/decode/decoder.h"
#include "core/numeric/npy.h"
#include "core/patch/edit/literal_rewrite.h"
#include "form_trial.h"
#include "made_coreai.h"
#include "patch_plans.h"
#include "tests/rows.h"

// Many edits in one: fills, bulk edits against single ones, random sequences.

// Edits that need room in the file or the program, many values at once, what other weights share.

namespace {

/// Survivors at the end of the file: nine of twelve elements, 0 to 8.
MadeBundle nineAtTheEnd()
{
    MadeBundle bundle;
    const std::string mask = bundle.blob(ElementType::Uint1, "[3, 4]", hex("ff 01"), 4);
    bundle.line(fmt::format(
        "tensor<fp16, [3, 4]> w = constexpr_sparse_to_dense(mask = {}, nonzero_data = "
        "{})[name = string(\"w_op\")]",
        mask, bundle.blob(ElementType::Fp16, "[9]", halves({1, 2, 3, 4, 5, 6, 7, 8, 9}))));
    bundle.consume("w");
    return bundle;
}

Bytes npyFile(const Shape &shape, const std::vector<float> &values)
{
    const std::string header = npyHeader(ElementType::Fp32, shape);
    const auto head = std::as_bytes(std::span(header));
    const auto data = std::as_bytes(std::span(values));
    Bytes bytes(head.begin(), head.end());
    bytes.insert(bytes.end(), data.begin(), data.end());
    return bytes;
}

QString writeFile(const QTemporaryDir &folder, const Bytes &bytes)
{
    const QString path = folder.filePath(u"values.npy"_s);
    std::ofstream out(path.toStdString(), std::ios::binary);
    out.write(reinterpret_cast<const char *>(bytes.data()), std::streamsize(bytes.size()));
    return path;
}

/// Two numbers each: i and u of 64 bits, f of fp64, n of int32.
BundlePtr wideWeights()
{
    MadeCoreAi made;
    const auto add = [&made](const char *name, unsigned type, const auto &values) {
        made.nameNext(name);
        const auto data = std::as_bytes(std::span(values));
        return made.constant({2}, static_cast<Elem>(type), Bytes(data.begin(), data.end()));
    };
    made.output({add("f", 5, std::array{-11.0, 5e-324}),
                 add("i", 17, std::array{std::int64_t{7}, (std::int64_t{1} << 53) + 1}),
                 add("u", 23, std::array{UINT64_MAX, std::uint64_t{1}}),
                 add("n", 18, std::array{std::int32_t{1}, std::int32_t{2135392492}})});
    return made.open();
}

} // namespace

class TestPatch : public QObject
{
    Q_OBJECT

private slots:
    void refused_data() { addRowsOf<QByteArray, QByteArray, QByteArray>("core/patch/refused.tsv"); }

    void refused()
    {
        const auto [form, script, code] = fetched<QByteArray, QByteArray, QByteArray>();
        const BundlePtr bundle = sample(form.constData());
        const auto before = contentOf(*bundle);
        const Error planned = REFUSED(plan(bundle, script.toStdString()));
        QCOMPARE(QByteArray::fromStdString(planned.code), code);
        QVERIFY(!planned.message.empty());
        QCOMPARE(contentOf(*bundle), before);
        QVERIFY(!bundle->modified());
    }

    void refusalNamesTheNearest()
    {
        const BundlePtr bundle = sample("lut2");
        const auto values = decoded(*bundle, "w");
        const Error planned = REFUSED(plan(bundle, "set w[0]=0.0123"));
        float below = -100, above = 100;
        for (const float value : values) {
            below = value <= 0.0123f ? std::max(below, value) : below;
            above = value >= 0.0123f ? std::min(above, value) : above;
        }
        QCOMPARE(planned.expected, fmt::format("{} or {}", double(below), double(above)));
        QCOMPARE(planned.found, "0.0123");
        QVERIFY(plan(bundle, fmt::format("set w[0]={}", above)));
    }

    void refusalNamesTheEdit()
    {
        const Error planned =
            REFUSED(plan(sample("lut4"), "set-stored w:indices[0]=1\nset w[3]=0.123"));
        QVERIFY(planned.message.starts_with("set w[3]=0.123: "));
    }

    void saysWhatIsFar_data()
    {
        const auto row = addColumns<QByteArray, QByteArray, bool>();
        row("dense-fp16", "set w[0]=0.3", false);
        row("dense-fp16", "set w[0]=1e6", true);
        row("dense-fp16", "set w[0]=1e-12", true);
        row("affine", "set w[0]=1000", true);
        row("affine", "set w[0]=-inf", true);
        row("lut4", "set w[0]=1000", true);
        row("lut4", "codebook w[0][1]=0.3", false);
        row("lut4", "codebook w[0][1]=1e6", true);
        row("lut4-vector", "set w[0]=1000", true);
        row("sparse", "fill w[:,:]=1000", true);
        row("affine", "compute w[2:4,:]=w*100", true);
        row("affine", "compute w[2:4,:]=w", false);
    }

    /// A value far from the one asked for: how far, and the range that the form has there.
    void saysWhatIsFar()
    {
        const auto [form, script, far] = fetched<QByteArray, QByteArray, bool>();
        const auto planned = VERIFIED(plan(sample(form.constData()), script.toStdString(),
                                           std::numeric_limits<double>::infinity()));
        const std::string &note = planned->front().note;
        QVERIFY2((note.find("off by ") != std::string::npos) == far, note.c_str());
        const bool one = planned->front().elements == 1;
        QVERIFY2(!far || !one || note.find("the form holds ") != std::string::npos, note.c_str());
    }

    void allOrNothing()
    {
        const BundlePtr bundle = sample("sparse");
        const auto before = contentOf(*bundle);
        QVERIFY(!plan(bundle, "drop w[1]\nfill w[:]=0\nset behind[0]=9\nset behind[16]=1"));
        QCOMPARE(contentOf(*bundle), before);
        QVERIFY(!bundle->modified());
    }

    void laterEditsSeeEarlierOnes()
    {
        const BundlePtr bundle = sample("lut2");
        const auto planned =
            VERIFIED(plan(bundle, "codebook w[0][1]=7.5\nset w[5]=7.5\nset w[5]=7.5"));
        QVERIFY((*planned)[0].tables && !(*planned)[1].tables);
        QCOMPARE((*planned)[1].note, "codebook 0 entry 1");
        QVERIFY((*planned)[2].bytes.empty());
        const BundlePtr after = applyAll(bundle, *planned);
        QCOMPARE(decoded(*after, "w")[5], 7.5f);
    }

    void planOnTopOfChanges()
    {
        const BundlePtr bundle = sample("dense-fp16");
        const auto first = plan(bundle, "set w[0]=5");
        const BundlePtr changed = applyAll(bundle, *first);
        const auto second = VERIFIED(plan(changed, "set w[0]=6"));
        QCOMPARE((*second)[0].oldText, "5");
        QCOMPARE(decoded(*changed, "w")[0], 5.0f);
        QVERIFY(revertEdit(applyAll(changed, *second), (*second)[0]));
        QCOMPARE(decoded(*changed, "w")[0], 5.0f);
        QCOMPARE(pendingRanges(*changed).size(), 1U);
    }

    void ordinaryRounding_data()
    {
        const auto row = addColumns<QByteArray, double>();
        row("fp16", "dense-fp16", 0.300048828125);
        row("fp32", "dense-fp32", double(0.3f));
        row("bf16", "dense-bf16", 0.30078125);
    }

    /// Without a tolerance, numbers are rounded as by any conversion; that is no refusal.
    void ordinaryRounding()
    {
        const auto [form, stored] = fetched<QByteArray, double>();
        const auto planned = VERIFIED(plan(sample(form.constData()), "set w[9]=0.3"));
        QCOMPARE((*planned)[0].asked, 0.3);
        QCOMPARE((*planned)[0].stored, stored);
    }

    void sameValueIsNoChange()
    {
        const BundlePtr bundle = sample("affine");
        const float value = decoded(*bundle, "w")[10];
        const auto planned = VERIFIED(plan(bundle, fmt::format("set w[1,2]={}", value)));
        QVERIFY((*planned)[0].bytes.empty() && !(*planned)[0].tables);
    }

    void weightNames()
    {
        MadeBundle made;
        for (const char *name : {"conv_weight_to_fp16_palettized", "a_sparsified", "a_quantized"})
            made.weight(name, "[10]", halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
        for (const char *name : {"conv_weight_to_fp16_palettized", "a_sparsified", "a_quantized"})
            made.consume(name);
        const BundlePtr bundle = *made.open();
        QVERIFY(plan(bundle, "set conv_weight_to_fp16_palettized[0]=2"));
        QVERIFY(plan(bundle, "set conv_weight_to_fp16[0]=2"));
        QVERIFY(plan(bundle, "set main/a_quantized[0]=2"));
        QVERIFY(plan(bundle, "set a_sparsified_op[0]=2"));
        QCOMPARE(REFUSED(plan(bundle, "set a[0]=2")).expected,
                 "main/a_sparsified, main/a_quantized");
        const Error unknown = REFUSED(plan(bundle, "set conv_weight[0]=2"));
        QVERIFY(unknown.expected.starts_with("conv_weight_to_fp16_palettized"));
    }

    void conflictIsRefused()
    {
        const BundlePtr bundle = sample("dense-fp16");
        const auto planned = plan(bundle, "set w[0]=5");
        QVERIFY(!revertEdit(bundle, (*planned)[0]));
        QVERIFY(applyEdit(bundle, (*planned)[0]));
        QCOMPARE(REFUSED(applyEdit(bundle, (*planned)[0])).code, "patch.conflict");
    }

    void cancelled()
    {
        Progress progress;
        progress.cancel();
        const BundlePtr bundle = sample("dense-fp16");
        QCOMPARE(
            REFUSED(planEdits(bundle, {*parseEdit(Edit::Kind::Fill, "w[:]=3")}, 0.0, &progress))
                .code,
            "task.cancelled");
        QVERIFY(!bundle->modified());
    }

    void fill_data() { addForms(false); }

    void fill()
    {
        const auto [name] = fetched<QString>();
        const SampleForm &form = formNamed(name.toStdString());
        if (form.vector > 1)
            return; // no value that every vector holds
        Trial trial(form.name);
        const std::string broken = trial.run("w[2:4,:]=0", Edit::Kind::Fill, 5.0);
        QVERIFY2(broken.empty(), broken.c_str());
        QCOMPARE(trial.applied.elements, 16U);
        for (std::size_t i = 0; i < kElements; ++i) {
            const bool inside = i / 8 == 2 || i / 8 == 3;
            QVERIFY(inside ? std::abs(trial.now[i]) <= 5.0f : trial.now[i] == trial.before[i]);
        }
    }

    void randomSequences_data() { addForms(false); }

    /// Many edits of any kind, one on the other, taken back in reverse: the same bytes as at first.
    void randomSequences()
    {
        const auto [name] = fetched<QString>();
        std::mt19937 random(99);
        const auto pick = [&random](unsigned below) { return random() % below; };
        const auto original = contentOf(**sampleBundle(name.toStdString()).open());
        BundlePtr bundle = *sampleBundle(name.toStdString()).open();
        std::vector<AppliedEdit> done;
        for (int i = 0; i < 60; ++i) {
            const auto kind = static_cast<Edit::Kind>(pick(7));
            const double value = double(pick(64)) / 16.0 - 2.0;
            std::string text;
            switch (kind) {
            case Edit::Kind::SetStored:
                text = fmt::format("w:data[{}]={}", pick(64), pick(4));
                break;
            case Edit::Kind::Codebook: text = fmt::format("w[0][{}]={}", pick(4), value); break;
            case Edit::Kind::Drop: text = fmt::format("w[{}]", pick(64)); break;
            case Edit::Kind::Fill: text = fmt::format("w[{}:,:]={}", pick(8), value); break;
            default:
                text = fmt::format("w[{}]={}", pick(kind == Edit::Kind::Scale ? 8 : 64), value);
            }
            const auto planned = planEdits(bundle, {*parseEdit(kind, text)}, 0.5);
            if (!planned)
                continue;
            const auto next = VERIFIED(applyEdit(bundle, planned->front()));
            bundle = *next;
            QVERIFY(bundle->decoder(0));
            done.push_back(planned->front());
        }
        QVERIFY(done.size() >= 5);
        while (!done.empty()) {
            const auto previous = VERIFIED(revertEdit(bundle, done.back()));
            bundle = *previous;
            done.pop_back();
        }
        QCOMPARE(contentOf(*bundle), original);
        QVERIFY(!bundle->modified());
    }

    void sharedBytesAreNamed()
    {
        MadeBundle made;
        const std::string value =
            made.blob(ElementType::Fp16, "[10]", halves({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}));
        made.constant("tensor<fp16, [10]>", "one", value);
        made.constant("tensor<fp16, [10]>", "two", value);
        made.consume("one");
        made.consume("two");
        const BundlePtr bundle = *made.open();
        QCOMPARE(bundle->weights().size(), 2U);
        const auto planned = VERIFIED(plan(bundle, "set one[3]=0.5"));
        QVERIFY((*planned)[0].note.ends_with("also changes two"));
    }

    void sharedSurvivorsAreRefused()
    {
        MadeBundle made;
        const std::string mask = made.blob(ElementType::Uint1, "[8]", hex("0f"));
        const std::string kept = made.blob(ElementType::Fp16, "[4]", halves({1, 2, 3, 4}));
        for (const char *name : {"one", "two"}) {
            made.form(name, "[8]", "sparse_to_dense", {{"mask", mask}, {"nonzero_data", kept}});
        }
        const BundlePtr bundle = *made.open();
        const Error planned = REFUSED(plan(bundle, "drop one[1]"));
        QCOMPARE(planned.code, "patch.shared");
        QCOMPARE(planned.found, "also those of two");
        QVERIFY(!bundle->modified());
    }

    void roomBehindThePayload()
    {
        const BundlePtr bundle = *nineAtTheEnd().open();
        QCOMPARE(faults(bundle->diagnostics()), std::vector<std::string>());
        const Error full = REFUSED(plan(bundle, "keep w[11]=0.5"));
        QCOMPARE(full.code, "patch.space");
        QCOMPARE(full.found, "0 free bytes behind the payload");
        QCOMPARE(full.expected, "2 free bytes");
        // Dropping one makes room for one, and no more.
        const auto moved = VERIFIED(plan(bundle, "drop w[0]\nkeep w[11]=0.5"));
        const BundlePtr after = applyAll(bundle, *moved);
        const std::vector<float> expected{0, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0.5f};
        QCOMPARE(decoded(*after, "w"), expected);
        QVERIFY(!plan(bundle, "drop w[0]\nkeep w[11]=0.5\nkeep w[10]=0.5"));
    }

    void roomInTheProgram()
    {
        // Nine survivors become ten: one digit more, taken from the space before the bracket.
        MadeBundle made = nineAtTheEnd();
        (void)made.blob(ElementType::Fp16, "[1]", halves({1}));
        const BundlePtr bundle = *made.open();
        const auto planned = VERIFIED(plan(bundle, "keep w[11]=0.5"));
        const BundlePtr after = applyAll(bundle, *planned);
        const auto program = after->files()[after->programFile()].file->bytes();
        const std::string_view text(reinterpret_cast<const char *>(program.data()), program.size());
        QVERIFY(text.find("tensor<fp16,[10]>") != std::string_view::npos);
        QCOMPARE(decoded(*after, "w")[11], 0.5f);
        // And back to nine, by dropping: the digit's place stays blank.
        const auto back = VERIFIED(plan(after, "drop w[11]"));
        const BundlePtr again = applyAll(after, *back);
        QCOMPARE(decoded(*again, "w"), decoded(**nineAtTheEnd().open(), "w"));
    }

    void literalNeedsRoom()
    {
        MadeBundle made;
        const std::string data = made.blob(ElementType::Int8, "[10]", hex("01020304050607080900"));
        made.line("tensor<fp16, [10]> w = constexpr_affine_dequantize()[axis=int32(0),name=string("
                  "\"w\"),quantized_data=" +
                  data + ",scale=fp16(1),zero_point=int8(0)]");
        made.consume("w");
        const BundlePtr bundle = *made.open();
        QCOMPARE(faults(bundle->diagnostics()), std::vector<std::string>());
        const Error planned = REFUSED(plan(bundle, "scale w[0]=0.1"));
        QCOMPARE(planned.code, "patch.space");
        QCOMPARE(planned.file, "model.mil");
        // A copy has the room that they need, and no more.
        const char *const edits = "scale w[0]=0.1\nset-stored w:zero_point[0]=-100";
        const auto roomy = patch::withLiteralRoom(*bundle, *parseEditScript(edits, "edits"), 0);
        QVERIFY2(roomy && *roomy, roomy ? "no room" : describe(roomy.error()).c_str());
        const auto inCopy = VERIFIED(plan(*roomy, edits));
        const BundlePtr copy = applyAll(*roomy, *inCopy);
        QVERIFY(std::abs(decoded(*copy, "w")[0] - 10.1f) < 0.01f);
        const auto bytes = copy->files()[copy->programFile()].file->bytes();
        const std::string text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
        QVERIFY2(text.find("scale=fp16(0x1.998p-4),zero_point=int8(-100)]") != std::string::npos,
                 text.c_str());
        const auto same =
            patch::withLiteralRoom(*bundle, *parseEditScript("scale w[0]=2", "edits"), 0);
        QVERIFY(same && !*same);
        const auto fits = VERIFIED(plan(bundle, "scale w[0]=2\nset-stored w:zero_point[0]=7"));
        QCOMPARE(decoded(*applyAll(bundle, *fits), "w")[0], -12.0f);
    }

    void fillCountsItsRefusals()
    {
        const BundlePtr bundle = sample("lut4");
        const Error planned = REFUSED(plan(bundle, "fill w[1,:]=0.01"));
        QCOMPARE(planned.code, "patch.unrepresentable");
        QCOMPARE(planned.found, "0.01 for element 8");
        QVERIFY(planned.message.find("8 of 8 elements") != std::string::npos);
        QVERIFY(!bundle->modified());
    }

    void fillOfSparseGaps()
    {
        const BundlePtr bundle = sample("sparse");
        const auto zero = VERIFIED(plan(bundle, "fill w[:]=0"));
        QVERIFY(!(*zero)[0].tables); // stored zeros: the mask stays
        QCOMPARE(decoded(*applyAll(bundle, *zero), "w"), std::vector<float>(64, 0.0f));
        const Error one = REFUSED(plan(sample("sparse"), "fill w[:]=1"));
        // What the mask leaves out holds 0: near enough where the tolerance says so.
        const auto near = VERIFIED(plan(sample("sparse"), "fill w[:]=0.001", 0.01));
        QVERIFY(!plan(sample("sparse"), "fill w[:]=0.02", 0.01));
        QCOMPARE(one.code, "patch.masked");
    }

    void valuesFromNumPy()
    {
        const QTemporaryDir folder;
        for (const char *form : {"dense-fp16", "dense-fp32", "lut8", "sparse", "blockwise-int8"}) {
            const BundlePtr bundle = sample(form);
            auto values = decoded(*bundle, "w");
            for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
                const bool movable = values[i] != 0.0f && values[i + 1] != 0.0f;
                if (movable && std::string_view(form) != "blockwise-int8")
                    std::swap(values[i], values[i + 1]);
            }
            const auto path = writeFile(folder, npyFile({8, 8}, values));
            const auto planned = VERIFIED(plan(bundle, "from-npy w=" + path.toStdString()));
            QCOMPARE((*planned)[0].elements, 64U);
            QCOMPARE(decoded(*applyAll(bundle, *planned), "w"), values);
        }
    }

    /// Numbers of 64 bits: what was there and what is there, or the refusal's code.
    void wideNumbers_data()
    {
        const auto row = addColumns<QByteArray, QByteArray, QByteArray>();
        row("set i[0]=9007199254740994", "7", "9007199254740994");
        row("set i[1]=9007199254740992", "9007199254740993", "9007199254740992");
        row("set i[0]=9223372036854775808", "", "patch.unrepresentable");
        row("set u[0]=9223372036854775808", "18446744073709551615", "9223372036854775808");
        row("set f[0]=1e308", "-11", "1e+308");
        row("set f[1]=-11", "5e-324", "-11");
        row("set-stored i:data[0]=9007199254740993", "7", "9007199254740993");
        row("set-stored i:data[0]=-9223372036854775808", "7", "-9223372036854775808");
        row("set-stored i:data[0]=9223372036854775808", "", "patch.unrepresentable");
        row("set-stored u:data[1]=18446744073709551615", "1", "18446744073709551615");
        row("set-stored u:data[0]=-1", "", "patch.unrepresentable");
        row("set-stored f:data[0]=0xc026000000000001", "0xc026000000000000", "0xc026000000000001");
        row("compute i[0]=w+9007199254740984", "1 element", "w+9007199254740984");
        row("fill n[0]=2135392491", "1 element", "2135392491");
        row("compute n[1]=w+1", "1 element", "w+1");
        row("set n[1]=2135392493", "2135392492", "2135392493");
    }

    void wideNumbers()
    {
        const auto [script, before, after] = fetched<QByteArray, QByteArray, QByteArray>();
        const BundlePtr bundle = wideWeights();
        const auto planned = plan(bundle, script.toStdString());
        if (!planned) {
            QCOMPARE(planned.error().code, after.toStdString());
            return;
        }
        QCOMPARE(planned->front().oldText, before.toStdString());
        QCOMPARE(planned->front().newText, after.toStdString());
        if (planned->front().edit.kind == Edit::Kind::Compute) {
            const BundlePtr changed = applyAll(bundle, *planned);
            const bool ofI = script.contains(" i[");
            const auto shown = VERIFIED(plan(changed, ofI ? "set i[0]=0" : "set n[1]=0"));
            QCOMPARE(shown->front().oldText, ofI ? "9007199254740991" : "2135392493");
        }
    }

    void wideFromNumPy()
    {
        const QTemporaryDir folder;
        const std::vector<std::int64_t> values{(std::int64_t{1} << 53) + 1, INT64_MIN};
        std::string header = npyHeader(ElementType::Fp64, {2});
        header.replace(header.find("<f8"), 3, "<i8");
        const auto data = std::as_bytes(std::span(values)), head = std::as_bytes(std::span(header));
        Bytes bytes(head.begin(), head.end());
        bytes.insert(bytes.end(), data.begin(), data.end());
        const std::string path = writeFile(folder, bytes).toStdString();
        const BundlePtr bundle = wideWeights();
        const std::string other = folder.filePath(u"wide.aimodel"_s).toStdString();
        QVERIFY(saveCopy(*bundle, other));
        auto planned = VERIFIED(plan(bundle, "from-npy i=" + path + "\nset i[1]=0"));
        QCOMPARE(planned->back().oldText, "-9223372036854775808");
        planned = VERIFIED(plan(bundle, "from-npy i=" + path + "\nset i[0]=0"));
        QCOMPARE(planned->back().oldText, "9007199254740993");
        QCOMPARE(REFUSED(plan(bundle, "from-npy u=" + path)).code, "patch.unrepresentable");
        QCOMPARE(REFUSED(plan(bundle, "from-npy n=" + path)).code, "patch.unrepresentable");
        planned = VERIFIED(plan(bundle, "fill i[0:2]=0\nfrom-npy i=" + other + "#i\nset i[1]=0"));
        QCOMPARE(planned->back().oldText, "9007199254740993");
    }

    void valuesFromNumPyRefused()
    {
        const QTemporaryDir folder;
        auto values = decoded(*sample("lut4"), "w");
        values[17] += 0.001f;
        values[40] += 0.002f;
        const auto path = writeFile(folder, npyFile({8, 8}, values)).toStdString();
        const Error planned = REFUSED(plan(sample("lut4"), "from-npy w=" + path));
        QVERIFY(planned.found.ends_with("for element 17"));
        QVERIFY(planned.message.find("2 of 64") != std::string::npos);
        const auto tolerant = VERIFIED(plan(sample("lut4"), "from-npy w=" + path, 0.01));
        QVERIFY(std::abs((*tolerant)[0].asked - (*tolerant)[0].stored) > 0.0015);
        writeFile(folder, npyFile({4, 16}, values));
        QCOMPARE(REFUSED(plan(sample("lut4"), "from-npy w=" + path)).code, "patch.shape");
    }

    /// The list of bytes of a large edit stays near the size of what it changes.
    void largeFillStaysSmall()
    {
        MadeBundle made;
        constexpr std::size_t kCount = 200000;
        Bytes data;
        for (std::size_t i = 0; i < kCount; ++i) {
            const auto pair = halves({float(i % 97) / 8.0f});
            data.insert(data.end(), pair.begin(), pair.end());
        }
        made.layer("w", "[200000]", data);
        const BundlePtr bundle = *made.open();
        const auto before = contentOf(*bundle);
        const auto planned = VERIFIED(plan(bundle, "fill w[1000:199000]=0.3"));
        QVERIFY((*planned)[0].bytes.size() <= 4096);
        const BundlePtr after = applyAll(bundle, *planned);
        const auto values = decoded(*after, "w");
        QVERIFY(values[999] != values[1000] && values[198999] == values[1000]);
        QVERIFY(revertEdit(after, (*planned)[0]));
        QCOMPARE(contentOf(*bundle), before);
        QVERIFY(!bundle->modified());
    }
};

KERNSCOPE_TEST(TestPatch, NoApplication)
#include "tst_patch.moc"
