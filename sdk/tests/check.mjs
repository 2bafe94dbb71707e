// Checks the type declarations with TypeScript itself:
// - the files in `right/` compile with `strict`, with and without the DOM's types beside ours;
// - what `/*completes a b*/` stands in front of is completed with at least these names;
// - the files in `wrong/` have the errors that their lines announce, `// error TS2339: part of the message`, and no others;
// - the module that the engine brings exports what the declarations say, and nothing else;
// - the examples compile with their own settings.

import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";

const tests = path.dirname(fileURLToPath(import.meta.url));
const root = path.resolve(tests, "../..");
const require = createRequire(path.join(root, "target/tools/package.json"));
const ts = require("typescript");

const options = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  allowImportingTsExtensions: true,
  isolatedModules: true,
  lib: ["lib.es2023.d.ts"],
  types: [],
  baseUrl: root,
  paths: { stepwell: ["sdk/index.d.ts"], zod: ["crates/script/vendor/zod/zod.d.ts"] },
};
const withDom = { ...options, lib: ["lib.es2023.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"] };

let nProblems = 0;
function problem(text) {
  nProblems += 1;
  console.error(text);
}

function filesIn(folder) {
  const names = readdirSync(path.join(tests, folder)).filter((name) => name.endsWith(".ts"));
  return names.sort().map((name) => path.join(tests, folder, name));
}

// What TypeScript says about the files and our declarations. Zod's are its own.
function diagnostics(files, settings) {
  const program = ts.createProgram(files, settings);
  return ts
    .getPreEmitDiagnostics(program)
    .filter(({ file }) => !file?.fileName.includes("/vendor/"))
    .map(({ file, start, code, messageText }) => {
      const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line + 1;
      return { file: file?.fileName ?? "", line, code, message: ts.flattenDiagnosticMessageText(messageText, "\n") };
    });
}

function show({ file, line, code, message }) {
  return `${path.relative(root, file)}:${line}: TS${code}: ${message}`;
}

function checkRight(what, files, settings) {
  for (const found of diagnostics(files, settings)) problem(`${what}: ${show(found)}`);
  console.log(`${what}: ${files.length} files`);
}

function checkWrong(files) {
  const found = diagnostics(files, options);
  let nErrors = 0;
  for (const file of files) {
    const lines = readFileSync(file, "utf8").split("\n");
    const announced = lines.flatMap((text, index) => {
      const match = /\/\/ error TS(\d+): (.*)$/.exec(text);
      return match === null ? [] : [{ line: index + 1, code: Number(match[1]), words: match[2] }];
    });
    if (announced.length === 0) problem(`${file} announces no error`);
    nErrors += announced.length;
    const here = found.filter((error) => error.file === file);
    for (const { line, code, words } of announced) {
      const index = here.findIndex((e) => e.line === line && e.code === code && e.message.includes(words));
      if (index < 0) problem(`${path.relative(root, file)}:${line}: TS${code} with "${words}" was announced and is not there`);
      else here.splice(index, 1);
    }
    for (const error of here) problem(`not announced: ${show(error)}`);
  }
  for (const error of found.filter(({ file }) => !files.includes(file))) problem(`not announced: ${show(error)}`);
  console.log(`programs that must not compile: ${files.length} files, ${nErrors} errors`);
}

function checkCompletions(files) {
  const service = ts.createLanguageService({
    getCompilationSettings: () => options,
    getScriptFileNames: () => files,
    getScriptVersion: () => "1",
    getScriptSnapshot: (file) => (ts.sys.fileExists(file) ? ts.ScriptSnapshot.fromString(readFileSync(file, "utf8")) : undefined),
    getCurrentDirectory: () => root,
    getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    readDirectory: ts.sys.readDirectory,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
  let nPlaces = 0;
  for (const file of files) {
    for (const { 0: mark, 1: names, index } of readFileSync(file, "utf8").matchAll(/\/\*completes ([\w ]+)\*\//g)) {
      nPlaces += 1;
      const found = service.getCompletionsAtPosition(file, index + mark.length, {})?.entries.map(({ name }) => name) ?? [];
      for (const name of names.split(" ").filter((name) => !found.includes(name))) {
        problem(`${path.relative(root, file)}: ${name} is not offered, but ${found.slice(0, 20).join(", ")}`);
      }
    }
  }
  if (nPlaces === 0) problem("there is no place to complete");
  console.log(`completions: ${nPlaces} places`);
}

function checkModule() {
  const file = path.join(root, "crates/sequence/src/ts/stepwell.js");
  if (!ts.sys.fileExists(file)) return console.log("the module's exports: not in this tree");
  const exported = [...readFileSync(file, "utf8").matchAll(/^export (?:async )?(?:class|const|function) (\w+)/gm)].map((found) => found[1]);
  const program = ts.createProgram([path.join(root, "sdk/index.d.ts")], options);
  const checker = program.getTypeChecker();
  const module = checker.getSymbolAtLocation(program.getSourceFile(path.join(root, "sdk/index.d.ts")));
  const declared = checker.getExportsOfModule(module).filter(({ flags }) => flags & ts.SymbolFlags.Value).map(({ name }) => name);
  for (const name of exported.filter((name) => !declared.includes(name))) problem(`${name} is not declared`);
  for (const name of declared.filter((name) => !exported.includes(name))) problem(`the module has no ${name}`);
  console.log(`the module's exports: ${exported.length}`);
}

function checkExamples(folder) {
  const file = path.join(root, "examples/sequence", folder, "tsconfig.json");
  const { config, error } = ts.readConfigFile(file, ts.sys.readFile);
  if (error !== undefined) return problem(ts.flattenDiagnosticMessageText(error.messageText, "\n"));
  const { fileNames, options: settings } = ts.parseJsonConfigFileContent(config, ts.sys, path.dirname(file));
  if (fileNames.length === 0) problem(`there are no examples in ${folder}`);
  checkRight(`examples, ${folder}`, fileNames, { ...settings, noEmit: true });
}

const right = filesIn("right");
checkRight("programs", right, options);
checkRight("programs beside the DOM's types", right, withDom);
checkCompletions(right);
checkWrong(filesIn("wrong"));
checkModule();
checkExamples("samples");
checkExamples("order-processing");
if (nProblems > 0) {
  console.error(`${nProblems} problems`);
  process.exitCode = 1;
}
