#!/usr/bin/env bash
# Every command a person needs. Each word does all of its own set-up; second runs are fast.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# A RUSTFLAGS variable would replace the flags of .cargo/config.toml and silently drop SIMD.
unset RUSTFLAGS
WASM_BINDGEN_VERSION=0.2.130   # must equal the crate's: crate/Cargo.toml
WASM_BINDGEN=target/tools/bin/wasm-bindgen
PASSED=0
FAILED=0

usage() {
  cat <<'TEXT'
./build.sh          build dist/: the page, the same as one file, and the module
./build.sh serve    build, then serve dist/ on a free port and print the address
./build.sh test     every test: Rust, the module in Node, the page in Chromium, a minute of fuzzing
./build.sh check    formats, lints and types; warnings are errors
./build.sh bench    the benchmark table
./build.sh module   only dist/module, the importable package
./build.sh fuzz     hostile bytes for the readers: fuzz [seconds] [target], a minute for every target if not said
TEXT
}

need() {
  command -v "$1" > /dev/null || { echo "afresh needs $1: $2" >&2; exit 1; }
}

tools() {
  need cargo "install Rust (rustup)"
  need node "install Node.js 20 or newer"
  if ! rustup target list --installed 2> /dev/null | grep -q wasm32-unknown-unknown; then
    echo "adding the wasm32 target"
    rustup target add wasm32-unknown-unknown
  fi
  if [ "$("$WASM_BINDGEN" --version 2> /dev/null)" != "wasm-bindgen $WASM_BINDGEN_VERSION" ]; then
    echo "installing wasm-bindgen $WASM_BINDGEN_VERSION into target/tools (about a minute, once)"
    cargo install --quiet wasm-bindgen-cli --version "=$WASM_BINDGEN_VERSION" --debug --no-default-features --root target/tools
  fi
}

packages() {
  # npm ci again only when the lock has changed since the last time.
  if ! cmp -s www/package-lock.json www/node_modules/.afresh-lock; then
    echo "installing npm packages"
    (cd www && npm ci --no-audit --no-fund --loglevel=error)
    cp www/package-lock.json www/node_modules/.afresh-lock
  fi
  # The tests live beside the page and use the same packages.
  ln -sfn ../www/node_modules tests/node_modules
}

module() {
  tools
  packages
  cargo build --quiet --release --target wasm32-unknown-unknown -p afresh --features wasm
  mkdir -p dist/module
  "$WASM_BINDGEN" --target web --omit-default-module-path --out-name bindings --out-dir dist/module \
    target/wasm32-unknown-unknown/release/afresh.wasm
  # Low memory is unused, but for the deepest end of a megabyte of stack: Rust puts the stack first.
  www/node_modules/.bin/wasm-opt -O3 --low-memory-unused dist/module/bindings_bg.wasm -o dist/module/afresh_bg.wasm
  rm dist/module/bindings_bg.wasm
  # The declarations that wasm-bindgen writes, with the init() of crate/module/afresh.js in place of its own.
  sed '/^export type InitInput/,$d' dist/module/bindings.d.ts | cat - crate/module/init.d.ts > dist/module/afresh.d.ts
  cp crate/module/afresh.js LICENSE-MIT LICENSE-APACHE dist/module/
  sed "s/@VERSION@/$(version)/" crate/module/package.json > dist/module/package.json
}

version() {
  sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1
}

page() {
  module
  (cd www && npm run --silent build)
}

chromium_path() {
  for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
    [ -n "$name" ] && command -v "$name" && return
  done
  return 1
}

# Installs what is missing, by its names for apt, dnf and brew.
install() {
  local what=$1 sudo=""
  echo "no $what found: installing it with the system's package manager"
  [ "$(id -u)" = 0 ] || sudo="sudo"
  if command -v apt-get > /dev/null; then
    # Another installation may be under way, as on a machine that has just started: wait for it.
    $sudo apt-get -o DPkg::Lock::Timeout=300 update -qq
    $sudo apt-get -o DPkg::Lock::Timeout=300 install -y -qq "$2" > /dev/null
  elif command -v dnf > /dev/null; then
    $sudo dnf install -y -q "$3"
  elif command -v brew > /dev/null; then
    brew install "$4"
  else
    echo "install $what by hand" >&2
    exit 1
  fi
}

browser() {
  if ! CHROMIUM=$(chromium_path); then
    install "Chromium (nor one at \$CHROMIUM)" chromium chromium chromium
    CHROMIUM=$(chromium_path)
  fi
  export CHROMIUM
}

# Runs every target of fuzz/targets, or one of them, for some seconds, side by side. New inputs stay in target/fuzz.
fuzz() {
  local seconds=${1:-60} targets=${2:-} target host failed=0 dir=target/fuzz
  local flags="-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-pc-table"
  flags+=" -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-trace-compares"
  need cargo "install Rust (rustup)"
  command -v c++ > /dev/null || install "C++ compiler" g++ gcc-c++ gcc
  [ -n "$targets" ] || targets=$(cd fuzz/targets && basename -s .rs -- *.rs)
  host=$(rustc -vV | sed -n 's/^host: //p')
  # Naming the target keeps the flags, which let libFuzzer see which code an input reaches, away from build scripts.
  (cd fuzz && RUSTFLAGS=$flags CARGO_TARGET_DIR=../$dir cargo build --quiet --release --locked --bins --target "$host")
  local running=()
  for target in $targets; do
    mkdir -p "$dir/corpus/$target"
    (
      # What libFuzzer checks now and then, checked at each allocation too.
      ulimit -v $((2 << 20)) 2> /dev/null || true
      exec "$dir/$host/release/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 \
        -print_final_stats=1 -artifact_prefix="$dir/$target-" "$dir/corpus/$target" "fuzz/corpus/$target"
    ) > "$dir/$target.log" 2>&1 &
    running+=("$!:$target")
  done
  for target in "${running[@]}"; do
    if wait "${target%%:*}"; then
      target=${target#*:}
      echo "fuzz $target: passed, $(awk '/cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") now = $(i + 1)
        if (!first) first = now } /^stat::number_of_executed_units/ { runs = $2 }
        END { print runs " inputs, coverage from " first " to " now }' "$dir/$target.log")"
    else
      failed=1
      target=${target#*:}
      grep -a -m 1 -A 4 -E 'panicked at|ERROR: libFuzzer' "$dir/$target.log" || tail -n 20 "$dir/$target.log"
      echo "fuzz $target: failed; once more with: $dir/$host/release/$target" \
        "$(grep -a -o "$dir/$target-[a-z]*-[0-9a-f]*" "$dir/$target.log" | tail -n 1)"
    fi
  done
  return "$failed"
}

# Runs a command, shows its output, and adds the sums that `$1` (an awk program printing "passed failed") finds in it.
count() {
  local sums=$1 log status=0 passed failed
  shift
  log=$(mktemp)
  "$@" 2>&1 | tee "$log" || status=$?
  read -r passed failed < <(awk "$sums" "$log")
  rm -f "$log"
  # A runner that dies without naming a failed test is a failure too.
  if [ "$status" -ne 0 ] && [ "$failed" -eq 0 ]; then failed=1; fi
  PASSED=$((PASSED + passed))
  FAILED=$((FAILED + failed))
}

run_tests() {
  page
  browser
  count '/^test result:/ { p += $4; f += $6 } END { print p + 0, f + 0 }' cargo test --quiet --workspace
  count '/^# pass / { p += $3 } /^# fail / { f += $3 } END { print p + 0, f + 0 }' \
    node --test --test-reporter=tap tests/module/
  count '/^ +Tests / { for (i = 2; i < NF; i++) { if ($(i + 1) == "passed") p += $i; if ($(i + 1) == "failed") f += $i } } END { print p + 0, f + 0 }' \
    env NO_COLOR=1 npm --prefix www run --silent test
  count '/^ +[0-9]+ passed/ { p += $1 } /^ +[0-9]+ failed/ { f += $1 } END { print p + 0, f + 0 }' \
    www/node_modules/.bin/playwright test --config tests/browser/playwright.config.ts
  count '/^fuzz [a-z]+: passed/ { p++ } /^fuzz [a-z]+: failed/ { f++ } END { print p + 0, f + 0 }' fuzz 60
  echo "$PASSED passed, $FAILED failed"
  [ "$FAILED" -eq 0 ]
}

check() {
  module
  cargo fmt --all --check
  cargo fmt --manifest-path fuzz/Cargo.toml --check
  cargo clippy --quiet --workspace --all-targets -- -D warnings
  cargo clippy --quiet --workspace --target wasm32-unknown-unknown --features wasm -- -D warnings
  RUSTDOCFLAGS="-D warnings" cargo doc --quiet --workspace --no-deps
  (cd www && npm run --silent check)
}

case "${1:-build}" in
  build) page ;;
  module) module ;;
  serve) page && exec node www/serve.mjs dist ;;
  test) run_tests ;;
  check) check ;;
  fuzz) fuzz "${@:2}" ;;
  bench) page && browser && node tests/bench/bench.mjs ;;
  *) usage >&2; exit 2 ;;
esac
