/** ESLint rules about imports inside src/: no circles, types included, and none against the order of the folders. */

import fs from "node:fs";
import path from "node:path";
import ts from "typescript";

const SRC = path.resolve(import.meta.dirname, "../src");

/** What each folder may import besides itself. Tools do not import each other, and neither do islands of the staff. */
const MAY_IMPORT = {
  world: [],
  work: [],
  page: [],
  tools: ["work", "world"],
  staff: ["work", "world", "tools"],
};
const HAS_SEPARATE_PARTS = ["tools", "staff"];

/** The file that a relative import names; null for a package, a style sheet or a file outside of src/. */
function targetOf(file, name) {
  if (!name.startsWith(".") || name.endsWith(".css")) return null;
  const base = path.resolve(path.dirname(file), name);
  const found = [".ts", ".tsx", "/index.ts"].map((end) => base + end).find((one) => fs.existsSync(one));
  return found?.startsWith(SRC + path.sep) ? found : null;
}

const importsOf = new Map();

function targetsOf(file) {
  let found = importsOf.get(file);
  if (!found) {
    const { importedFiles } = ts.preProcessFile(fs.readFileSync(file, "utf8"));
    found = importedFiles.map(({ fileName }) => targetOf(file, fileName)).filter((one) => one !== null);
    importsOf.set(file, found);
  }
  return found;
}

/** The files from `from` to `to`, both included, along imports; null where no way leads there. */
function wayTo(from, to) {
  const cameFrom = new Map([[from, null]]);
  for (const file of cameFrom.keys()) {
    if (file === to) {
      const way = [];
      for (let at = file; at !== null; at = cameFrom.get(at)) way.unshift(at);
      return way;
    }
    for (const next of targetsOf(file)) if (!cameFrom.has(next)) cameFrom.set(next, file);
  }
  return null;
}

/** Calls `check` with the target of each import, export or import() of the file. */
function onImports(context, check) {
  const file = context.filename;
  if (!file.startsWith(SRC + path.sep)) return {};
  const see = (node) => {
    const target = typeof node.source?.value === "string" ? targetOf(file, node.source.value) : null;
    if (target) check(node, file, target);
  };
  return { ImportDeclaration: see, ExportNamedDeclaration: see, ExportAllDeclaration: see, ImportExpression: see };
}

const noCircles = {
  meta: { type: "problem", schema: [] },
  create: (context) =>
    onImports(context, (node, file, target) => {
      const way = wayTo(target, file);
      if (!way) return;
      const names = way.map((one) => path.relative(SRC, one)).join(" → ");
      context.report({ node, message: `This import closes a circle: ${names}` });
    }),
};

const folderOrder = {
  meta: { type: "problem", schema: [] },
  create: (context) =>
    onImports(context, (node, file, target) => {
      const [from, part] = path.relative(SRC, file).split(path.sep);
      const [to, otherPart] = path.relative(SRC, target).split(path.sep);
      const isInside = from === to && (part === otherPart || !HAS_SEPARATE_PARTS.includes(from));
      if (isInside || (from !== to && MAY_IMPORT[from]?.includes(to))) return;
      context.report({ node, message: `src/${from}/${part} may not import src/${to}/${otherPart}` });
    }),
};

export default { rules: { "no-circles": noCircles, "folder-order": folderOrder } };
