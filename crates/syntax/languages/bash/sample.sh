#!/usr/bin/env bash
#
# Makes nightly backups of directories, keeps a number of them, and checks that they can be read again.

set -euo pipefail
shopt -s nullglob

readonly VERSION="2.1.0"
readonly SELF="${BASH_SOURCE[0]##*/}"
HERE="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

# shellcheck source=lib/log.sh
source "$HERE/lib/log.sh"
. "${HERE}/lib/lock.sh"
[[ -r /etc/backup.conf ]] && source /etc/backup.conf

# How many backups of each directory are kept.
KEEP=${BACKUP_KEEP:-7}
TARGET=${BACKUP_TARGET:-/var/backups}
declare -a SOURCES=()
declare -A sizes=()
export LC_ALL=C
verbose=0

# Prints how to call this.
usage() {
  cat <<EOF
usage: $SELF [-v] [-k COUNT] [-t TARGET] DIRECTORY...
version $VERSION, keeping $(count_kept) backups
EOF
}

count_kept() { echo "$KEEP"; }

die() {
  log::error "$*"
  exit 1
}

function cleanup {
  local status=$?
  lock::release
  [[ -d ${work:-} ]] && rm -rf "$work"
  return "$status"
}

# Reads the options, and leaves the directories in SOURCES.
parse_arguments() {
  local option
  while getopts ':vk:t:h' option; do
    case "$option" in
      v) verbose=1 ;;
      k) KEEP="$OPTARG" ;;
      t) TARGET="$OPTARG" ;;
      h)
        usage
        exit 0
        ;;
      *) die "unknown option -$OPTARG" ;;
    esac
  done
  shift $((OPTIND - 1))
  (($# > 0)) || die "nothing to back up"
  SOURCES=("$@")
}

# The name of an archive: what it holds, and when it was made.
archive_name() {
  local source="${1%/}" stamp
  stamp="$(date +%Y%m%d-%H%M%S)"
  printf '%s-%s.tar.gz' "${source##*/}" "$stamp"
}

pack() {
  local source="$1" archive="$2"
  if ! tar -C "$(dirname "$source")" -czf "$archive.part" "$(basename "$source")"; then
    log::warn "cannot pack $source"
    return 1
  fi
  mv "$archive.part" "$archive"
  sizes["$source"]=$(stat -c %s "$archive")
}

verify() (
  cd "$TARGET" || exit
  gzip --test "$1" && tar -tzf "$1" >/dev/null
)

# Removes all but the newest archives of a directory.
prune() {
  local name="$1"
  local -a archives=("$TARGET/$name"-*.tar.gz)
  local surplus=$((${#archives[@]} - KEEP))
  for ((at = 0; at < surplus; at++)); do
    log::debug "removing ${archives[at]}"
    rm -- "${archives[at]}"
  done
}

backup::one() {
  local source="$1" archive
  archive="$TARGET/$(archive_name "$source")"
  pack "$source" "$archive" || return
  verify "${archive##*/}" || die "cannot read $archive again"
  prune "$(basename "$source")"
}

backup::all() {
  local failed=0 source
  for source in "${SOURCES[@]}"; do
    backup::one "$source" || failed=$((failed + 1))
  done
  return "$failed"
}

report() {
  local source
  for source in "${!sizes[@]}"; do
    echo "$source ${sizes[$source]}"
  done | sort -k2 -n | while read -r name size; do
    log::info "$name: $size bytes"
  done
}

if [[ $(uname) == Darwin ]]; then
  stat() { command stat -f %z "${@:3}"; }
fi

main() {
  parse_arguments "$@"
  work="$(mktemp -d)"
  trap cleanup EXIT
  lock::acquire "$TARGET/.lock" || die "another backup is running"
  backup::all
  ((verbose)) && report
}

main "$@"
