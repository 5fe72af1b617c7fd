// A document against the schema: fills a Config, records origins, collects problems.
#pragma once

#include "config/document.hpp"
#include "config/loader.hpp"

namespace durability::config {

enum class Contents : unsigned char {
    everything,
    rules_only,  // a file of conf.d
};

// Options already in `loaded` are overwritten, rules are added behind those that are there.
void interpret(const Document& document,
               Contents contents,
               Loaded& loaded,
               std::vector<Problem>& problems);

void apply_setting(const Setting& setting, Loaded& loaded, std::vector<Problem>& problems);

// What only shows when everything is known: values that contradict each other, rules given twice or
// never reached. Problems are located by origin. What one of the `problems` so far is about is left
// out: a contradiction with a value that is itself wrong says nothing new.
void check_consistency(const Loaded& loaded, std::vector<Problem>& problems);

}  // namespace durability::config
