// SPDX-License-Identifier: Apache-2.0
// Sentences name files and programs of others, so they are made harmless here, once for all.
#include "analyzer/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "analyzer/base/terminal.h"

namespace memtrace::analyzer {

void start_log(bool verbose, const std::string& program) {
    auto logger = std::make_shared<spdlog::logger>(
        program, std::make_shared<spdlog::sinks::stderr_sink_st>());
    logger->set_pattern(verbose ? "%n: [%H:%M:%S.%e] %v" : "%n: %v");
    logger->set_level(verbose ? spdlog::level::debug : spdlog::level::info);
    spdlog::set_default_logger(std::move(logger));
}

void log_error(const std::string& sentence) { spdlog::error("{}", printable(sentence)); }

void log_note(const std::string& sentence) { spdlog::info("{}", printable(sentence)); }

void log_detail(const std::string& sentence) { spdlog::debug("{}", printable(sentence)); }

}  // namespace memtrace::analyzer
