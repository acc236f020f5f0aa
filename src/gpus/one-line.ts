// Text of a host as one line for operators. Used by the files beside it.

const most = 500;

/** The end of the text, without control characters and the marks that reorder text. */
export function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\uFFFD\s]+/gu, " ").trim();
  // By code points, so that none is cut in half.
  const points = [...line];
  return points.length <= most ? line : `…${points.slice(-most).join("")}`;
}
