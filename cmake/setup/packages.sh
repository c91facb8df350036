# SPDX-License-Identifier: Apache-2.0
# Sourced by quickstart and check: install_packages PURPOSE... installs what is missing and says what.
# Without root it prints the exact command and ends the script with status 1.

install_packages() {
  local list wanted=() missing=() package purpose
  list="$(dirname "${BASH_SOURCE[0]}")/packages.txt"
  while read -r purpose package; do
    case " $* " in *" $purpose "*) wanted+=("$package") ;; esac
  done < <(grep -v '^#' "$list")
  for package in "${wanted[@]}"; do
    dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  if ! command -v apt-get >/dev/null; then
    echo "These packages are missing, and this system has no apt-get; install their equivalents: ${missing[*]}" >&2
    exit 1
  fi
  if [ "$(id -u)" -ne 0 ]; then
    echo "These packages are missing. Install them, then run this again:" >&2
    echo "  sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
  echo "Installing: ${missing[*]}"
  local log
  log="$(mktemp)"
  if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 15 "$log" >&2
    echo "apt-get could not install the packages; its last lines are above (all of them: $log)" >&2
    exit 1
  fi
  rm -f "$log"
}

# run_logged LOG COMMAND...: quiet when it works, its end when it does not.
run_logged() {
  local log="$1"
  shift
  mkdir -p "$(dirname "$log")"
  if ! "$@" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    echo "failed: $* (whole output: $log)" >&2
    return 1
  fi
}
