import { defineConfig } from "vitest/config";

// One entry an island, plus the site's own sheet. Django reads dist/manifest.json (django-vite) and serves dist/ under /static/.
export default defineConfig({
  base: "/static/",
  publicDir: false,
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    manifest: "manifest.json",
    target: "es2022",
    // The content security policy forbids inline helpers and data: sheets.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: { input: ["src/site.ts", "src/marker/main.tsx", "src/parse/main.tsx", "src/parse/editor.tsx", "src/voxels/main.tsx", "src/interaction/main.tsx", "src/replay/main.tsx", "src/review/main.tsx", "src/review_voxels/main.tsx"] },
  },
  test: { include: ["tests/**/*.test.ts"], environment: "node" },
});
