// SPDX-License-Identifier: GPL-3.0-or-later
// The form to take where there is nothing to choose, or nothing that a choice could rest on.
#include "core/assessment/choose_form.h"
#include "core/assessment/weight_layers.h"
#include "made_bundle.h"
#include "tests/test_program.h"

namespace {

/// Convolution over `input` with a weight of `channels` x 64 x 1 x 1, sixteen values in turn.
MadeBundle convolution(const std::string &input, std::size_t channels)
{
    MadeBundle made;
    made.parameters = "tensor<fp16, " + input + "> x";
    const std::string shape = "[" + std::to_string(channels) + ", 64, 1, 1]";
    Bytes values(channels * 128, std::byte{0x3c});
    for (std::size_t i = 0; i < values.size(); i += 2)
        values[i] = static_cast<std::byte>(i / 2 % 16);
    made.weight("w", shape, values);
    made.line("tensor<fp16, [1, " + std::to_string(channels) + input.substr(input.find(",", 4)) +
              "> y = conv(weight = w, x = x)[name = string(\"y\")]");
    made.result = "y";
    return made;
}

Result<FormChoice> chosen(const MadeBundle &made, const char *chip)
{
    const auto bundle = made.open();
    if (!bundle)
        return tl::unexpected(bundle.error());
    decision::Judge judge;
    return chooseForm(**bundle, 0, *roofline::roofsOf(*target::findTarget(chip)->target), judge);
}

/// A convolution that arithmetic binds; of ten values of its weight, that many are 0.
MadeBundle withZeros(int zeros)
{
    MadeBundle made;
    made.parameters = "tensor<fp16, [1, 64, 32, 32]> x";
    const Bytes values = halves(128 * 64 * 9, [&](unsigned i) {
        const auto value = float((i * 2654435761U >> 9) % 1999) / 1000 - 1;
        return int(i % 10) < zeros ? 0.0F : value;
    });
    made.weight("w", "[128, 64, 3, 3]", values);
    made.op("y", "[1, 128, 30, 30]", "conv(weight = w, x = x)");
    made.result = "y";
    return made;
}

} // namespace

class TestChooseForm : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// No form of no elements saves anything, and none has an error.
    void noElements_data() { addEach({"M1", "M2", "M5", "H11"}); }
    void noElements()
    {
        const auto [chip] = fetched<QString>();
        const auto choice = VERIFIED(chosen(convolution("[1, 64, 8, 8]", 0), qPrintable(chip)));
        QCOMPARE(choice->chosen, "dense");
        QVERIFY2(choice->reason.starts_with("nothing to compress"), choice->reason.c_str());
        QVERIFY(choice->candidates.empty());
        QVERIFY(!choice->zeroFraction);
        QVERIFY(choice->advice.empty());
    }

    /// int8 is no advice for the stored size of a weight that is smaller without its zeros.
    void adviceHeedsZeros_data()
    {
        // zeros: of ten
        const auto row = addColumns<int, bool>();
        row("none", 0, true);
        row("most", 7, false);
    }
    void adviceHeedsZeros()
    {
        const auto [zeros, advised] = fetched<int, bool>();
        const MadeBundle made = withZeros(zeros);
        const auto choice = VERIFIED(chosen(made, "M1"));
        QCOMPARE(choice->bound, roofline::Bound::Compute);
        QCOMPARE(choice->chosen, "dense");
        QCOMPARE(!choice->advice.empty(), advised);
    }

    /// Choosing reads the values and knows their zeros; the roofline does not: times of a form that
    /// keeps every value are the same, also on chips that skip zeros.
    void timesOfTheRoofline_data() { addEach({"H13", "H16g", "H17s", "H18g"}); }
    void timesOfTheRoofline()
    {
        const auto [chip] = fetched<QString>();
        const auto bundle = VERIFIED(withZeros(1).open());
        const WeightLayers layers = LayerReader(**bundle).at(0);
        const auto roofs = roofline::roofsOf(*target::findTarget(qPrintable(chip))->target);
        decision::Judge judge;
        const auto placed = roofline::place(layers.judged, *roofs, judge);
        const auto choice = chooseForm(**bundle, 0, *roofs, judge);
        QVERIFY(placed && choice);
        std::size_t compared = 0;
        for (const FormCandidate &candidate : choice->candidates) {
            for (const roofline::Assessment &point : placed->trail) {
                if (point.form != candidate.form)
                    continue;
                QCOMPARE(candidate.assessment.timeS, point.timeS);
                QCOMPARE(candidate.assessment.predictedSpeedup, point.predictedSpeedup);
                ++compared;
            }
        }
        QVERIFY(compared >= 3);
    }

    /// What binds the layer is open: the candidates have their figures, none is proposed.
    void openExtents()
    {
        const auto choice = VERIFIED(chosen(convolution("[1, 64, ?, ?]", 256), "M1"));
        QCOMPARE(choice->bound, roofline::Bound::Unknown);
        QCOMPARE(choice->chosen, std::string());
        QVERIFY2(choice->reason.find("shapes are not known") != std::string::npos,
                 choice->reason.c_str());
        QVERIFY2(choice->reason.find("palette4") != std::string::npos, choice->reason.c_str());
        QVERIFY(choice->advice.empty());
        QCOMPARE(choice->candidates.size(), 5U);
        for (const FormCandidate &candidate : choice->candidates)
            QVERIFY(!candidate.assessment.timeS);
    }

    /// A small weight's table makes it larger than dense fp16: no proposal, whatever streams.
    void largerThanDense()
    {
        const auto choice = VERIFIED(chosen(convolution("[1, 64, 8, 8]", 1), "M1"));
        QCOMPARE(choice->bound, roofline::Bound::Bandwidth);
        for (const FormCandidate &candidate : choice->candidates) {
            const bool smaller = candidate.bytes < 128;
            QVERIFY(smaller || !candidate.passedOver.empty());
            QVERIFY(smaller || candidate.form != choice->chosen);
        }
    }

    /// Nothing is said of errors where no form streams, or where those that do save nothing.
    void nothingToGain_data()
    {
        const auto row = addColumns<QByteArray, QByteArray>();
        row("stride", "2, 2", "no form streams on H13");
        row("small", "1, 1",
            "what streams within 0.01 is no smaller than dense fp16, or has too few zeros");
    }
    void nothingToGain()
    {
        const auto [strides, reason] = fetched<QByteArray, QByteArray>();
        MadeBundle made;
        made.parameters = "tensor<fp16, [1, 4, 8, 8]> x";
        made.weight("w", "[4, 4, 1, 1]", Bytes(32, std::byte{0x3c}));
        made.op("y", strides == "1, 1" ? "[1, 4, 8, 8]" : "[1, 4, 4, 4]",
                "conv(strides = tensor<int32, [2]>([" + strides.toStdString() +
                    "]), weight = w, x = x)");
        made.result = "y";
        const auto choice = VERIFIED(chosen(made, "M1"));
        QCOMPARE(choice->chosen, "dense");
        QCOMPARE(choice->reason, reason.toStdString());
    }

    /// A chip whose ceilings are not published: said by that cause, not as open extents.
    void openCeilings()
    {
        const auto choice = VERIFIED(chosen(convolution("[1, 64, 8, 8]", 256), "M2"));
        QCOMPARE(choice->bound, roofline::Bound::Unknown);
        QCOMPARE(choice->chosen, "palette4");
        QVERIFY2(choice->reason.starts_with("no compute ceiling is known of H14"),
                 choice->reason.c_str());
    }
};

KERNSCOPE_TEST(TestChooseForm, QCoreApplication)
#include "tst_choose_form.moc"
