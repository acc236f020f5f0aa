// Gives xterm.js its styles: it writes <style> elements, which the service's Content-Security-Policy blocks, while sheets
// that a script constructs are allowed.

/**
 * Runs `open`, in which xterm makes its <style> elements (it keeps them, and changes their text later); each is a fake
 * whose text becomes a sheet of the page. Returns a function that removes these sheets.
 */
export function withStyleSheets(open: () => void): () => void {
  const sheets: CSSStyleSheet[] = [];
  // An own property hides the method of the prototype for as long as `open` runs. xterm has an option for a document of its
  // own, but goes to the page's all the same (6.0.0, CoreBrowserTerminal.ts: `this._document ?? … ? window.document`).
  const make = document.createElement.bind(document);
  Object.defineProperty(document, "createElement", {
    configurable: true,
    value: (name: string) => (name === "style" ? fakeProgram(make("span"), sheets) : make(name)),
  });
  try {
    open();
  } finally {
    Reflect.deleteProperty(document, "createElement");
  }
  return () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.includes(sheet));
  };
}

function fakeProgram(element: HTMLElement, sheets: CSSStyleSheet[]): HTMLElement {
  const sheet = new CSSStyleSheet();
  sheets.push(sheet);
  document.adoptedStyleSheets.push(sheet);
  element.hidden = true;
  let text = "";
  Object.defineProperty(element, "textContent", {
    get: () => text,
    set: (value: string) => {
      text = value;
      sheet.replaceSync(value);
    },
  });
  return element;
}
