#!/usr/bin/env bash
set -euo pipefail

source ./lib.sh
. "$ROOT/common.sh"

LIMIT=3
# <- constant LIMIT
lower=4
export PREFIX="/usr" SUFFIX
#      ^^^^^^ constant PREFIX
readonly RETRIES=5
#        ^^^^^^^ constant RETRIES
declare -A names=([a]=1)
#          ^^^^^ constant names
ARGS=("$@")
# <- constant ARGS
LIMIT+=1
ARGS[0]=x

build() {
# <- function build
  local out="$1"
  INNER=2
  compile "$out"
}

function clean {
#        ^^^^^ function clean
  rm -rf "$PREFIX"
}

function check() (
#        ^^^^^ function check
  cd "$PREFIX" && build .
)

log::info() { echo "$*" >&2; }
# <- function log.info
run-all() { for f in build clean; do "$f"; done; }
# <- function run-all
_private ()
# <- function _private
{
  return 1
}

if [[ -n ${DEBUG:-} ]]; then
  trace() { set -x; }
# ^^^^^ function trace
  DEBUG_LEVEL=2
fi

outer() {
# <- function outer
  inner() { :; }
# ^^^^^ function outer.inner
  inner
}

alias ll='ls -l'
#     ^^ function ll

trap clean EXIT
build "$@"
