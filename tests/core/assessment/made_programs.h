// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "made_bundle.h"
#include "tests/test_program.h"

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
    std::string text() const
    {
        return "program(1.3)\n[buildInfo = dict<string, string>({{\"a\", \"b\"}})]\n{\n" +
               m_functions + "}";
    }
    Bytes weights() const { return m_records.weights(); }
    Result<BundlePtr> open() const
    {
        return Bundle::open("made.mlmodelc", MadeBundle::options(text(), weights()));
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

/// A function that one entry calls three times, and another once.
inline MadeProgram calledProgram(const std::string &backend = "ane")
{
    MadeProgram made;
    made.function("seg", "a", made.weight("w") + MadeProgram::linear("s", "w", "a"), "s");
    const auto call = [&](const char *out, const char *in) {
        return MadeProgram::call(out, "seg", in, backend);
    };
    made.function("main", "x", call("y", "x") + call("z", "y") + call("u", "z"), "u");
    made.function("other", "x", call("y", "x"), "y");
    return made;
}

/// Functions that each call the next one twice, down to one with a layer.
inline MadeProgram doublingProgram(int levels)
{
    MadeProgram made;
    const auto name = [levels](int level) {
        return level == levels ? "main" : "f" + std::to_string(level);
    };
    made.function("f0", "a", made.weight("w") + MadeProgram::linear("s", "w", "a"), "s");
    for (int level = 1; level <= levels; ++level)
        made.function(name(level), "a",
                      MadeProgram::call("b", name(level - 1), "a") +
                          MadeProgram::call("c", name(level - 1), "b"),
                      "c");
    return made;
}

/// Operations that read several weights: both operands of a matmul, the weights of an lstm, query
/// and value of an attention.
inline MadeProgram sharedProgram()
{
    MadeProgram made;
    const std::string rows = "tensor<fp16, [1, 128, 128]>";
    made.function(
        "main", "x",
        made.weight("left") + made.weight("right") + made.weight("query", "[1, 128, 128]") +
            made.weight("value", "[1, 128, 128]") + made.weight("inputs", "[512, 128]", 131072) +
            made.weight("hidden", "[512, 128]", 131072) +
            "tensor<fp16, [128, 128]> mm = matmul(x = left, y = right)[name = string(\"mm\")];\n" +
            rows +
            " at = scaled_dot_product_attention(query = query, key = x, value = value)[name = "
            "string(\"at\")];\n" +
            rows +
            " ls = lstm(x = x, weight_ih = inputs, weight_hh = hidden)[name = string(\"ls\")];\n",
        "ls");
    return made;
}

/// Two launches of the engine, a third of a function without layers, and a step on another backend
/// between them, which has a layer.
inline MadeProgram segmentedProgram()
{
    MadeProgram made;
    const auto call = MadeProgram::call;
    made.function("main", "x",
                  call("p", "first", "x", "ane") + call("q", "beside", "p", "classic_cpu") +
                      call("r", "second", "q", "ane") + call("s", "bare", "r", "ane"),
                  "s");
    for (const char *name : {"first", "beside", "second"})
        made.function(name, "a", made.weight("w") + MadeProgram::linear("y", "w", "a"), "y");
    made.function("bare", "a",
                  "tensor<fp16, [1, 128, 128]> y = relu(x = a)[name = string(\"y\")];\n", "y");
    return made;
}

/// A linear on the engine and one, with a bias, that the compiler gives another backend.
inline MadeProgram besideProgram(const std::string &first = "ane")
{
    MadeProgram made;
    const auto linear = [](const std::string &out, const std::string &weight,
                           const std::string &backend, const std::string &bias) {
        return "tensor<fp16, [1, 128, 128]> " + out + " = linear(" + bias + "weight = " + weight +
               ", x = x)[name = string(\"" + out + "\"), SelectedBackend = string(\"" + backend +
               "\")];\n";
    };
    made.function("main", "x",
                  made.weight("v") + made.weight("w") + made.weight("b", "[128]", 256) +
                      linear("y", "v", first, "") + linear("z", "w", "bnns", "bias = b, "),
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
    return {{"a loop", loopProgram()},
            {"a function of two entries", calledProgram()},
            {"a function that no backend is named for", calledProgram({})},
            {"a segmented program", segmentedProgram()},
            {"an operation beside the engine", besideProgram()},
            {"all beside the engine", besideProgram("bnns")},
            {"calls of calls", doublingProgram(3)},
            {"more runs than can be counted", doublingProgram(70)},
            {"several weights of one operation", sharedProgram()}};
}

/// A palette of 4 bits, codes of int8, a large and a small dense weight.
inline MadeBundle fourForms()
{
    MadeBundle made;
    made.form("p", "[64, 32]", "lut_to_dense",
              {{"indices", made.blob(ElementType::Uint4, "[64, 32]", Bytes(1024))},
               {"lut", made.blob(ElementType::Fp16, "[1, 1, 16, 1]", Bytes(32))}});
    made.form("q", "[64, 32]", "blockwise_shift_scale",
              {{"data", made.blob(ElementType::Int8, "[64, 32]", Bytes(2048))},
               {"scale", made.blob(ElementType::Fp16, "[64, 1]", Bytes(128))}});
    made.layer("large", "[64, 32]", Bytes(4096));
    made.layer("small", "[8, 4]", Bytes(64));
    return made;
}

} // namespace kernscope::test
