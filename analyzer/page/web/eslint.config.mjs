// SPDX-License-Identifier: Apache-2.0
import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {parserOptions: {project: "./tsconfig.json"}},
    rules: {
      eqeqeq: "error",
      "no-restricted-properties": [
        "error",
        {property: "innerHTML", message: "names of other programs are text: use textContent"},
        {property: "outerHTML", message: "names of other programs are text: use textContent"},
        {property: "insertAdjacentHTML", message: "names of other programs are text"},
      ],
    },
  },
);
