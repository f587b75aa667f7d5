// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "tests/data/data_folder.h"

#include <nlohmann/json.hpp>

/// The data folder's bundles and the answers that come with them.
namespace kernscope::test {

using Json = nlohmann::ordered_json;

/// Where an answer lies: inside a made bundle, beside a real one.
inline QString answerOf(const QString &bundle)
{
    const QString inside = bundle + QStringLiteral("/expected.json");
    return QFile::exists(inside) ? inside : bundle + QStringLiteral(".expected.json");
}

/// The column "path", and a row for each bundle that has an answer.
inline void addAnswered()
{
    QTest::addColumn<QString>("path");
    for (const QString &path : pathsBelow(dataFolder(), {u"*.mlmodelc"_s})) {
        if (QFile::exists(answerOf(path)))
            addRow(qPrintable(QDir(path).dirName()), path);
    }
}

/// First place where `found` lacks or changes something of `wanted`; numbers to six decimals.
inline std::string difference(const Json &wanted, const Json &found, const std::string &path)
{
    if (wanted.is_object()) {
        for (const auto &[key, value] : wanted.items()) {
            if (!found.contains(key))
                return path + "." + key + " is missing";
            const std::string inner = difference(value, found[key], path + "." + key);
            if (!inner.empty())
                return inner;
        }
        return {};
    }
    if (wanted.is_array()) {
        if (!found.is_array() || found.size() != wanted.size())
            return path + " has other items";
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            const std::string inner =
                difference(wanted[i], found[i], path + "[" + std::to_string(i) + "]");
            if (!inner.empty())
                return inner;
        }
        return {};
    }
    const bool close = wanted.is_number_float() && found.is_number() &&
                       std::abs(wanted.get<double>() - found.get<double>()) < 1e-6;
    return close || wanted == found
               ? std::string()
               : path + ": expected " + wanted.dump() + ", found " + found.dump();
}

inline Json readAnswer(const QString &bundle)
{
    std::ifstream file(answerOf(bundle).toStdString());
    return Json::parse(file);
}

/// The answers were made when constants that are written in the program were no weights.
inline void leaveOutLiterals(Json &found)
{
    Json &totals = found["totals"];
    Json stored = Json::array();
    for (const Json &weight : found["weights"]) {
        const bool literal = weight["source_op"] == "const" && weight["parts"].size() == 1 &&
                             weight["parts"][0].value("file", Json()).is_null();
        if (!literal) {
            stored.push_back(weight);
            continue;
        }
        totals["weights"] = totals["weights"].get<int>() - 1;
        for (const char *key : {"stored_bytes", "dense_fp16_bytes"})
            totals[key] = totals[key].get<std::int64_t>() - weight[key].get<std::int64_t>();
        Json &form = totals["forms"][weight["form"].get<std::string>()];
        form = form.get<int>() - 1;
        totals["ratio"] =
            totals["stored_bytes"].get<double>() / totals["dense_fp16_bytes"].get<double>();
    }
    found["weights"] = stored;
}

} // namespace kernscope::test
