// HTML as values: a template escapes everything that is not an `Html` value, so no text of a document, a guide or a
// request becomes markup. Used by every page of src/http/help/, and by emails.

export class Html {
  readonly text: string;

  /** For text that is HTML already. Use `html` for everything else. */
  constructor(text: string) {
    this.text = text;
  }
}

/** The values of a template: text and numbers are escaped, false and undefined are nothing, lists are joined. */
export type Content = Html | string | number | false | undefined | readonly Content[];

/** html`<p title="${text}">${text}</p>`: attributes need double quotes. */
export function html(fixed: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return new Html(fixed.map((text, index) => text + written(contents[index])).join(""));
}

export const nothing = new Html("");

function written(content: Content): string {
  if (content instanceof Html) return content.text;
  if (content === undefined || content === false) return "";
  if (typeof content === "object") return content.map(written).join("");
  return String(content).replace(/[&<>"']/g, (character) => entities[character] ?? character);
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
