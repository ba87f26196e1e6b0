import { defineConfig } from "vitest/config";

const ENTRIES = [
  "src/page/site.ts",
  "src/page/staff.ts",
  "src/page/trees.ts",
  "src/styles/staff/reports.css",
  "src/styles/staff/setup.css",
  "src/styles/staff/trees.css",
  "src/styles/staff/versions.css",
  "src/styles/tools/quiz.css",
  "src/tools/marker/main.tsx",
  "src/tools/parse/main.tsx",
  "src/tools/voxels/main.tsx",
  "src/tools/interaction/main.tsx",
  "src/staff/review/main.tsx",
  "src/staff/scene_review/main.tsx",
  "src/staff/replay/main.tsx",
  "src/staff/compare_room/main.ts",
  "src/staff/form_editor/main.tsx",
  "src/staff/setup/main.ts",
];

// One entry an island, plus the site's own sheet. Django reads dist/manifest.json (django-vite) and serves dist/ under /static/.
export default defineConfig({
  base: "/static/",
  publicDir: false,
  // `@lib/*` is in tsconfig.json: the one place that names files outside of this folder.
  resolve: { tsconfigPaths: true },
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    manifest: "manifest.json",
    target: "es2022",
    // The content security policy forbids inline helpers and data: sheets.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ENTRIES },
  },
  test: { include: ["tests/**/*.test.ts"], environment: "node", pool: "threads" },
});
