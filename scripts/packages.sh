# shellcheck shell=bash disable=SC2016
# Sourced by scripts/demo and scripts/test: finds out what is missing, and installs it where that is possible.
#
#   need TEST PACKAGE   remembers PACKAGE as missing unless TEST (a shell command) succeeds
#   install_missing     installs what is missing with apt-get as root; otherwise says what it is. Installs nothing and
#                       touches no package list when nothing is missing, or when CUTSDF_NO_INSTALL is set.

missing=()

need() {
  bash -c "$1" >/dev/null 2>&1 || missing+=("$2")
}

# Whether the C++ compiler finds a header.
has_header() {
  echo "#include <$1>" | "${CXX:-c++}" -std=c++20 -E -x c++ -I/usr/include/eigen3 -I/usr/local/include/eigen3 -
}
export -f has_header

# Whether cmake is 3.25 or later.
has_cmake() {
  local version
  version=$(cmake --version | sed -n '1s/[^0-9]*\([0-9]*\)\.\([0-9]*\).*/\1 \2/p') || return 1
  # shellcheck disable=SC2086
  set -- $version
  (($1 > 3 || ($1 == 3 && $2 >= 25)))
}
export -f has_cmake

install_missing() {
  if ((${#missing[@]} == 0)); then return; fi
  if [[ -z ${CUTSDF_NO_INSTALL:-} && $(id -u) == 0 ]] && command -v apt-get >/dev/null; then
    echo "Installing: ${missing[*]}"
    local apt=(apt-get -o Acquire::Retries=3 -o Acquire::http::Timeout=30 -o DPkg::Lock::Timeout=120 -q -y)
    export DEBIAN_FRONTEND=noninteractive
    if "${apt[@]}" update >/dev/null && "${apt[@]}" install --no-install-recommends "${missing[@]}" >/dev/null; then
      missing=()
      return
    fi
    echo "Installing failed; still missing, by their Debian names: ${missing[*]}" >&2
  else
    echo "Missing, by their Debian names: ${missing[*]} (run as root where there is apt-get to have them installed)" >&2
  fi
}

# Ends the script when one of the given packages is still missing.
cannot_do_without() {
  local package
  for package in "$@"; do
    if [[ " ${missing[*]:-} " == *" $package "* ]]; then
      echo "Nothing can be built without $package." >&2
      exit 1
    fi
  done
}

need_build_tools() {
  need has_cmake cmake
  need 'command -v "${CXX:-c++}"' g++
  need 'command -v ninja || command -v make' ninja-build
  # Without a compiler the question cannot be asked; apt-get does not mind a package that is there already.
  need 'has_header Eigen/Core' libeigen3-dev
}

need_example_libraries() {
  need 'has_header CLI/CLI.hpp' libcli11-dev
  need 'has_header nlohmann/json.hpp' nlohmann-json3-dev
  need 'has_header png.h' libpng-dev
  need 'printf "#include <cstdio>\n#include <jpeglib.h>\n" | "${CXX:-c++}" -E -x c++ -' libjpeg-dev
}

need_benchmark_libraries() {
  need 'has_header benchmark/benchmark.h' libbenchmark-dev
}

# What the study's report is made with, all in one Python: the first on the path, or the system's.
need_report_packages() {
  local all='import pandas, matplotlib, jinja2' package
  for package in pandas matplotlib jinja2; do
    need "python3 -c '$all' || /usr/bin/python3 -c '$all'" "python3-$package"
  done
}

# Ninja where it is there, unless the user prefers another generator.
choose_generator() {
  if [[ -z ${CMAKE_GENERATOR:-} ]] && command -v ninja >/dev/null; then export CMAKE_GENERATOR=Ninja; fi
}
