// Says whether the page is light or dark before anything of it is drawn: as was chosen in this browser, or as the system is.
// Mantine says the same, but only when the console's code has been loaded, and until then the page would be of the other
// colour. No module, and so without imports: console/first-paint.ts puts it into the page.

try {
  // Mantine's name for it (localStorageColorSchemeManager).
  const chosen = localStorage.getItem("mantine-color-scheme-value");
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const scheme = chosen === "light" || chosen === "dark" ? chosen : isDark ? "dark" : "light";
  document.documentElement.setAttribute("data-mantine-color-scheme", scheme);
} catch {
  // No storage here: Mantine will say it.
}
