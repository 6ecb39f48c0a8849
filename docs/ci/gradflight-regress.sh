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

"$gradflight" regress "$golden" --jobs "$jobs" --junit "$out/gradflight-regress.xml"
code=$?

# What a reviewer who agrees with the change has to apply: git apply gradflight-accept.patch. The tree stays as it was.
if [ "$code" -eq 1 ] && git diff --quiet -- "$golden" 2>/dev/null; then
  "$gradflight" regress "$golden" --jobs "$jobs" --accept >/dev/null 2>&1
  git diff --binary --relative -- "$golden" >"$out/gradflight-accept.patch"
  git apply --reverse "$out/gradflight-accept.patch"
fi
exit "$code"
