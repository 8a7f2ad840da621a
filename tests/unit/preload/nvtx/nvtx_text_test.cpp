// SPDX-License-Identifier: Apache-2.0
#include "preload/nvtx/nvtx_text.h"

#include "preload/nvtx/nvtx_names.h"
#include "tests/unit/test.h"

using namespace memtrace::preload::nvtx;

namespace {

Attributes event_of(MessageType type) {
    Attributes event{};
    event.size = sizeof event;
    event.message_type = type;
    return event;
}

}  // namespace

TEST_CASE("messages of all three kinds, and none") {
    Attributes event = event_of(MessageType::ascii);
    event.message.ascii = "forward";
    CHECK(Message(&event).view() == "forward");
    event = event_of(MessageType::wide);
    event.message.wide = L"r\u00fcckw\u00e4rts";
    CHECK(Message(&event).view() == "rückwärts");
    event = event_of(MessageType::registered);
    event.message.registered = static_cast<const String*>(names.add("known"));
    CHECK(Message(&event).view() == "known");
    event = event_of(MessageType::unknown);
    CHECK(Message(&event).view().empty());
}

TEST_CASE("wide characters of every length become UTF-8, and others U+FFFD") {
    CHECK(Message(L"a\u00e9\u20ac\U0001f600").view() == "aé€\U0001f600");
    const wchar_t wrong[] = {L'x', static_cast<wchar_t>(0xd800), static_cast<wchar_t>(0x110000), 0};
    CHECK(Message(wrong).view() == "x\uFFFD\uFFFD");
}

TEST_CASE("what is not there says nothing: no text, no event, one of before there were messages") {
    CHECK(Message(static_cast<const char*>(nullptr)).view().empty());
    CHECK(Message(static_cast<const wchar_t*>(nullptr)).view().empty());
    CHECK(Message(static_cast<const Attributes*>(nullptr)).view().empty());
    Attributes event = event_of(MessageType::ascii);
    event.message.ascii = "x";
    event.size = 8;
    CHECK(Message(&event).view().empty());
}

TEST_CASE("a long message is cut, and no character of it is halved") {
    const std::string narrow(5000, 'n');
    CHECK(Message(narrow.c_str()).view().size() == Message::bytes_max);
    std::wstring wide(1, L'x');
    wide.append(5000, L'\u20ac');
    const Message message(wide.c_str());
    CHECK(message.view().size() == 4096);
    CHECK((message.view().size() - 1) % 3 == 0);
}
