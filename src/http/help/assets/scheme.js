// @ts-check
// Says whether a page of help is light or dark before anything of it is drawn: as was chosen here or in the console, or as
// the system is. Mantine's name for it, so that the console and these pages have one choice.

(() => {
  try {
    const chosen = localStorage.getItem("mantine-color-scheme-value");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.scheme = chosen;
  } catch {
    // No storage here: as the system is.
  }
})();
