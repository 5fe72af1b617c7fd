#include "config/loader.hpp"

#include "base/text.hpp"
#include "base/unique_fd.hpp"
#include "config/document.hpp"
#include "config/interpret.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <sstream>

#include <fcntl.h>

namespace durability::config {
namespace {

// Far above any configuration written by people; what is larger is a mistake or an attack.
constexpr std::size_t largest_file = 1U << 20U;
constexpr std::size_t most_nodes = 50'000;
constexpr unsigned deepest = 16;
constexpr std::size_t most_rule_files = 1'000;

Problem file_problem(std::string file, std::string message, std::string hint = {}) {
    Problem problem;
    problem.file = std::move(file);
    problem.message = std::move(message);
    problem.hint = std::move(hint);
    return problem;
}

// Position of a byte in a text, both from 1.
std::pair<unsigned, unsigned> position(std::string_view text, std::size_t offset) {
    const auto before = text.substr(0, offset);
    const auto line = static_cast<unsigned>(std::count(before.begin(), before.end(), '\n')) + 1;
    const auto start = before.rfind('\n');
    const auto column = offset - (start == std::string_view::npos ? 0 : start + 1) + 1;
    return {line, static_cast<unsigned>(column)};
}

// Whether the quotation that begins at `offset` ends before the text does. The library takes an
// open one for a string that reaches to the end of the file.
bool quotation_ends(std::string_view text, std::size_t offset) {
    const char quote = text[offset];
    for (std::size_t i = offset + 1; i < text.size(); ++i) {
        if (quote == '"' && text[i] == '\\') {
            ++i;
        } else if (text[i] == quote) {
            const bool doubled = quote == '\'' && i + 1 < text.size() && text[i + 1] == quote;
            if (!doubled) return true;
            ++i;
        }
    }
    return false;
}

// Copies the library's tree into ours and refuses on the way what it should not have accepted.
class Converter {
  public:
    Converter(const Document& document, std::vector<Problem>& problems)
        : document_(document), problems_(problems) {}

    Node convert(const YAML::Node& source, unsigned depth) {
        Node node = placed(source);
        // Aliases share nodes, and may even contain themselves: the walk is bounded, not the tree.
        if (depth > deepest || ++nodes_ > most_nodes) {
            if (!gave_up_) report(node, depth > deepest ? "nested too deeply" : "too many values");
            gave_up_ = true;
            return node;
        }
        check_tag(source, node);
        if (source.IsScalar()) scalar(source, node);
        if (source.IsSequence()) {
            node.kind = Node::Kind::list;
            for (const auto& item : source)
                node.items.push_back(convert(item, depth + 1));
        }
        if (source.IsMap()) map(source, node, depth);
        return node;
    }

  private:
    static Node placed(const YAML::Node& source) {
        Node node;
        const YAML::Mark mark = source.Mark();
        node.line = static_cast<unsigned>(std::max(mark.line, 0)) + 1;
        node.column = static_cast<unsigned>(std::max(mark.column, 0)) + 1;
        return node;
    }

    void scalar(const YAML::Node& source, Node& node) {
        node.kind = Node::Kind::scalar;
        node.scalar = Scalar{source.Scalar(), source.Tag() == "!"};
        const std::size_t offset = document_.line_start(node.line) + node.column - 1;
        if (!node.scalar.quoted || offset >= document_.text.size()) return;
        const char first = document_.text[offset];
        if ((first == '"' || first == '\'') && !quotation_ends(document_.text, offset)) {
            report(node, "the quotation that begins here does not end");
        }
    }

    void map(const YAML::Node& source, Node& node, unsigned depth) {
        node.kind = Node::Kind::map;
        std::map<std::string, unsigned, std::less<>> seen;  // name -> line
        for (const auto& pair : source) {
            Node key = convert(pair.first, depth + 1);
            if (key.kind != Node::Kind::scalar) {
                report(key, "the name of an option must be a word");
                continue;
            }
            if (key.scalar.text == "<<") {
                report(key, "merge keys (<<) are not read", "write the options out");
                continue;
            }
            const auto [first, fresh] = seen.emplace(key.scalar.text, key.line);
            if (!fresh) {
                report(key,
                       fmt::format("the option is given twice; the first is in line {}",
                                   first->second),
                       {},
                       printable(key.scalar.text, 60));
                continue;
            }
            node.keys.push_back(std::move(key));
            node.items.push_back(convert(pair.second, depth + 1));
        }
    }

    // "?" and "!" say plain and quoted; the standard ones change nothing for us.
    void check_tag(const YAML::Node& source, const Node& node) {
        const std::string& tag = source.Tag();
        const bool known =
            tag.empty() || tag == "?" || tag == "!" || tag.starts_with("tag:yaml.org,2002:");
        if (!known) report(node, "YAML tags are not read", "remove the word that begins with '!'");
    }

    void report(const Node& node,
                std::string message,
                std::string hint = {},
                std::string path = {}) {
        problems_.push_back(
            document_.problem(node, std::move(path), std::move(message), std::move(hint)));
    }

    const Document& document_;
    std::vector<Problem>& problems_;
    std::size_t nodes_{0};
    bool gave_up_{false};
};

// What usually stands behind a message of the YAML library.
std::string syntax_hint(std::string_view message, std::string_view line) {
    if (message.find("EOF") != std::string_view::npos)
        return "is a quotation or a bracket not closed?";
    const auto first = line.find_first_not_of(' ');
    if (first != std::string_view::npos && line[first] == '\t')
        return "indent with blanks, not with tabs";
    if (line.find(": *") != std::string_view::npos || line.find("- *") != std::string_view::npos) {
        return "a pattern that begins with '*' needs quotes";
    }
    return {};
}

// Says of one document where it begins and whether anything is in it.
class DocumentOutline final : public YAML::EventHandler {
  public:
    void OnDocumentStart(const YAML::Mark& mark) override { begin = mark; }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
    void OnAlias(const YAML::Mark&, YAML::anchor_t) override { empty = false; }
    void OnScalar(const YAML::Mark&,
                  const std::string&,
                  YAML::anchor_t,
                  const std::string&) override {
        empty = false;
    }
    void OnSequenceStart(const YAML::Mark&,
                         const std::string&,
                         YAML::anchor_t,
                         YAML::EmitterStyle::value) override {
        empty = false;
    }
    void OnSequenceEnd() override {}
    void OnMapStart(const YAML::Mark&,
                    const std::string&,
                    YAML::anchor_t,
                    YAML::EmitterStyle::value) override {
        empty = false;
    }
    void OnMapEnd() override {}

    YAML::Mark begin;
    bool empty{true};
};

// Refuses what stands behind the first document. The library takes a comma outside brackets for an
// empty document and stays in front of it for ever, so it is not asked for all of them at once.
void check_rest(const Document& document, std::vector<Problem>& problems) {
    std::istringstream in(document.text);
    YAML::Parser parser(in);
    YAML::Mark before;
    for (bool first = true;; first = false) {
        DocumentOutline outline;
        if (!parser.HandleNextDocument(outline)) return;
        const bool stuck = !first && outline.begin.pos == before.pos;
        before = outline.begin;
        if (first || (outline.empty && !stuck)) continue;
        Node node;
        node.line = static_cast<unsigned>(std::max(before.line, 0)) + 1;
        node.column = stuck ? static_cast<unsigned>(std::max(before.column, 0)) + 1 : 1;
        problems.push_back(stuck ? document.problem(node, {}, "cannot be read from here on")
                                 : document.problem(node,
                                                    {},
                                                    "more than one YAML document in the file",
                                                    "remove the line '---'"));
        return;
    }
}

void parse(Document& document, std::vector<Problem>& problems) {
    try {
        const YAML::Node root = YAML::Load(document.text);
        if (!root.IsNull()) document.root = Converter(document, problems).convert(root, 0);
        check_rest(document, problems);
    } catch (const YAML::Exception& error) {
        Node node;
        const bool placed = !error.mark.is_null();
        node.line = placed ? static_cast<unsigned>(error.mark.line) + 1 : 0;
        node.column = placed ? static_cast<unsigned>(error.mark.column) + 1 : 0;
        // The library's only answer to a document nested beyond its bound.
        const bool nested = error.msg == "bad file";
        problems.push_back(
            document.problem(node,
                             {},
                             nested ? "nested too deeply" : error.msg,
                             nested ? "" : syntax_hint(error.msg, document.line(node.line))));
    }
}

// The whole file, or a problem that says why not.
tl::expected<std::string, Problem> read_file(const std::string& path) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    const int reason = errno;
    if (!file)
        return tl::unexpected(
            file_problem(path, fmt::format("cannot be opened: {}", std::strerror(reason))));
    std::string text;
    char buffer[16'384];
    for (;;) {
        const ssize_t count = ::read(file.get(), buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) {
            return tl::unexpected(
                file_problem(path, fmt::format("cannot be read: {}", std::strerror(errno))));
        }
        if (count == 0) return text;
        text.append(buffer, static_cast<std::size_t>(count));
        if (text.size() > largest_file) {
            return tl::unexpected(
                file_problem(path, "is larger than 1 MiB", "is it the right file?"));
        }
    }
}

void load_document(std::string file,
                   std::string text,
                   Contents contents,
                   Loaded& loaded,
                   std::vector<Problem>& problems) {
    const Document document = read_document(std::move(file), std::move(text), problems);
    interpret(document, contents, loaded, problems);
    loaded.files.push_back(document.file);
}

void load_file(const std::string& path,
               Contents contents,
               Loaded& loaded,
               std::vector<Problem>& problems) {
    auto text = read_file(path);
    if (!text) {
        problems.push_back(std::move(text).error());
        return;
    }
    load_document(path, *std::move(text), contents, loaded, problems);
}

// Rule files in byte order; hidden files are left alone, as editors keep copies under such names.
std::vector<std::string> rule_files(const std::string& folder, std::vector<Problem>& problems) {
    namespace fs = std::filesystem;
    std::set<std::string> files;
    std::error_code error;
    for (fs::directory_iterator i(folder, error), end; !error && i != end; i.increment(error)) {
        const std::string name = i->path().filename().string();
        if (!name.ends_with(".yaml") || name.starts_with('.')) continue;
        files.insert(i->path().string());
        if (files.size() > most_rule_files) {
            problems.push_back(file_problem(folder, "holds more than 1000 rule files"));
            return {};
        }
    }
    const bool absent = error == std::errc::no_such_file_or_directory;
    if (error && !absent) {
        problems.push_back(
            file_problem(folder, fmt::format("cannot be read: {}", error.message())));
    }
    return {files.begin(), files.end()};
}

tl::expected<Loaded, std::vector<Problem>> finish(Loaded loaded, std::vector<Problem> problems) {
    check_consistency(loaded, problems);
    const bool failed = std::any_of(problems.begin(), problems.end(), [](const Problem& problem) {
        return problem.gravity == Gravity::error;
    });
    if (failed) return tl::unexpected(std::move(problems));
    loaded.warnings = std::move(problems);
    return loaded;
}

}  // namespace

void Document::index_lines() {
    line_starts.assign(1, 0);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\n') line_starts.push_back(i + 1);
    }
}

std::size_t Document::line_start(unsigned number) const {
    return number == 0 || number > line_starts.size() ? text.size() : line_starts[number - 1];
}

std::string Document::line(unsigned number) const {
    const std::size_t start = line_start(number);
    std::string found = text.substr(start, text.find('\n', start) - start);
    if (found.ends_with('\r')) found.pop_back();
    return found;
}

Problem Document::problem(const Node& node,
                          std::string path,
                          std::string message,
                          std::string hint) const {
    Problem problem;
    problem.file = file;
    problem.line = node.line;
    problem.column = node.column;
    problem.path = std::move(path);
    problem.message = std::move(message);
    problem.hint = std::move(hint);
    problem.source = line(node.line);
    if (node.kind == Node::Kind::scalar) {
        problem.width =
            static_cast<unsigned>(std::clamp<std::size_t>(node.scalar.text.size(), 1, 200));
    }
    return problem;
}

Document read_document(std::string file, std::string text, std::vector<Problem>& problems) {
    Document document;
    document.file = std::move(file);
    document.text = std::move(text);
    document.index_lines();
    if (const auto zero = document.text.find('\0'); zero != std::string::npos) {
        Node node;
        std::tie(node.line, node.column) = position(document.text, zero);
        problems.push_back(
            document.problem(node, {}, "the file is not text: it contains a zero byte"));
        return document;
    }
    parse(document, problems);
    return document;
}

std::string Origin::text() const {
    if (file.empty()) return "default";
    return line == 0 ? file : fmt::format("{}:{}", file, line);
}

std::string Loaded::origin(std::string_view path) const {
    const auto found = origins.find(path);
    return found == origins.end() ? Origin{}.text() : found->second.text();
}

tl::expected<Loaded, std::vector<Problem>> load(const Sources& sources) {
    Loaded loaded;
    std::vector<Problem> problems;
    if (!sources.file.empty()) load_file(sources.file, Contents::everything, loaded, problems);
    if (!sources.conf_d.empty()) {
        for (const std::string& file : rule_files(sources.conf_d, problems)) {
            load_file(file, Contents::rules_only, loaded, problems);
        }
    }
    for (const Setting& setting : sources.settings)
        apply_setting(setting, loaded, problems);
    return finish(std::move(loaded), std::move(problems));
}

tl::expected<Loaded, std::vector<Problem>> load_text(std::string file, std::string text) {
    Loaded loaded;
    std::vector<Problem> problems;
    load_document(std::move(file), std::move(text), Contents::everything, loaded, problems);
    return finish(std::move(loaded), std::move(problems));
}

}  // namespace durability::config
