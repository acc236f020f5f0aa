// The width of text on a terminal, and text that is safe for one. Names and descriptions come from other people:
// control characters are shown as a question mark. Pure; used by everything that prints text from the service.

const unfit = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;

/** The text on one line, without characters that control a terminal. */
export function plain(text: string): string {
  return text.replace(/[\r\n\t]+/g, " ").replace(unfit, "?");
}

/** The same for text of many lines, which keeps its newlines and tabs. */
export function plainLines(text: string): string {
  return text.replace(/\r\n?/g, "\n").replace(/[^\n\t]+/g, (part) => part.replace(unfit, "?"));
}

/** Equivalent JSON with unsafe characters escaped: programs lose nothing, and a terminal is not controlled. */
export function plainJson(json: string): string {
  return json.replace(unfit, (letter) => (letter === "\n" ? letter : escaped(letter)));
}

function escaped(letter: string): string {
  const units = Array.from({ length: letter.length }, (_, index) => letter.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}

/** In columns of a terminal. */
export function widthOf(text: string): number {
  let width = 0;
  for (const letter of text) {
    if (/\p{M}/u.test(letter)) continue;
    width += wide.test(letter) ? 2 : 1;
  }
  return width;
}

/** Cut to this many columns, with an ellipsis. */
export function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = "";
  for (const letter of text) {
    if (widthOf(kept + letter) > width - 1) break;
    kept += letter;
  }
  return `${kept}…`;
}
