// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "made_bundle.h"

#include <string>
#include <utility>
#include <vector>

/// Programs whose layers do not run once each in one dispatch. Their linear layers multiply 128 by
/// 128 weights by 128 rows of 128 channels.
namespace kernscope::test {

/// Functions written by hand over weights of a made file.
class MadeProgram
{
public:
    /// Statement of a weight; a name may be used again in another function.
    std::string weight(const std::string &name, const std::string &shape = "[128, 128]",
                       std::uint64_t bytes = 2 * 128 * 128)
    {
        const std::string type = "tensor<fp16, " + shape + ">";
        return type + " " + name + " = const()[name = string(\"" + name + "\"), val = " +
               m_records.blob(ElementType::Fp16, shape, Bytes(bytes, std::byte(0x3c))) + "];\n";
    }
    static std::string linear(const std::string &out, const std::string &weight,
                              const std::string &in)
    {
        return rows() + " " + out + " = linear(weight = " + weight + ", x = " + in +
               ")[name = string(\"" + out + "\")];\n";
    }
    /// `backend` empty: the statement names none.
    static std::string call(const std::string &out, const std::string &function,
                            const std::string &in, const std::string &backend = {})
    {
        return rows() + " " + out + " = call(a = " + in + ")[" +
               (backend.empty() ? "" : "backend = string(\"" + backend + "\"), ") +
               "function = string(\"" + function + "\"), name = string(\"" + out + "\")];\n";
    }
    /// A loop from `in` to `out`; its body turns `r` into `last`.
    static std::string loop(const std::string &out, const std::string &in, const std::string &last,
                            const std::string &body)
    {
        return rows() + " " + out + " = while_loop(loop_vars = (" + in + ")) cond (" + rows() +
               " c) { bool go = less(x = c, y = c)[name = string(\"go\")]; } -> (go), block body "
               "(" +
               rows() + " r) { " + body + " } -> (" + last + ");\n";
    }
    void function(const std::string &name, const std::string &in, const std::string &statements,
                  const std::string &out)
    {
        m_functions += "    func " + name + "<ios18>(" + rows() + " " + in + ") {\n" + statements +
                       "    } -> (" + out + ");\n";
    }
    Result<BundlePtr> open() const
    {
        const std::string text =
            "program(1.3)\n[buildInfo = dict<string, string>({{\"a\", \"b\"}})]\n{\n" +
            m_functions + "}";
        return Bundle::open("made.mlmodelc", MadeBundle::options(text, m_records.weights()));
    }

private:
    static std::string rows() { return "tensor<fp16, [1, 128, 128]>"; }

    MadeBundle m_records;
    std::string m_functions;
};

/// A linear before a loop, and one in its body.
inline MadeProgram loopProgram()
{
    MadeProgram made;
    made.function("main", "x",
                  made.weight("before") + made.weight("within") +
                      MadeProgram::linear("y", "before", "x") +
                      MadeProgram::loop("z", "y", "t", MadeProgram::linear("t", "within", "r")),
                  "z");
    return made;
}

struct NamedProgram {
    std::string name;
    MadeProgram program;
};
/// All of them.
inline std::vector<NamedProgram> madePrograms()
{
    return {{"a loop", loopProgram()}};
}

} // namespace kernscope::test
