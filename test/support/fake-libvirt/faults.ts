// What a test wants to go wrong: faults for calls that match, each used up by the call that it hits.

export interface Fault {
  /** The call fails with this complaint. Default: it does not. */
  readonly fail?: string;
  /** The call is never answered: it ends with its signal, or when the daemon goes away. */
  readonly hang?: boolean;
  /** This is answered instead of what is true. */
  readonly answer?: string;
  /** Whether the host does it all the same: the answer alone is lost, or a lie. Default: it does not. */
  readonly isDone?: boolean;
}

interface Rule {
  readonly command: RegExp;
  readonly fault: Fault;
  times: number;
}

export class Faults {
  readonly #rules: Rule[] = [];

  /** For the next `times` commands that match, read as "h1 start a-name". The newest rule counts. */
  add(command: RegExp, fault: Fault, times = 1): void {
    this.#rules.unshift({ command, fault, times });
  }

  /** No fault is left that nothing has hit. */
  clear(): void {
    this.#rules.length = 0;
  }

  take(command: string): Fault {
    const rule = this.#rules.find((one) => one.times > 0 && one.command.test(command));
    if (rule === undefined) return {};
    rule.times--;
    return rule.fault;
  }
}
