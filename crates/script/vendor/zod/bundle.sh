#!/bin/sh
# Makes zod.mjs and LICENSE again, from npm. See README.md.
set -eu
version=4.6.7
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init --yes >/dev/null
npm install --no-audit --no-fund "zod@$version" esbuild@0.28.2
printf '%s\n' 'export * from "zod";' 'export { default } from "zod";' >entry.mjs
npx esbuild entry.mjs --bundle --minify --format=esm --target=es2023 --legal-comments=none --outfile=zod.mjs
cp zod.mjs node_modules/zod/LICENSE "$here/"
