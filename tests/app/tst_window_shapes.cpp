// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/shapes_dialog.h"
#include "main_window_fixture.h"
#include "tests/cli/written_bundle.h"

using app::Document;

namespace {

constexpr std::uint64_t kFlops = 2 * 8 * 3; ///< of one place of the output

MadeBundle openProgram(const char *parameters)
{
    MadeBundle made;
    made.parameters = parameters;
    made.weight("w", "[8, 3, 1, 1]", Bytes(48));
    made.line("tensor<fp16, [8]> codes = constexpr_lut_to_dense()[indices = " +
              made.blob(ElementType::Uint8, "[1]", Bytes(1)) +
              ", lut = tensor<fp16, [2]>([0x1p+1, 0x1p+2]), name = string(\"codes\"), "
              "shape = tensor<uint32, [1]>([8])]");
    made.line("tensor<fp16, [1, 8, ?, ?]> y = conv(weight = w, x = x)");
    made.consume("codes");
    return made;
}

constexpr const char *kOpen = "tensor<fp16, [1, 3, ?, ?]> x";

} // namespace

/// Shapes that the inputs of an open bundle are given, and folders of several bundles.
class TestWindowShapes : public MainWindowTest
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        openWindow();
        m_path = writeBundle(*m_folder, "open.mlmodelc", openProgram(kOpen));
        QVERIFY(m_window->open({m_path}));
    }

    /// What the model says of its inputs holds until other shapes are given, or none.
    void defaultsOfTheModel()
    {
        QVERIFY(put(m_path + u"/metadata.json"_s,
                    "[{\"inputSchema\": [{\"name\": \"x\", \"type\": \"MultiArray\", "
                    "\"dataType\": \"Float16\", \"shape\": \"[1, 3, 4, 2]\"}]}]"));
        QCOMPARE(flops(), std::uint64_t(0));
        QVERIFY(m_window->open({m_path}));
        QCOMPARE(flops(), std::uint64_t(2 * 8 * 3 * 4 * 2));
        QVERIFY(notices().texts().join(u' ').contains(QLatin1String("[1, 3, 4, 2]")));
        document().bindShapes({});
        QVERIFY(m_window->settle());
        QCOMPARE(flops(), std::uint64_t(0));
        document().reload();
        QVERIFY(m_window->settle());
        QCOMPARE(flops(), std::uint64_t(0));
    }

    void bindsAndOpensAgain()
    {
        QCOMPARE(flops(), std::uint64_t{0});
        QVERIFY(notices().texts().isEmpty());
        QVERIFY(bind("x=1,3,5,4"));
        QCOMPARE(flops(), kFlops * 20);
        QVERIFY(notices().texts().join(QLatin1Char(' ')).contains(u"x = [1, 3, 5, 4]: "_s));
        QVERIFY(!document().modified());
        document().bindShapes({});
        QVERIFY(m_window->settle());
        QCOMPARE(flops(), std::uint64_t{0});
        QSignalSpy refused(&document(), &Document::shapesRefused);
        QVERIFY(bind("x=1,4,5,5"));
        QCOMPARE(refused.size(), 1);
        QCOMPARE(flops(), std::uint64_t{0});
    }

    void keptByEditsAndReloads()
    {
        QVERIFY(bind("x=1,3,5,4"));
        ui::Session &session = this->session();
        session.setPatchingEnabled(true);
        const auto edit = VERIFIED(parseEdit(Edit::Kind::Codebook, "codes[0][0]=4"));
        session.requestEdits({*edit}, {});
        QVERIFY(m_window->settle());
        QVERIFY(document().modified());
        QCOMPARE(flops(), kFlops * 20);
        session.undoStack().undo();
        QCOMPARE(flops(), kFlops * 20);
        session.undoStack().redo();
        document().save(false);
        QVERIFY(m_window->settle());
        document().reload();
        QVERIFY(m_window->settle());
        QCOMPARE(flops(), kFlops * 20);
        document().saveAs(m_folder->filePath(u"copy.mlmodelc"_s));
        QVERIFY(m_window->settle());
        QCOMPARE(flops(), kFlops * 20);
        // Another bundle has shapes of its own.
        QVERIFY(m_window->open({m_path}));
        QCOMPARE(flops(), std::uint64_t{0});
    }

    void forgottenWhereTheyFitNoMore()
    {
        QVERIFY(bind("x=1,3,5,4"));
        QVERIFY(QDir(m_path).removeRecursively());
        writeBundle(*m_folder, "open.mlmodelc", openProgram("tensor<fp16, [1, 3, 7, ?]> x"));
        QSignalSpy refused(&document(), &Document::shapesRefused);
        document().reload();
        QVERIFY(m_window->settle());
        QCOMPARE(refused.size(), 1);
        QVERIFY(!session().bundle()->shapeBindings());
        QVERIFY(notices().texts().join(QLatin1Char(' ')).contains(u"The shapes are not used"_s));
    }

    void asksInADialog()
    {
        QAction *action = VERIFIED(this->action(u"Shapes of Inputs"_s, false));
        QVERIFY(action->isEnabled() && !action->shortcut().isEmpty());
        action->trigger();
        auto *dialog = VERIFIED(qobject_cast<app::ShapesDialog *>(test::dialog()));
        auto *field = dialog->findChild<QLineEdit *>();
        QCOMPARE(field->text(), u"1,3,?,?"_s);
        QVERIFY(!field->accessibleName().isEmpty());
        field->setText(u"1,3,2,2"_s);
        dialog->accept();
        QVERIFY(m_window->settle());
        QCOMPARE(flops(), kFlops * 4);
        // Asked again, it begins with what is bound.
        action->trigger();
        dialog = VERIFIED(qobject_cast<app::ShapesDialog *>(test::dialog()));
        QCOMPARE(dialog->findChild<QLineEdit *>()->text(), u"1,3,2,2"_s);
        dialog->reject();
    }

    void dialogChecks()
    {
        const shapes::OpenInput input{"x", "tensor<fp16, [1, 3, ?, ?]>", {1, 3, -1, -1}};
        app::ShapesDialog dialog({input}, {});
        auto *field = dialog.findChild<QLineEdit *>();
        auto *ok = dialog.findChild<QDialogButtonBox *>()->button(QDialogButtonBox::Ok);
        QVERIFY(ok->isEnabled());
        QVERIFY(dialog.bindings().empty());
        for (const char *wrong : {"", "1,3,4", "1,3,0,4", "1,4,4,4", "1,3,4,x"}) {
            field->setText(QString::fromLatin1(wrong));
            QVERIFY2(!ok->isEnabled(), wrong);
        }
        field->setText(u"1,3,640,?"_s);
        QVERIFY(ok->isEnabled());
        QCOMPARE(dialog.bindings().size(), std::size_t{1});
        QVERIFY(dialog.bindings().front().dims == (std::vector<std::int64_t>{1, 3, 640, -1}));
    }

    void listsBundlesOfAFolder()
    {
        writeBundle(*m_folder, "a/other.mlmodelc", openProgram(kOpen));
        (*m_window)->openPaths({m_folder->path()});
        auto *dialog = VERIFIED(qobject_cast<QInputDialog *>(test::dialog()));
        QCOMPARE(dialog->comboBoxItems(), (QStringList{u"a/other.mlmodelc"_s, u"open.mlmodelc"_s}));
        dialog->setTextValue(u"a/other.mlmodelc"_s);
        dialog->accept();
        QVERIFY(m_window->settle());
        QCOMPARE(document().name(), u"other.mlmodelc"_s);
        QVERIFY(session().other() == nullptr);
        // As the one to compare with.
        document().openOther(m_folder->path());
        dialog = VERIFIED(qobject_cast<QInputDialog *>(test::dialog()));
        dialog->setTextValue(u"open.mlmodelc"_s);
        dialog->accept();
        QVERIFY(m_window->settle());
        QCOMPARE(document().name(), u"other.mlmodelc"_s);
        QVERIFY(session().other() != nullptr);
    }

private:
    std::uint64_t flops() const
    {
        const auto &weight = session().bundle()->weights().front();
        return weight.consumers.front().flops.value_or(0);
    }

    bool bind(const char *text)
    {
        const auto binding = shapes::parseBinding(text);
        if (!binding)
            return false;
        document().bindShapes({*binding});
        return m_window->settle();
    }

    QString m_path;
};

KERNSCOPE_TEST(TestWindowShapes, QApplication)
#include "tst_window_shapes.moc"
