#!/bin/sh
# Gates a repository on its golden timings, in any CI system (docs/regression.md).
#
#   gradflight-regress.sh [DIR]        DIR: the golden scenarios, default "golden"
#
# GRADFLIGHT   the program          (gradflight)
# OUT          where files go       (.): gradflight-regress.xml (JUnit) and, after a change, gradflight-accept.patch
# JOBS         simulations at a time (all processors)
#
# Exits as `gradflight regress` does: 0 as expected, 1 something moved, 2 an input is wrong, 3 a simulation failed.
set -u
golden=${1:-golden}
gradflight=${GRADFLIGHT:-gradflight}
out=${OUT:-.}
jobs=${JOBS:-$(nproc)}

no_patch() {
  echo "gradflight-regress.sh: no gradflight-accept.patch: $1" >&2
}

# Writes what a reviewer who agrees with the change applies at the top level of the repository: git apply
# gradflight-accept.patch. Works on copies, so that nothing can change the repository, however this script ends.
write_patch() {
  if [ -d "$golden" ]; then directory=$golden name=.; else directory=$(dirname -- "$golden") name=$(basename -- "$golden"); fi
  directory=$(cd -- "$directory" && pwd -P) || return
  top=$(git -C "$directory" rev-parse --show-toplevel 2>&1) || { no_patch "$top"; return; }
  golden=.${directory#"$top"}/$name

  copies=$(mktemp -d) && copies=$(cd -- "$copies" && pwd -P) || return
  trap 'rm -rf -- "$copies"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  mkdir "$copies/a" "$copies/b"
  tar -C "$top" --exclude=.git -cf - . | tar -C "$copies/a" -xf - && cp -R "$copies/a/." "$copies/b" ||
    { no_patch "cannot copy $top"; return; }
  # --accept would write through a link that leaves the copy.
  links=$(find "$copies/b/$golden" -type l -exec readlink -m -- {} + | grep -v "^$copies/b\(/\|\$\)")
  if [ -n "$links" ]; then
    no_patch "links lead out of the repository, or to it by an absolute path: $links"
    return
  fi

  "$gradflight" regress "$copies/b/$golden" --jobs "$jobs" --accept >/dev/null 2>"$copies/errors"
  git -C "$copies" diff --no-index --binary --no-prefix --no-color --no-ext-diff --no-textconv a b >"$copies/patch"
  if [ -s "$copies/patch" ]; then
    cat "$copies/patch" >"$out/gradflight-accept.patch"
  else
    no_patch "in a copy of the repository, --accept changes nothing: $(cat "$copies/errors")"
  fi
}

rm -f -- "$out/gradflight-accept.patch" # of an earlier run
"$gradflight" regress "$golden" --jobs "$jobs" --junit "$out/gradflight-regress.xml"
code=$?
if [ "$code" -eq 1 ]; then write_patch; fi
exit "$code"
