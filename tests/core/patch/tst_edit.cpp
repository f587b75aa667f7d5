// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/patch/edit/expression.h"
#include "tests/test_program.h"

using Kind = Edit::Kind;

/// Edits as the command line and scripts write them.
class TestEdit : public QObject
{
    Q_OBJECT

private slots:
    void notationRoundTrips_data()
    {
        addColumns<int, QByteArray, QByteArray>();
        const auto row = [](Kind kind, const char *text, const char *weight) {
            addRow(text, int(kind), QByteArray(text), QByteArray(weight));
        };
        row(Kind::Set, "conv1_weight[3,0,1,1]=0.5", "conv1_weight");
        row(Kind::Set, "w[17]=-1e-07", "w");
        row(Kind::Set, "a/b.c:0-d w[0]=1", "a/b.c:0-d w");
        row(Kind::Set, "w=x[0]=1", "w=x");
        row(Kind::Set, "list[2][0]=1", "list[2]");
        row(Kind::SetStored, "w:indices[17]=9", "w");
        row(Kind::SetStored, "scope:0/w:nonzero_data[1]=-7", "scope:0/w");
        row(Kind::SetStored, "w:data[1]=18446744073709551615", "w");
        row(Kind::SetStored, "w:data[1]=-9223372036854775808", "w");
        row(Kind::Set, "w[0]=9007199254740994", "w");
        row(Kind::Codebook, "w[0][7]=-1.25", "w");
        row(Kind::Codebook, "w[0][7][1]=0.125", "w");
        row(Kind::Scale, "w[4]=0.01", "w");
        row(Kind::Keep, "w[9]=0.25", "w");
        row(Kind::Drop, "w[9]", "w");
        row(Kind::Drop, "w[1,2,3]", "w");
        row(Kind::Fill, "w[0:4,:]=0", "w");
        row(Kind::Fill, "w[3:,2,:]=nan", "w");
        row(Kind::FromNpy, "w=some dir/FILE=1.npy", "w");
        row(Kind::Compute, "w=w*0.5", "w");
        row(Kind::Compute, "w[0:4,:]=clip(w*-2e-3,-1,max(1,abs(w)))", "w");
        row(Kind::Bytes, "weights/weight.bin+0x40=ef be ad de", "weights/weight.bin");
        row(Kind::Field, "task[3]/Common/ConvCfg/Ox=2", "task[3]/Common/ConvCfg/Ox");
        row(Kind::Field, "task[1,0]/KernelDMASrc/CoeffDMAConfig[0]=129",
            "task[1,0]/KernelDMASrc/CoeffDMAConfig[0]");
        row(Kind::Set, "a\\x0aset b[0]=1", "a\nset b");
        row(Kind::Set, "\\x20a \\x23b\\x20[0]=1", " a #b ");
        row(Kind::Drop, "\\x22a\"[0]", "\"a\"");
        row(Kind::Set, "a\\b\\x5cx41[0]=1", "a\\b\\x41");
        row(Kind::FromNpy, "a\\x3db=c=#.npy", "a=b");
    }

    void notationRoundTrips()
    {
        const auto [kind, text, weight] = fetched<int, QByteArray, QByteArray>();
        const auto edit = VERIFIED(parseEdit(static_cast<Kind>(kind), text.toStdString()));
        QCOMPARE(QByteArray::fromStdString(edit->weight), weight);
        QCOMPARE(QByteArray::fromStdString(editText(*edit)), text);
        const std::string script = patch::scriptText(std::span(&*edit, 1));
        const auto lines = VERIFIED(parseEditScript(script, "changes.kpatch"));
        QCOMPARE(lines->size(), std::size_t{1});
        QCOMPARE(editText(lines->front()), editText(*edit));
    }

    void values_data()
    {
        const auto row = addColumns<QByteArray, double>();
        row("decimal", "w[0]=0.3", 0.3);
        row("plus", "w[0]=+2", 2.0);
        row("hexadecimal", "w[0]=0x1.8p-3", 0x1.8p-3);
        row("negative hexadecimal", "w[0]=-0X1P+4", -16.0);
        row("infinity", "w[0]=-inf", -HUGE_VAL);
        row("spaces", " w [ 0 ] = 1.5 ", 1.5);
        row("exponent", "w[0]=1e3", 1000.0);
    }

    void values()
    {
        const auto [text, value] = fetched<QByteArray, double>();
        const auto edit = VERIFIED(parseEdit(Kind::Set, text.toStdString()));
        QCOMPARE(edit->value, value);
        QCOMPARE(edit->weight, "w");
        QVERIFY(std::isnan(parseEdit(Kind::Set, "w[0]=nan")->value));
        QVERIFY(std::signbit(parseEdit(Kind::Set, "w[0]=-0")->value));
        QCOMPARE(parseEdit(Kind::SetStored, "w:data[0]=0x3c00")->stored, 0x3c00);
    }

    void refused_data()
    {
        addColumns<int, QByteArray, qulonglong>();
        const auto row = [](Kind kind, const char *text, qulonglong offset) {
            addRow(text, int(kind), QByteArray(text), offset);
        };
        row(Kind::Set, "", 0);
        row(Kind::Set, "w[0]", 4);
        row(Kind::Set, "w=1", 1);
        row(Kind::Set, "[0]=1", 0);
        row(Kind::Set, "w[]=1", 2);
        row(Kind::Set, "w[0,]=1", 4);
        row(Kind::Set, "w[-1]=1", 2);
        row(Kind::Set, "w[0:2]=1", 2);
        row(Kind::Set, "w[18446744073709551615]=1", 2);
        row(Kind::Set, "w[99999999999999999999]=1", 2);
        row(Kind::Set, "w[0]=", 5);
        row(Kind::Set, "w[0]=abc", 5);
        row(Kind::Set, "w[0]=--1", 6);
        row(Kind::Set, "w[0]=0x-1", 7);
        row(Kind::Set, "w[0]=0x", 5);
        row(Kind::Set, "w[0]=1.5x", 8);
        row(Kind::Set, "w[0]=1e999", 5);
        row(Kind::SetStored, "w[0]=1", 1);
        row(Kind::SetStored, "w:nothing[0]=1", 2);
        row(Kind::SetStored, "w:data[0]=1.5", 11);
        row(Kind::SetStored, "w:data[0,1]=1", 8);
        row(Kind::SetStored, ":data[0]=1", 0);
        row(Kind::Codebook, "w[7]=1", 1);
        row(Kind::Codebook, "w[0,7]=1", 1);
        row(Kind::Drop, "w", 1);
        row(Kind::Fill, "w[4:4]=0", 2);
        row(Kind::Fill, "w[5:4]=0", 2);
        row(Kind::FromNpy, "w", 1);
        row(Kind::FromNpy, "w=", 2);
        row(Kind::Compute, "w=", 2);
        row(Kind::Compute, "w[0:4]=v", 7);
        row(Kind::Bytes, "weight.bin=00", 10);
        row(Kind::Bytes, "weight.bin+0x=00", 11);
        row(Kind::Bytes, "weight.bin+4=0", 13);
        row(Kind::Bytes, "weight.bin+4=00 0g", 16);
        row(Kind::Bytes, "+4=00", 0);
        row(Kind::Field, "=1", 0);
        row(Kind::Field, "task[0]/a/b=1.5", 13);
        row(Kind::Set, "w[0]=0,05", 6);
        row(Kind::Set, "w[0]=1\u00A0000", 6);
        row(Kind::SetStored, "w:data[0]=5x", 11);
        row(Kind::SetStored, "w:data[0]=18446744073709551616", 10);
        row(Kind::SetStored, "w:data[0]=-9223372036854775809", 10);
        row(Kind::Field, "task[0]/a/b=9223372036854775808", 12);
        row(Kind::Set, "w[0]=9007199254740993", 5);
        row(Kind::Set, "w[0]=-0x20000000000001", 5);
    }

    void refused()
    {
        const auto [kind, text, offset] = fetched<int, QByteArray, qulonglong>();
        const Error edit = REFUSED(parseEdit(static_cast<Kind>(kind), text.toStdString()));
        QCOMPARE(edit.code, "patch.syntax");
        QVERIFY(edit.offset.has_value());
        QCOMPARE(qulonglong(edit.offset->value), offset);
        QVERIFY(!edit.expected.empty());
        if (edit.expected == "the name of a weight") // what stands in its place
            QVERIFY(edit.found != "the end");
    }

    /// Of a number that goes on as none, the character at which it does.
    void namesTheCharacter()
    {
        for (const auto &[text, character] : {std::pair("w[0]=0,05", "','"),
                                              {"w[0]=0x1.g", "'g'"},
                                              {"w[0]=1\u00A0000", "'\u00A0'"}}) {
            const Error edit = REFUSED(parseEdit(Kind::Set, text));
            QVERIFY2(edit.message.find(character) != std::string::npos, edit.message.c_str());
        }
    }

    void indices()
    {
        const auto edit = VERIFIED(parseEdit(Kind::Fill, "w[7, 1:3, :, 2:]=0"));
        QCOMPARE(edit->indices.size(), 4U);
        QVERIFY(edit->indices[0].single && edit->indices[0].start == 7);
        QVERIFY(!edit->indices[1].single && edit->indices[1].start == 1 &&
                edit->indices[1].stop == 3);
        QVERIFY(edit->indices[2].all && !edit->indices[2].single);
        QCOMPARE(edit->indices[3].stop, IndexRange::kToEnd);
    }

    void script()
    {
        const auto edits = VERIFIED(parseEditScript("# head\n"
                                                    "set w[0]=1\r\n"
                                                    "\n"
                                                    "  --drop   'a#b[3]'   # behind\n"
                                                    "from-npy w=x.npy",
                                                    "edits.txt"));
        QCOMPARE(edits->size(), 3U);
        QCOMPARE(editText((*edits)[0]), "w[0]=1");
        QCOMPARE(editText((*edits)[1]), "a#b[3]");
        QVERIFY((*edits)[1].kind == Kind::Drop);
        QCOMPARE((*edits)[2].file, "x.npy");
        QVERIFY(parseEditScript("", "empty")->empty());
    }

    void scriptFaults_data()
    {
        const auto row = addColumns<QByteArray, QByteArray, qulonglong>();
        row("unknown word", "set w[0]=1\nput w[0]=1", "line 2", 11ULL);
        row("bad value", "\n\n  set w[0]=?\n", "line 3", 13ULL);
        row("nothing behind", "drop", "line 1", 4ULL);
    }

    void scriptFaults()
    {
        const auto [text, line, offset] = fetched<QByteArray, QByteArray, qulonglong>();
        const Error edits = REFUSED(parseEditScript(text.toStdString(), "edits.txt"));
        QCOMPARE(edits.file, "edits.txt");
        QCOMPARE(QByteArray::fromStdString(edits.field), line);
        QCOMPARE(qulonglong(edits.offset->value), offset);
    }

    void anyTextGivesAnAnswer()
    {
        std::mt19937 random(7);
        const std::string alphabet = "w[]:,=0123456789.-x\"'# \n\0setdrop";
        for (int i = 0; i < 20000; ++i) {
            std::string text;
            for (std::size_t n = random() % 24; n > 0; --n)
                text += alphabet[random() % alphabet.size()];
            for (int kind = 0; kind < 8; ++kind) {
                const auto edit = parseEdit(static_cast<Kind>(kind), text);
                if (!edit) {
                    QVERIFY(edit.error().offset->value <= text.size());
                    continue;
                }
                const auto again = VERIFIED(parseEdit(static_cast<Kind>(kind), editText(*edit)));
                QCOMPARE(editText(*again), editText(*edit));
            }
            (void)parseEditScript(text, "x");
        }
    }

    /// Of many values an expression makes, bit for bit, what it makes of each.
    void expressionsOfMany()
    {
        std::mt19937 random(5);
        std::vector<float> values(1000);
        for (float &value : values)
            value = std::bit_cast<float>(std::uint32_t(random()));
        values[0] = 0.0f;
        values[1] = -0.0f;
        values[2] = 0.5f;
        values[3] = -2.5f;
        for (const char *text :
             {"w", "3", "w*0.75", "-w", "w/3-1", "1-w", "abs(w)+sign(w)", "clip(w*2,-1,1)",
              "max(w,min(0.25,w*w))", "round(w)+floor(w)-ceil(w)", "sqrt(abs(w))*tanh(w)",
              "exp(min(w,1))+log(abs(w))", "1+(2+(3+(4+(5+clip(w,-w,max(w,1))))))"}) {
            const auto expression = patch::Expression::parse({text, 0});
            QVERIFY2(expression, text);
            for (const std::size_t count : {std::size_t{1}, std::size_t{256}, std::size_t{1000}}) {
                std::vector<double> results(values.begin(), values.begin() + long(count));
                expression->apply(results);
                for (std::size_t i = 0; i < count; ++i) {
                    auto one = double(values[i]);
                    expression->apply(std::span(&one, 1));
                    const bool same = std::isnan(one)
                                          ? std::isnan(results[i])
                                          : std::bit_cast<std::uint64_t>(one) ==
                                                std::bit_cast<std::uint64_t>(results[i]);
                    QVERIFY2(same, text);
                }
            }
        }
    }
};

KERNSCOPE_TEST(TestEdit, NoApplication)
#include "tst_edit.moc"
