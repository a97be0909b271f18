# caucus_batches(RESULT TARGET FILE...): what to compile for these sources of the target.
# A source spends most of its compile time on the headers and templates that its neighbours need too. So sources are
# compiled several at a time: each batch is a generated file that includes them. Two sources that declare the same name
# outside of a class go into different batches, since names of anonymous namespaces would collide. The batches are
# made anew whenever CMake runs, as ./dev always has it do. -D CAUCUS_BATCHES=OFF compiles every source for itself:
# for clang-tidy, and for work on one file.
option(CAUCUS_BATCHES "Compile several sources at a time" ON)
set(CAUCUS_BATCH_LINES 1500)  # a batch has about so many lines of source

# The names that a file declares at the beginning of a line. A name too many costs little, a name too few is a compile
# error for a redefinition.
function(caucus_declared_names result file)
  file(READ ${file} text)
  string(REGEX REPLACE "//[^\n]*" "" text "\n${text}")
  string(REPLACE ";" "=" text "${text}")  # what CMake's lists would trip over
  string(REPLACE "[" "(" text "${text}")
  string(REPLACE "]" ")" text "${text}")
  set(word "[A-Za-z_][A-Za-z0-9_]*")
  string(REGEX MATCHALL "\n(struct|class|enum class|enum|union|concept) ${word}|\nusing ${word} =" types "${text}")
  string(REGEX MATCHALL "\n([A-Za-z_][^\n(={]*[ *&>])?${word}( =|[(={])" values "${text}")
  list(FILTER values EXCLUDE REGEX "^\n(namespace|struct|class|enum|union|using|template|concept) ")
  list(TRANSFORM values REPLACE "( =|[(={])$" "")
  list(TRANSFORM types REPLACE " =$" "")
  set(names ${types} ${values})
  list(FILTER names EXCLUDE REGEX "::${word}$")  # members are unique already
  list(TRANSFORM names REPLACE "^.*[ *&>\n](${word})$" "\\1")
  list(FILTER names EXCLUDE REGEX "^([A-Z0-9_]+|static_assert)$")  # TEST and the like
  list(REMOVE_DUPLICATES names)
  set(${result} ${names} PARENT_SCOPE)
endfunction()

function(caucus_batches result target)
  set(alone)
  set(count 0)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source NORMALIZE OUTPUT_VARIABLE path)
    get_source_file_property(options ${source} COMPILE_OPTIONS)
    if(NOT CAUCUS_BATCHES OR options)
      list(APPEND alone ${source})
      continue()
    endif()
    caucus_declared_names(names ${path})
    file(STRINGS ${path} lines REGEX "^$|^.")
    list(LENGTH lines lines)

    set(batch 0)  # the first that has room and none of these names
    while(batch LESS count)
      math(EXPR filled "${lines_${batch}} + ${lines}")
      set(taken ${names_${batch}})
      list(APPEND taken ${names})
      list(LENGTH taken with_duplicates)
      list(REMOVE_DUPLICATES taken)
      list(LENGTH taken without_duplicates)
      if(filled LESS_EQUAL CAUCUS_BATCH_LINES AND with_duplicates EQUAL without_duplicates)
        break()
      endif()
      math(EXPR batch "${batch} + 1")
    endwhile()
    if(batch EQUAL count)
      math(EXPR count "${count} + 1")
      set(lines_${batch} 0)
    endif()
    math(EXPR lines_${batch} "${lines_${batch}} + ${lines}")
    list(APPEND names_${batch} ${names})
    list(APPEND files_${batch} ${path})
  endforeach()

  set(compiled ${alone})
  set(batch 0)
  while(batch LESS count)
    set(text "")
    foreach(path IN LISTS files_${batch})
      # Relative to an include directory, so that ccache knows the batch again in another clone.
      string(REPLACE "${PROJECT_SOURCE_DIR}/src/" "" path "${path}")
      string(REPLACE "${CMAKE_CURRENT_SOURCE_DIR}/" "" path "${path}")
      string(APPEND text "#include \"${path}\"\n")
    endforeach()
    set(file ${CMAKE_CURRENT_BINARY_DIR}/batches/${target}_${batch}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT "${text}" @ONLY)  # writes only what differs
    # g++ takes an included source for a header, where a class must not hold what its anonymous namespace declares.
    set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
    list(APPEND compiled ${file})
    math(EXPR batch "${batch} + 1")
  endwhile()
  set(${result} ${compiled} PARENT_SCOPE)
endfunction()
