// Parses responses as cheaply as possible: status and length, nothing else. Without pipelining, so at most one response
// is pending. Used by the generator; a chunked response, which no measured server should send, is read by searching for
// the last chunk.

const HEAD_END = Buffer.from("\r\n\r\n");
const LAST_CHUNK = Buffer.from("0\r\n\r\n");

export class AnswerReader {
  readonly #onAnswer: (status: number, head: string) => void;
  #kept: Buffer | undefined;
  /** Of a response whose head has arrived. */
  #status = 0;
  #head = "";
  #missing = 0;
  #until: "head" | "length" | "last chunk" | "close" = "head";

  /** Called with each complete response. */
  constructor(onAnswer: (status: number, head: string) => void) {
    this.#onAnswer = onAnswer;
  }

  /** The bytes are read now and not kept, unless a head is incomplete. Throws if they are no response. */
  feed(chunk: Buffer): void {
    const bytes = this.#kept === undefined ? chunk : Buffer.concat([this.#kept, chunk]);
    this.#kept = undefined;
    if (this.#until !== "head") {
      this.#body(bytes);
      return;
    }
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) {
      this.#kept = Buffer.from(bytes);
      return;
    }
    this.#begin(bytes.toString("latin1", 0, end));
    this.#body(bytes.subarray(end + HEAD_END.length));
  }

  /** The connection has ended: returns whether that completed a response. */
  closed(): boolean {
    if (this.#until !== "close") return false;
    this.#whole();
    return true;
  }

  #begin(head: string): void {
    this.#status = Number(head.slice(9, 12));
    if (!head.startsWith("HTTP/1.") || !(this.#status >= 100)) throw new Error(`no answer: ${head.slice(0, 80)}`);
    this.#head = head;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
    if (this.#status === 204 || this.#status === 304) [this.#until, this.#missing] = ["length", 0];
    else if (length !== undefined) [this.#until, this.#missing] = ["length", Number(length)];
    else this.#until = /\r\ntransfer-encoding: *chunked/i.test(head) ? "last chunk" : "close";
  }

  #body(bytes: Buffer): void {
    if (this.#until === "length") this.#count(bytes.length);
    else if (this.#until === "last chunk") this.#lookForLast(bytes);
  }

  #count(length: number): void {
    this.#missing -= length;
    if (this.#missing < 0) throw new Error("more bytes came than the answer has");
    if (this.#missing === 0) this.#whole();
  }

  #lookForLast(bytes: Buffer): void {
    if (bytes.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)) this.#whole();
    else this.#kept = Buffer.from(bytes.subarray(-LAST_CHUNK.length));
  }

  #whole(): void {
    this.#until = "head";
    this.#onAnswer(this.#status, this.#head);
  }
}
