#include "join_run.hpp"
