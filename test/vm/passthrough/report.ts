// What was tried and what came of it, a line each, with the seconds since the beginning. Used by run.ts and story.ts.

export class Report {
  readonly #began = performance.now();
  #failures = 0;

  tell(text: string): void {
    const seconds = ((performance.now() - this.#began) / 1000).toFixed(0).padStart(4);
    process.stdout.write(`${seconds} s  ${text}\n`);
  }

  /** `seen` is shown either way. */
  holds(claim: string, isSo: boolean, seen: unknown = ""): void {
    if (!isSo) this.#failures++;
    const shown = typeof seen === "string" ? seen : JSON.stringify(seen);
    this.tell(
      `${isSo ? "holds" : "FAILS"}  ${claim}${shown === "" ? "" : `\n          ${shown.replaceAll("\n", "\n          ")}`}`,
    );
  }

  /** The exit code. */
  end(): 0 | 1 {
    this.tell(this.#failures === 0 ? "everything holds" : `${this.#failures} of it fail`);
    return this.#failures === 0 ? 0 : 1;
  }
}
