// Runs a fuzz target over seeds without a fuzzer, so that the corpus is part of every test run.
// Arguments: files of one input each, .hex files of one input a line, directories of either.
// --unpack DIRECTORY writes the inputs as single files for libFuzzer instead of running them.
#include "support/hex_file.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using durability::Buffer;

void add_file(const std::filesystem::path& path, std::vector<Buffer>& inputs) {
    if (path.extension() == ".hex") {
        for (auto& entry : durability::test::read_hex_file(path.string())) {
            inputs.push_back(std::move(entry.bytes));
        }
        return;
    }
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot open " + path.string());
    inputs.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

void add_path(const std::filesystem::path& path, std::vector<Buffer>& inputs) {
    if (!std::filesystem::is_directory(path)) {
        add_file(path, inputs);
        return;
    }
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
        if (entry.is_regular_file()) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (const auto& file : files)
        add_file(file, inputs);
}

void unpack(const std::filesystem::path& directory, const std::vector<Buffer>& inputs) {
    std::filesystem::create_directories(directory);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::ofstream out(directory / ("seed-" + std::to_string(i)), std::ios::binary);
        std::copy(inputs[i].begin(), inputs[i].end(), std::ostreambuf_iterator<char>(out));
        if (!out) throw std::runtime_error("cannot write to " + directory.string());
    }
}

int run(const std::vector<std::string>& arguments) {
    std::vector<Buffer> inputs;
    std::string target_directory;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "--unpack" && i + 1 < arguments.size()) {
            target_directory = arguments[++i];
        } else {
            add_path(arguments[i], inputs);
        }
    }
    if (inputs.empty()) throw std::runtime_error("no input: nothing would be tested");
    if (!target_directory.empty()) {
        unpack(target_directory, inputs);
    } else {
        // Buffers have the size of their input: a sanitizer sees the first octet too many.
        for (const Buffer& input : inputs)
            (void)LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    std::printf("%zu inputs\n", inputs.size());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run({argv + 1, argv + argc});
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s: %s\n", argv[0], problem.what());
        return 1;
    }
}
