// Sets light or dark before anything is drawn, as chosen in this browser or by the system. Mantine does the same, but only
// when the console's code is loaded; until then the page would have the other color. Not a module, so without imports:
// console/first-paint.ts puts it into the page.

try {
  // Mantine's name for it (localStorageColorSchemeManager).
  const chosen = localStorage.getItem("mantine-color-scheme-value");
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const scheme = chosen === "light" || chosen === "dark" ? chosen : isDark ? "dark" : "light";
  document.documentElement.setAttribute("data-mantine-color-scheme", scheme);
} catch {
  // No storage: Mantine reports it.
}
