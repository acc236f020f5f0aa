// A small reader of MIME messages, to check with what src/engines/guest/mime.ts writes. It knows what we write, no more.

export interface ReadPart {
  readonly headers: Readonly<Record<string, string>>;
  /** As it stands, or decoded where it is Base64. */
  readonly body: string;
}

/** The parts of a multi-part message, the inner parts of a part that is one itself in its place. */
export function partsOf(message: string): ReadPart[] {
  const { headers, body } = split(message);
  const boundary = /boundary="([^"]+)"/.exec(headers["content-type"] ?? "")?.[1];
  if (boundary === undefined) {
    const encoded = headers["content-transfer-encoding"] === "base64";
    return [{ headers, body: encoded ? Buffer.from(body, "base64").toString("utf8") : body }];
  }
  const [, ...sections] = `\n${body}`.split(`\n--${boundary}`);
  const end = sections.pop();
  if (end?.trim() !== "--") throw new Error("the message does not end with its boundary");
  return sections.flatMap((section) => partsOf(section.replace(/^\r?\n/, "")));
}

function split(message: string): ReadPart {
  const [, head = "", body = ""] = /^([\s\S]*?)\r?\n\r?\n([\s\S]*)$/.exec(`\n${message}`) ?? [];
  const headers = head
    .trim()
    .split(/\r?\n/)
    .map((line) => /^([^:]+): (.*)$/.exec(line)?.slice(1) ?? [line]);
  return { headers: Object.fromEntries(headers.map(([name = "", value = ""]) => [name.toLowerCase(), value])), body };
}
