// Writes a `.br` and a `.gz` beside each built script and sheet; the server sends the one that the browser takes.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, gzipSync } from "node:zlib";

const FOLDER = new URL("dist/assets/", import.meta.url);
const WORTH_BYTES = 1024;

for (const name of readdirSync(FOLDER).filter((one) => /\.(js|css)$/.test(one))) {
  const content = readFileSync(new URL(name, FOLDER));
  if (content.length >= WORTH_BYTES) {
    writeFileSync(new URL(`${name}.br`, FOLDER), brotliCompressSync(content));
    writeFileSync(new URL(`${name}.gz`, FOLDER), gzipSync(content, { level: 9 }));
  }
}
