// SPDX-License-Identifier: Apache-2.0
// Bundles the page's program:  node build.mjs FOLDER
// The packages are those of FOLDER/node_modules, and page.js and page.css are written to FOLDER.
import fs from "node:fs";
import {createRequire} from "node:module";
import path from "node:path";
import {fileURLToPath} from "node:url";

const web = path.dirname(fileURLToPath(import.meta.url));
const folder = path.resolve(process.argv[2] ?? path.join(web, "dist"));
const packages = process.argv[2] ? folder : web;
const {build} = createRequire(path.join(packages, "package.json"))("esbuild");

// The licences of what is bundled must go with it.
const licence = fs.readFileSync(path.join(packages, "node_modules/uplot/LICENSE"), "utf8");

await build({
  entryPoints: {page: path.join(web, "src/main.ts")},
  outdir: folder,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2022", "chrome100", "firefox113", "safari16.4"],
  charset: "ascii",
  legalComments: "inline",
  banner: {js: `/*! uPlot\n${licence.trim()}\n*/`},
  nodePaths: [path.join(packages, "node_modules")],
  logLevel: "warning",
});
