# SPDX-License-Identifier: Apache-2.0
# Writes the bundle as C++:  cmake -DOUTPUT=page_bundle.cpp -DFILES=page.js;page.css -P embed.cmake
# Without files the bundle is empty.
function(embed name file)
  set(bytes "")
  if(NOT file STREQUAL "")
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  endif()
  string(REGEX REPLACE "((0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,)(0x..,))" "\\1\n" bytes
         "${bytes}")
  set(text "constexpr unsigned char ${name}[] = {\n${bytes}0};\n" PARENT_SCOPE)
endfunction()

list(LENGTH FILES count)
set(script "")
set(style "")
if(count EQUAL 2)
  list(GET FILES 0 script)
  list(GET FILES 1 style)
endif()
embed(script "${script}")
set(code "#include \"analyzer/page/page_bundle.h\"\n\n")
string(APPEND code "namespace memtrace::analyzer {\nnamespace {\n${text}")
embed(style "${style}")
string(APPEND code "${text}")
string(APPEND code "std::string_view view(const unsigned char* bytes, decltype(sizeof(0)) size) {\n"
       "    return {reinterpret_cast<const char*>(bytes), size - 1};\n}\n}  // namespace\n\n"
       "PageBundle page_bundle() {\n"
       "    return {view(script, sizeof script), view(style, sizeof style)};\n}\n\n"
       "}  // namespace memtrace::analyzer\n")
file(WRITE ${OUTPUT} "${code}")
