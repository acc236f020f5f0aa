// The forms in which a secret could lie somewhere: as it is, and as programs write such things.

/** Something secret: what it is, and its bytes. */
export interface Canary {
  readonly what: string;
  readonly bytes: Buffer;
}

export const canary = (what: string, text: string | Buffer): Canary => ({
  what,
  bytes: typeof text === "string" ? Buffer.from(text) : text,
});

/** All forms, each once. Base64 in the three ways in which the letters come out, as it may lie anywhere in more of it. */
export function formsOf({ bytes }: Canary): Buffer[] {
  const text = bytes.toString("utf8");
  const isText = Buffer.from(text).equals(bytes);
  const forms = [
    bytes,
    Buffer.from(bytes.toString("hex")),
    Buffer.from(bytes.toString("hex").toUpperCase()),
    ...[0, 1, 2].flatMap((shift) => [base64Within(bytes, shift, "base64"), base64Within(bytes, shift, "base64url")]),
    ...(isText
      ? [
          Buffer.from(encodeURIComponent(text)),
          Buffer.from(encodeURIComponent(text).replaceAll("%20", "+")),
          Buffer.from(JSON.stringify(text).slice(1, -1)),
          Buffer.from(JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1)),
          Buffer.from(JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/")),
        ]
      : []),
  ];
  return [...new Map(forms.map((form) => [form.toString("hex"), form])).values()];
}

/** The letters that depend on nothing but these bytes, when so many others come before them. */
function base64Within(bytes: Buffer, shift: number, encoding: "base64" | "base64url"): Buffer {
  const whole = Buffer.concat([Buffer.alloc(shift), bytes]);
  const letters = whole.toString(encoding).replace(/=+$/, "");
  const first = Math.ceil((shift * 8) / 6);
  const last = Math.floor((whole.length * 8) / 6);
  return Buffer.from(letters.slice(first, last));
}
