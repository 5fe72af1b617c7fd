#include "base/text.hpp"
