#!/bin/sh
# Registers the steps of this folder and reaches a goal with them.
#
#   stepwell serve &                # or any other Stepwell server: STEPWELL_SERVER names it
#   python3 customers.py & cargo run -p flow-scorer & node reviews.mjs &
#   ./run.sh ada
#
# Prints:  {..., "decision": "total 24, review approved for Ada at 24", ...}
#
# Services on other ports: CUSTOMERS, SCORER and REVIEWS are their addresses.
set -eu

here=$(dirname "$0")
stepwell=${STEPWELL:-stepwell}
steps=$(mktemp -d)
trap 'rm -rf "$steps"' EXIT

for step in "$here"/steps/*.json; do
  sed -e "s#http://127.0.0.1:8101#${CUSTOMERS:-http://127.0.0.1:8101}#" \
      -e "s#http://127.0.0.1:8102#${SCORER:-http://127.0.0.1:8102}#" \
      -e "s#http://127.0.0.1:8103#${REVIEWS:-http://127.0.0.1:8103}#" \
      "$step" > "$steps/$(basename "$step")"
done

"$stepwell" step register --update "$steps"/*.json >&2
"$stepwell" plan --goal decide --init "{\"customer_id\": \"$1\"}" >&2
"$stepwell" flow start --goal decide --init "{\"customer_id\": \"$1\"}" --wait --quiet
