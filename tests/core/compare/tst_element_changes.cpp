// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/overlaid_file.h"
#include "core/bundle/bundle.h"
#include "core/codec/decode/decoder.h"
#include "core/compare/element_changes.h"
#include "sample_bundles.h"
#include "tests/test_program.h"

namespace {

/// What every element is stored as and stands for.
struct Elements {
    std::vector<std::int64_t> codes;
    std::vector<float> values;
};

Elements elementsOf(const Bundle &bundle, std::size_t weight)
{
    const auto decoder = *bundle.decoder(weight);
    Elements elements;
    elements.codes.resize(decoder.elements().value);
    elements.values.resize(decoder.elements().value);
    decoder.codes(0, elements.codes);
    decoder.decodeFloat(0, elements.values);
    return elements;
}

std::set<std::uint64_t> differencesOf(const Elements &a, const Elements &b)
{
    std::set<std::uint64_t> found;
    for (std::size_t i = 0; i < a.codes.size(); ++i) {
        if (a.codes[i] != b.codes[i] ||
            std::bit_cast<std::uint32_t>(a.values[i]) != std::bit_cast<std::uint32_t>(b.values[i]))
            found.insert(i);
    }
    return found;
}

std::set<std::uint64_t> markedElements(const Bundle &bundle, std::size_t weight)
{
    const auto decoder = *bundle.decoder(weight);
    const ElementChanges changes(bundle, weight, decoder);
    std::set<std::uint64_t> found;
    for (std::uint64_t e = 0; e < decoder.elements().value; ++e) {
        if (changes.changed(e))
            found.insert(e);
    }
    return found;
}

} // namespace

/// The cells that the pictures and the grid outline as changed.
class TestElementChanges : public QObject
{
    Q_OBJECT

private slots:
    void flippedBits_data()
    {
        QTest::addColumn<QByteArray>("form");
        for (const SampleForm &form : sampleForms())
            addRow(form.name.c_str(), QByteArray(form.name.c_str()));
    }

    /// Every bit of every part in a weight file, one at a time: exactly the elements whose code or
    /// value is another one are marked. (A changed scale marks all that it scales, zeros too.)
    void flippedBits()
    {
        QFETCH(const QByteArray, form);
        const BundlePtr bundle = *sampleBundle(form.toStdString()).open();
        const Elements before = elementsOf(*bundle, 0);
        for (const codec::Operand &part : bundle->weights()[0].operands()) {
            const OperandPlace &place = *part.place;
            if (place.isLiteral() || part.role == codec::PartRole::Mask)
                continue; // a single bit of a mask contradicts the number of survivors
            const bool scales =
                part.role != codec::PartRole::Data && part.role != codec::PartRole::NonzeroData &&
                part.role != codec::PartRole::Indices && part.role != codec::PartRole::Lut;
            OverlaidFile &file = *bundle->files()[place.file].file;
            for (std::uint64_t bit = 0; bit < 8 * place.bytes.value; ++bit) {
                const FileOffset at(place.dataOffset.value + bit / 8);
                const std::byte old = file.bytes()[at.value];
                const std::byte now = old ^ static_cast<std::byte>(1u << (bit % 8));
                QVERIFY(file.write(at, std::span(&now, 1)));
                const auto expected = differencesOf(before, elementsOf(*bundle, 0));
                const auto found = markedElements(*bundle, 0);
                QVERIFY(file.write(at, std::span(&old, 1)));
                const QByteArray text = QByteArray::fromStdString(
                    std::string(codec::partRoleName(part.role)) + " bit " + std::to_string(bit));
                if (scales)
                    QVERIFY2(
                        std::includes(found.begin(), found.end(), expected.begin(), expected.end()),
                        text.constData());
                else
                    QVERIFY2(found == expected, text.constData());
            }
        }
    }
};

KERNSCOPE_TEST(TestElementChanges, QCoreApplication)
#include "tst_element_changes.moc"
