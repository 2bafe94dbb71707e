#!/bin/sh
# Makes zod.mjs, zod.d.ts and LICENSE again, from npm. See README.md.
set -eu
version=4.6.7
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm init --yes >/dev/null
npm install --no-audit --no-fund "zod@$version" esbuild@0.28.2 rollup@4.68.2 rollup-plugin-dts@6.5.1 typescript@5.9.3
printf '%s\n' 'export * from "zod";' 'export { default } from "zod";' >entry.mjs
npx esbuild entry.mjs --bundle --minify --format=esm --target=es2023 --legal-comments=none --outfile=zod.mjs

echo 'export * from "./node_modules/zod/v4/classic/external.js";' >types.ts
cat >rollup.config.mjs <<'END'
import { dts } from "rollup-plugin-dts";
export default { input: "types.ts", output: { file: "zod.d.ts" }, plugins: [dts({ respectExternal: true })] };
END
echo '{ "compilerOptions": { "strict": true, "module": "nodenext", "target": "es2022" } }' >tsconfig.json
npx rollup --config rollup.config.mjs
# Zod has these lines in an index of its own; here the file imports itself.
printf '%s\n' '' 'import * as z from "./zod.js";' 'export { z, z as default };' >>zod.d.ts
cp zod.mjs zod.d.ts node_modules/zod/LICENSE "$here/"
