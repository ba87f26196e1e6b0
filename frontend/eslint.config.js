import reactHooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";
import imports from "./lint/imports.js";

export default tseslint.config(
  { ignores: ["dist/", "src/work/api.generated.ts"] },
  {
    files: ["**/*.ts", "**/*.tsx"],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    plugins: { imports, "react-hooks": reactHooks },
    rules: {
      "imports/no-circles": "error",
      "imports/folder-order": "error",
      "react-hooks/rules-of-hooks": "error",
      // A name that begins with _ says that it is left out on purpose.
      "@typescript-eslint/no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      // Stores are objects of closures: their methods need no `this`.
      "@typescript-eslint/unbound-method": "off",
    },
  },
  // Rules that need types look at the product alone: they take most of the time.
  { files: ["tests/**"], extends: [tseslint.configs.disableTypeChecked] },
);
