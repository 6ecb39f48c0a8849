# The tests' own code is compiled as fast as it can be; what it tests is compiled as the build type says.
add_compile_options(-O0)
if(NOT GRADFLIGHT_EACH_TEST) # the gate's: Catch names the line of a check that fails without it, too
  add_compile_options(-g0)
endif()
find_package(Catch2 2 REQUIRED)
find_library(RAPIDCHECK_LIBRARY rapidcheck REQUIRED)
include(Catch)
define_property(TARGET PROPERTY TEST_CODE INITIALIZE_FROM_VARIABLE GRADFLIGHT_TEST_CODE
  BRIEF_DOCS "Compiled without UndefinedBehaviorSanitizer")
set(GRADFLIGHT_TEST_CODE ON)

# CMake wants a source that the precompiled headers serve; Catch's own code, test_main.cpp, cannot be that.
file(GENERATE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/headers.cpp CONTENT "")
add_library(gf_test_main STATIC test_main.cpp ${CMAKE_CURRENT_BINARY_DIR}/headers.cpp)
target_link_libraries(gf_test_main PUBLIC gf_options Catch2::Catch2 ${RAPIDCHECK_LIBRARY})
# In a header of its own: only the tests that read the tree are compiled anew in another clone.
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/include/source_dir.hpp
  CONTENT "#pragma once\n#define GF_SOURCE_DIR \"${PROJECT_SOURCE_DIR}\"\n")
target_include_directories(gf_test_main PUBLIC ${CMAKE_CURRENT_BINARY_DIR}/include)
# Read once instead of by every test. Only these two: what else g++ finds here it instantiates in every test again.
target_precompile_headers(gf_test_main PRIVATE <catch2/catch.hpp> <rapidcheck.h>)
set_source_files_properties(test_main.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)

# Simulations by the same door as the command line's.
add_library(gf_test_runs STATIC support/forked.cpp support/group_runs.cpp support/random_scenario.cpp)
target_link_libraries(gf_test_runs PUBLIC gf_run)

# Models that only tests call: what the product's are held against.
file(GLOB oracle_sources CONFIGURE_DEPENDS oracles/*.cpp)
list(FILTER oracle_sources EXCLUDE REGEX "_test.cpp$")
add_library(gf_oracles STATIC ${oracle_sources})
target_link_libraries(gf_oracles PUBLIC gf_models)
target_compile_options(gf_oracles PRIVATE -O1) # some go through a tensor clock cycle by clock cycle

# Properties draw the same cases in every run; RC_PARAMS=seed=... in a developer's shell draws others. Under sanitizers they
# draw a tenth, and some tests have fewer cases (support/effort.hpp).
set(rc_params "seed=20261120")
if(GRADFLIGHT_SANITIZE MATCHES "address") # the gate's; the deep check tries all cases under ThreadSanitizer
  string(APPEND rc_params " max_success=10")
  target_compile_definitions(gf_test_main PUBLIC GRADFLIGHT_SANITIZED)
endif()

# Makes the executable's cases tests of ctest: each case, or `parts` processes that share them.
function(gradflight_cases target prefix parts)
  if(GRADFLIGHT_EACH_TEST)
    catch_discover_tests(${target} TEST_PREFIX "${prefix}: " PROPERTIES ENVIRONMENT "RC_PARAMS=${rc_params}" ${ARGN})
    return()
  endif()
  foreach(part RANGE 1 ${parts})
    add_test(NAME "${prefix}: part ${part} of ${parts}" COMMAND Python3::Interpreter ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/run_cases.py
      $<TARGET_FILE:${target}> --part ${part} --parts ${parts} --report ${CMAKE_BINARY_DIR}/reports/${prefix}-${part}.xml)
    set_tests_properties("${prefix}: part ${part} of ${parts}" PROPERTIES ENVIRONMENT "RC_PARAMS=${rc_params}" COST 100
      TIMEOUT 3000 ${ARGN})
  endforeach()
endfunction()

# tests/DIRECTORY/**.cpp -> test_NAME, linked with the library NAME. Each further argument names folders of DIRECTORY whose
# files are compiled as one unit, a|b; the files of all others are one more. A unit of its own would take 3.5 s of processor more.
function(gradflight_tests name directory parts)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${directory}/*.cpp)
  if(sources)
    add_executable(test_${name} ${sources})
    target_link_libraries(test_${name} PRIVATE gf_${name} gf_oracles gf_test_main)
    target_precompile_headers(test_${name} REUSE_FROM gf_test_main)
    gradflight_unity(test_${name} ${sources})
    foreach(source ${sources})
      cmake_path(GET source PARENT_PATH folder)
      cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/${directory})
      set(unit others)
      foreach(folders ${ARGN})
        if(folder MATCHES "^(${folders})$")
          string(MAKE_C_IDENTIFIER ${folders} unit)
        endif()
      endforeach()
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${unit})
    endforeach()
    gradflight_cases(test_${name} ${name} ${parts})
  endif()
endfunction()

# What takes longest comes first: ctest begins with it.
gradflight_tests(explore analysis/explore 2 "answers|advice")
gradflight_tests(evidence analysis/evidence 2 "network_fit|reproduction")
gradflight_tests(run analysis/run 2 "result|files" "forms")
gradflight_tests(models models 2 "nccl|rccl|schedules/nccl" "schedules|schedules/operations|forms")
gradflight_tests(scenarios scenarios 2 "decode|describe|kinds|expressions")
gradflight_tests(sim sim 4 "engine")
gradflight_tests(platforms platforms 1)
gradflight_tests(workloads workloads 1)
gradflight_tests(base base 1)
file(GLOB oracle_tests CONFIGURE_DEPENDS oracles/*_test.cpp)
target_sources(test_models PRIVATE ${oracle_tests})
set_source_files_properties(${oracle_tests} PROPERTIES UNITY_GROUP models_others)
target_link_libraries(test_sim PRIVATE gf_test_runs)
foreach(part run explore evidence)
  target_link_libraries(test_${part} PRIVATE gf_test_runs)
endforeach()

# What goes on in several threads, apart: under ThreadSanitizer (preset tsan) only this is built and run.
add_executable(test_threads threads/threads_test.cpp)
target_link_libraries(test_threads PRIVATE gf_run gf_test_main)
target_precompile_headers(test_threads REUSE_FROM gf_test_main)
gradflight_cases(test_threads threads 1 LABELS "threads" COST 200)

# The same modules with one more collective in their catalogue: the test's own collectives() is linked, not the library's.
add_executable(test_toy_collective toy/toy_collective_test.cpp)
target_link_libraries(test_toy_collective PRIVATE gf_explore gf_test_main)
target_precompile_headers(test_toy_collective REUSE_FROM gf_test_main)
gradflight_cases(test_toy_collective toy 1)

add_subdirectory(nic)
include(${CMAKE_CURRENT_LIST_DIR}/compile_fail/CMakeLists.txt)
add_test(NAME "tests: names that ctest hands on whole" COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/check-names.py)
