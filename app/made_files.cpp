// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/made_files.h"

#include "core/base/error_builder.h"
#include "core/base/files.h"
#include "core/base/output_place.h"
#include "core/base/overlaid_file.h"

#include <QFile>

#include <cstring>

#include <sys/stat.h>
#include <unistd.h>

namespace kernscope::app {

namespace {

Result<void> writeNewFile(const std::filesystem::path &path, std::span<const std::byte> bytes)
{
    QFile file(path);
    const auto size = static_cast<qint64>(bytes.size());
    if (file.open(QIODevice::WriteOnly) &&
        file.write(reinterpret_cast<const char *>(bytes.data()), size) == size && file.flush() &&
        ::fsync(file.handle()) == 0)
        return {};
    return ErrorBuilder("io.write")
        .file(path.string())
        .message(file.errorString().toStdString())
        .unexpected();
}

Result<void> writeFolder(const quantized::Folder &made, const std::filesystem::path &folder,
                         std::vector<std::filesystem::path> inputs)
{
    auto place = OutputPlace::claim(folder, OutputKind::Folder, {false, std::move(inputs)});
    if (!place)
        return tl::unexpected(std::move(place.error()));
    const std::string manifest = quantized::manifestText(made.manifest);
    auto written =
        writeNewFile(place->temporary() / quantized::kManifest, std::as_bytes(std::span(manifest)));
    for (const auto &[name, bytes] : made.files) {
        if (written)
            written = writeNewFile(place->temporary() / name, std::as_bytes(std::span(bytes)));
    }
    if (!written)
        return written;
    ::fchmod(place->descriptor(), place->defaultPermissions());
    return place->publish();
}

Result<void> writeBesideBundle(std::span<const std::byte> bytes, const std::filesystem::path &file,
                               const Bundle &bundle)
{
    auto place = OutputPlace::claim(file, OutputKind::File, {false, {bundle.path()}});
    if (!place)
        return tl::unexpected(std::move(place.error()));
    if (auto written = writeNewFile(place->temporary(), bytes); !written)
        return written;
    return place->publish();
}

} // namespace

Result<quantized::Quantized> quantizeWeight(const Bundle &bundle, std::size_t weight,
                                            const quantized::QuantizeOptions &options,
                                            const std::filesystem::path &folder)
{
    const Weight &of = bundle.weights()[weight];
    auto decoder = bundle.decoder(weight);
    if (!decoder)
        return tl::unexpected(std::move(decoder.error()));
    std::vector<float> values(decoder->elements().value);
    {
        const BundleReadLock lock(bundle);
        decoder->decodeFloat(0, values);
    }
    quantized::QuantizeInput input;
    input.array.type = of.type;
    input.array.shape = of.shape;
    input.array.values.assign(values.begin(), values.end());
    input.path = std::filesystem::absolute(bundle.path()).string() + " " + of.address();
    auto made = quantized::quantizeArray(input, options);
    if (!made)
        return made;
    if (auto written = writeFolder(made->folder, folder, {bundle.path()}); !written)
        return tl::unexpected(std::move(written.error()));
    return made;
}

Result<void> relayoutTo(const std::filesystem::path &from,
                        const quantized::RelayoutOptions &options,
                        const std::filesystem::path &folder)
{
    const auto before = quantized::readFolder([&from](std::string_view name, std::uint64_t most) {
        return readSmallFile(from / name, most).map([](const std::string &all) {
            return quantized::Bytes(all.begin(), all.end());
        });
    });
    if (!before)
        return tl::unexpected(before.error());
    const auto made = quantized::relayoutFolder(*before, options);
    if (!made)
        return tl::unexpected(made.error());
    return writeFolder(made->folder, folder, {from});
}

Result<void> buildSectionTo(const Bundle &bundle, const std::vector<std::size_t> &weights,
                            const plan::SectionOptions &options, const target::Target &target,
                            const std::filesystem::path &file)
{
    if (const auto refused = plan::sectionRefusals(bundle, weights, options, target);
        !refused.empty()) {
        const auto &[weight, rule] = refused.front();
        return ErrorBuilder("section.legality")
            .field(bundle.weights()[weight].findableName())
            .expected(rule.required)
            .found(rule.found)
            .message("No encoder of " + target.name + " writes this form: " + rule.gate)
            .unexpected();
    }
    const auto built = plan::buildSection(bundle, weights, options, target, file.string());
    if (!built)
        return tl::unexpected(built.error());
    return writeBesideBundle(built->bytes, file, bundle);
}

Result<SliceFile> buildSlicesTo(const Bundle &bundle, const std::vector<std::size_t> &weights,
                                const SliceOptions &options, const target::Target &target,
                                const std::filesystem::path &file)
{
    const auto form = sliceForm(target.name);
    if (!form)
        return tl::unexpected(form.error());
    Result<SliceFile> made = [&] {
        const BundleReadLock lock(bundle);
        return buildSlices(bundle, weights, options, *form);
    }();
    if (!made)
        return made;
    if (auto written = writeBesideBundle(made->bytes, file, bundle); !written)
        return tl::unexpected(std::move(written.error()));
    return made;
}

Result<void> relocateTo(const Bundle &bundle,
                        const std::optional<section::LoadAddresses> &addresses,
                        const std::filesystem::path &file)
{
    if (!bundle.section())
        return ErrorBuilder("section.none")
            .file(std::string(bundle.name()))
            .message("The open bundle is no weight section")
            .unexpected();
    const BundleReadLock lock(bundle);
    const auto source = bundle.files().front().file->bytes();
    auto section = section::readSection(source, std::string(bundle.name()));
    if (!section)
        return tl::unexpected(std::move(section.error()));
    if (!addresses)
        section::strip(*section);
    else if (auto done = section::relocate(*section, *addresses); !done)
        return done;
    const auto bytes = section::writeSection(*section, source);
    if (!bytes)
        return tl::unexpected(bytes.error());
    return writeBesideBundle(*bytes, file, bundle);
}

} // namespace kernscope::app
