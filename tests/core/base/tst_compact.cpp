// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/compact.h"
#include "core/base/compact_shared.h"
#include "core/base/joined_lists.h"
#include "core/base/shared_value.h"
#include "core/base/small_index.h"
#include "tests/test_program.h"

#include <QTest>

#include <memory>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace kernscope;

namespace {

/// As mil::ProgramValue: a member that holds the type itself.
struct Tree {
    std::string name;
    CompactVector<Tree> children;
    friend bool operator==(const Tree &, const Tree &) = default;
};

} // namespace

class TestCompact : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void sizes()
    {
        QCOMPARE(sizeof(CompactVector<std::string>), sizeof(void *));
        QCOMPARE(sizeof(BoxedOptional<std::string>), sizeof(void *));
        QCOMPARE(sizeof(RareText), sizeof(void *));
        QCOMPARE(sizeof(SharedText), sizeof(void *));
    }

    void joinsLists()
    {
        JoinedLists<std::string> lists;
        QCOMPARE(lists.size(), std::size_t(0));
        lists.reserve(3, 3);
        lists.add(std::vector<std::string>{"a", "b"});
        lists.add(std::vector<std::string>{});
        lists.add(std::vector<std::string>{"c"});
        lists.shrink_to_fit();
        const JoinedLists<std::string> copy = lists;
        QCOMPARE(copy.size(), std::size_t(3));
        QCOMPARE(copy[0].size(), std::size_t(2));
        QCOMPARE(copy[0][1], std::string("b"));
        QVERIFY(copy[1].empty());
        QCOMPARE(copy[2].front(), std::string("c"));
    }

    /// One value for all copies, freed with the last of them.
    void sharesAValue()
    {
        using Shared = CompactShared<std::shared_ptr<int>>;
        QCOMPARE(sizeof(Shared), sizeof(void *));
        const auto counted = std::make_shared<int>(7);
        {
            const Shared first(counted);
            QCOMPARE(counted.use_count(), 2L);
            Shared second = first;
            QVERIFY(second.isSameAs(first) && **second == 7);
            Shared moved = std::move(second);
            second = moved; // what was moved from can be given a value again
            QVERIFY(second.isSameAs(first));
            moved = Shared(std::make_shared<int>(8));
            QVERIFY(!moved.isSameAs(first) && **moved == 8);
            QCOMPARE(*second->get(), 7);
            QCOMPARE(counted.use_count(), 2L);
            std::vector<Shared> many(1000, first);
            std::vector<std::thread> threads;
            for (int i = 0; i < 4; ++i)
                threads.emplace_back([copies = many]() mutable { copies.resize(1, copies[0]); });
            for (std::thread &thread : threads)
                thread.join();
        }
        QCOMPARE(counted.use_count(), 1L);
    }

    void growsAsAVector()
    {
        std::vector<std::string> plain;
        CompactVector<std::string> compact;
        QVERIFY(compact.empty() && compact.data() == nullptr && compact.begin() == compact.end());
        for (int i = 0; i < 100; ++i) {
            plain.push_back("a text that no short string holds: " + std::to_string(i));
            compact.push_back(plain.back());
            QCOMPARE(compact.size(), plain.size());
            QVERIFY(compact.capacity() >= compact.size());
        }
        QVERIFY(std::vector<std::string>(compact) == plain);
        compact.shrink_to_fit();
        QCOMPARE(compact.capacity(), compact.size());
        compact.pop_back();
        compact.resize(3);
        QCOMPARE(compact.back(), plain[2]);
        compact.resize(5);
        QVERIFY(compact[4].empty());
        compact.clear();
        QVERIFY(compact.empty() && compact.capacity() == 0);
    }

    void takesOneOfItsOwnElements()
    {
        CompactVector<std::string> texts{"a text that is long enough to lie elsewhere"};
        for (int i = 0; i < 20; ++i)
            texts.push_back(texts.front());
        for (const std::string &text : texts)
            QCOMPARE(text, texts.front());
    }

    void copiesAndMoves()
    {
        CompactVector<std::string> first{"one", "two"};
        CompactVector<std::string> copy = first;
        QVERIFY(copy == first);
        copy[0] = "other";
        QCOMPARE(first[0], std::string("one"));
        const CompactVector<std::string> moved = std::move(copy);
        QCOMPARE(moved.size(), std::size_t(2));
        first = moved;
        QCOMPARE(first[0], std::string("other"));
        CompactVector<std::string> &same = first;
        first = same;
        QCOMPARE(first.size(), std::size_t(2));
        const std::span<const std::string> seen = first;
        QCOMPARE(seen.size(), std::size_t(2));
        CompactVector<std::unique_ptr<int>> own;
        for (int i = 0; i < 9; ++i)
            own.push_back(std::make_unique<int>(i));
        QCOMPARE(*own[8], 8);
    }

    void holdsItsOwnType()
    {
        Tree tree{"root", {Tree{"left", {}}, Tree{"right", {Tree{"leaf", {}}}}}};
        const Tree copy = tree;
        QVERIFY(copy == tree);
        tree.children[1].children[0].name = "changed";
        QVERIFY(!(copy == tree));
    }

    void boxedOptional()
    {
        BoxedOptional<std::string> none;
        QVERIFY(!none && !none.has_value());
        BoxedOptional<std::string> text = std::string("value");
        const BoxedOptional<std::string> copy = text;
        *text += "s";
        QCOMPARE(*copy, std::string("value"));
        QCOMPARE(text->size(), std::size_t(6));
        text = std::nullopt;
        QVERIFY(!text);
        text = std::optional<std::string>("again");
        QCOMPARE(*text, std::string("again"));
        text = std::optional<std::string>();
        QVERIFY(!text);
        text.emplace("last");
        QCOMPARE(std::optional<std::string>(text).value_or("none"), std::string("last"));
        text.reset();
        QVERIFY(!text);
    }

    void rareText()
    {
        RareText text;
        QVERIFY(text.empty() && text.text().empty());
        text = "same_lower";
        const RareText copy = text;
        text = std::string();
        QVERIFY(text.empty() && !copy.empty());
        const std::string plain = copy;
        QCOMPARE(plain, std::string("same_lower"));
        QVERIFY(copy == "same_lower" && !(copy == text));
    }

    void sharedValueIsOwnOnceChanged()
    {
        SharedValue<std::string> text;
        QVERIFY(text.empty());
        text.change() = "first";
        SharedValue<std::string> copy = text;
        QVERIFY(copy.isSameAs(text));
        copy.change() += "!";
        QCOMPARE(*text, std::string("first"));
        QCOMPARE(*copy, std::string("first!"));
        const std::string *own = &*copy;
        copy.change() += "!"; // nobody else has it: it stays where it is
        QCOMPARE(&*copy, own);
    }

    void poolSharesEqualValues()
    {
        ValuePool<std::string> pool;
        std::vector<SharedValue<std::string>> all;
        for (int i = 0; i < 200; ++i) {
            all.emplace_back("value " + std::to_string(i % 3));
            pool.share(all.back());
        }
        for (std::size_t i = 3; i < all.size(); ++i)
            QVERIFY(all[i].isSameAs(all[i % 3]));
        QVERIFY(!all[0].isSameAs(all[1]));
        // More different ones than it remembers: all of them stay what they are.
        for (int i = 0; i < 200; ++i) {
            SharedValue<std::string> one(std::to_string(i));
            pool.share(one);
            QCOMPARE(*one, std::to_string(i));
        }
    }

    void smallIndexKnowsNone()
    {
        constexpr std::size_t none = static_cast<std::size_t>(-1);
        QCOMPARE(sizeof(SmallIndex), std::size_t(4));
        for (const std::size_t index : {std::size_t(0), std::size_t(7), std::size_t(0xFFFFFFFE)})
            QCOMPARE(std::size_t(SmallIndex(index)), index);
        for (const std::size_t index : {none, std::size_t(0xFFFFFFFF), std::size_t(1) << 40})
            QCOMPARE(std::size_t(SmallIndex(index)), none);
    }
};

KERNSCOPE_TEST(TestCompact, kernscope::test::NoApplication)
#include "tst_compact.moc"
