// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/sha256.h"
#include "tests/test_program.h"

class TestSha256 : public QObject
{
    Q_OBJECT

private:
private slots:
    void known_data()
    {
        const auto row = addColumns<QByteArray, std::string>();
        // FIPS 180-2, appendix B.
        row("empty", {},
            std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
        row("abc", "abc",
            std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        row("two blocks", "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
    }

    void known()
    {
        const auto [text, hex] = fetched<QByteArray, std::string>();
        QCOMPARE(*Sha256::hexOf(asSpan(text)), hex);
    }

    void piecesAreTheWhole()
    {
        QByteArray text(100003, 'x');
        for (qsizetype i = 0; i < text.size(); ++i)
            text[i] = char(i * 31);
        Sha256 hash;
        for (qsizetype at = 0, step = 1; at < text.size(); at += step, step = step * 3 % 1009 + 1)
            hash.update(asSpan(text.mid(at, step)));
        const std::string expected =
            QCryptographicHash::hash(text, QCryptographicHash::Sha256).toHex().toStdString();
        QCOMPARE(*hash.finishHex(), expected);
        // It starts anew, and may be moved.
        Sha256 moved = std::move(hash);
        moved.update(asSpan(text));
        QCOMPARE(*moved.finishHex(), expected);
    }
};

KERNSCOPE_TEST(TestSha256, NoApplication)
#include "tst_sha256.moc"
