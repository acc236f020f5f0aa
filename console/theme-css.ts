// The theme's CSS as a file (virtual:theme.css): made from src/theme.ts when the console is built, because the service's
// Content-Security-Policy refuses the <style> that Mantine would write while the page runs.

import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from "@mantine/core";
import type { Plugin } from "vite";
import { cssVariables, theme } from "./src/theme.ts";

const id = "virtual:theme.css";

/** A plugin that knows `virtual:theme.css`. */
export function themeCss(): Plugin {
  return {
    name: "theme-css",
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    load: (source) => (source === `\0${id}` ? writeTheme() : undefined),
  };
}

function writeTheme(): string {
  const merged = mergeMantineTheme(DEFAULT_THEME, theme);
  const [given, own] = [defaultCssVariablesResolver(merged), cssVariables(merged)];
  return convertCssVariables(
    {
      variables: { ...given.variables, ...own.variables },
      light: { ...given.light, ...own.light },
      dark: { ...given.dark, ...own.dark },
    },
    ":root",
  );
}
