#!/usr/bin/env bash
# consumer_test.sh SOURCE BUILD COMPILER: installs BUILD into an empty prefix, builds tests/consumer
# against it outside of the tree, as a user would, and checks what it prints.
set -euo pipefail
source=$1 build=$2 compiler=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/prefix" >"$work/install.log" 2>&1 || {
  cat "$work/install.log"
  exit 1
}
if grep -rnF -e "$source" -e "$build" "$work"/prefix/lib*/ --include='*.cmake'; then
  echo "consumer_test: the installed package points back into the tree"
  exit 1
fi

cp -r "$source/tests/consumer" "$work/consumer"
cd "$work"
cmake -S consumer -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_PREFIX_PATH="$work/prefix"
cmake --build build

cat >expected <<'TEXT'
philox 6627e8d5 e169c58d bc57ac4c 9b00dbd8
huber:0.5 0.375 0.5
server 127.0.0.1:1, exit code 4
is not on this machine
TEXT
build/consumer >actual
build/application >>actual
diff -u expected actual

if [[ -e $build/bin/caucus ]]; then
  prefix/bin/caucus --help >/dev/null || { echo "consumer_test: the installed program does not run"; exit 1; }
fi
echo "consumer_test: passed"
