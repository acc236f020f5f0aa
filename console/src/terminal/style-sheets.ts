// Lets xterm.js have its styles: it writes <style> elements, which the service's Content-Security-Policy refuses, while
// sheets that a script constructs are the script's own. Used by terminal.tsx.

/**
 * Runs `open`, in which xterm makes its <style> elements (it keeps them, and changes their text later); each is a stand-in
 * whose text becomes a sheet of the page. The answer takes these sheets away again.
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
