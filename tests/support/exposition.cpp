#include "support/exposition.hpp"

#include <cctype>
#include <cstdlib>
#include <set>

namespace durability::test {
namespace {

bool is_name(std::string_view text) {
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0) return false;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != ':') return false;
    }
    return true;
}

std::string_view until(std::string_view& text, char end) {
    const auto at = text.find(end);
    const auto part = text.substr(0, at);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
    return part;
}

// name="value",...} with what is behind it left in `text`; labels as name=value.
std::optional<std::map<std::string, std::string>> read_labels(std::string_view& text) {
    std::map<std::string, std::string> labels;
    while (true) {
        const std::string name(until(text, '='));
        if (!is_name(name) || text.empty() || text.front() != '"') return std::nullopt;
        text.remove_prefix(1);
        std::string value;
        while (!text.empty() && text.front() != '"') {
            if (text.front() == '\\') {
                text.remove_prefix(1);
                if (text.empty() ||
                    std::string_view("\\\"n").find(text.front()) == std::string_view::npos)
                    return std::nullopt;
            }
            value += text.front();
            text.remove_prefix(1);
        }
        if (text.empty() || !labels.emplace(name, value).second) return std::nullopt;
        text.remove_prefix(1);
        if (text.empty()) return std::nullopt;
        const char next = text.front();
        text.remove_prefix(1);
        if (next == '}') return labels;
        if (next != ',') return std::nullopt;
    }
}

// What a sample of a family may be called beside its name.
std::set<std::string> suffixes(const std::string& type, bool openmetrics) {
    if (type == "histogram") return {"_bucket", "_sum", "_count"};
    if (openmetrics && type == "counter") return {"_total"};
    if (openmetrics && type == "info") return {"_info"};
    return {""};
}

class Reader {
  public:
    explicit Reader(bool openmetrics) : openmetrics_(openmetrics) {}

    void line(const std::string& text) {
        if (ended_) return complain("behind the end", text);
        if (text == "# EOF" && openmetrics_) {
            ended_ = true;
        } else if (text.starts_with("# HELP ")) {
            std::string_view rest = std::string_view(text).substr(7);
            const std::string name(until(rest, ' '));
            if (!is_name(name) || rest.empty()) complain("not a help", text);
            if (!result.families.emplace(name, Exposition::Family{"", std::string(rest)}).second)
                complain("a family begins twice", text);
            current_ = name;
        } else if (text.starts_with("# TYPE ")) {
            std::string_view rest = std::string_view(text).substr(7);
            const std::string name(until(rest, ' '));
            const std::set<std::string> known{"counter", "gauge", "histogram", "info"};
            if (name != current_ || !known.contains(std::string(rest)) ||
                !result.families[name].type.empty() || (rest == "info" && !openmetrics_)) {
                complain("not a type", text);
            }
            result.families[name].type = rest;
            if (rest == "counter" && openmetrics_ == name.ends_with("_total"))
                complain("a counter has the wrong name", text);
        } else {
            sample(text);
        }
    }
    void finish() {
        if (openmetrics_ && !ended_) complain("no end", "# EOF");
        for (const auto& [name, family] : result.families) {
            if (family.type.empty()) complain("no type", name);
        }
        for (const auto& [series, last] : buckets_) {
            if (!last.infinite) complain("a histogram without +Inf", series);
            if (result.samples.count(series) == 0 || result.samples[series] != last.count)
                complain("_count is not the last bucket", series);
        }
    }
    Exposition result;

  private:
    void complain(std::string_view what, const std::string& text) {
        result.complaints.push_back(std::string(what) + ": " + text);
    }
    void sample(const std::string& text) {
        std::string_view rest = text;
        const auto end = rest.find_first_of("{ ");
        const std::string name(rest.substr(0, end));
        if (!is_name(name) || end == std::string_view::npos) return complain("not a sample", text);
        rest.remove_prefix(end + 1);
        std::map<std::string, std::string> labels;
        if (text[end] == '{') {
            const auto read = read_labels(rest);
            if (!read || rest.empty() || rest.front() != ' ')
                return complain("not a set of labels", text);
            rest.remove_prefix(1);
            labels = *read;
        }
        char* stop = nullptr;
        const std::string number(rest);
        const double value = std::strtod(number.c_str(), &stop);
        if (number.empty() || *stop != '\0') return complain("not a number", text);
        const std::string& type = result.families[current_].type;
        bool belongs = false;
        for (const std::string& suffix : suffixes(type, openmetrics_))
            belongs = belongs || name == current_ + suffix;
        if (!belongs) complain("not of the family " + current_, text);
        if (!result.samples.emplace(text.substr(0, text.rfind(' ')), value).second)
            complain("given twice", text);
        if (name.ends_with("_bucket")) bucket(text, labels, value);
    }
    void bucket(const std::string& text, std::map<std::string, std::string> labels, double value) {
        if (labels.count("le") == 0) return complain("a bucket without a bound", text);
        const std::string bound = labels["le"];
        labels.erase("le");
        std::string series = current_ + "_count";
        for (const auto& [name, one] : labels)
            series += (series.back() == 't' ? "{" : ",") + name + "=\"" + one + "\"";
        if (!labels.empty()) series += "}";
        Last& last = buckets_[series];
        if (last.infinite || value < last.count) complain("buckets are not in order", text);
        if (bound == "+Inf") {
            last.infinite = true;
        } else {
            const double number = std::strtod(bound.c_str(), nullptr);
            if (number <= last.bound) complain("bounds are not in order", text);
            last.bound = number;
        }
        last.count = value;
    }

    struct Last {
        double bound{-1};
        double count{0};
        bool infinite{false};
    };
    bool openmetrics_;
    bool ended_{false};
    std::string current_;
    std::map<std::string, Last> buckets_;
};

}  // namespace

Exposition read_exposition(std::string_view text, bool openmetrics) {
    Reader reader(openmetrics);
    if (!text.empty() && text.back() != '\n')
        reader.result.complaints.emplace_back("the last line has no end");
    while (!text.empty())
        reader.line(std::string(until(text, '\n')));
    reader.finish();
    return std::move(reader.result);
}

}  // namespace durability::test
