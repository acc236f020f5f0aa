// What a test wants to go wrong: faults for requests that match, each used up by the request that it hits.

export interface Fault {
  /** The connection ends without an answer: before anything was done, or after it. */
  readonly drop?: "before" | "after";
  /** The request is refused, and nothing done. */
  readonly fail?: { readonly status: number; readonly error: string };
  /** The background operation that it begins fails with these words, and changes nothing. */
  readonly operationFails?: string;
  /** The background operation that it begins stays open until it is settled. */
  readonly hold?: boolean;
  /** This is answered, with status 200, and nothing done. */
  readonly answer?: string;
  /** Nothing is ever answered, and nothing done. */
  readonly silence?: boolean;
}

interface Rule {
  readonly method: string;
  readonly path: RegExp;
  readonly fault: Fault;
  times: number;
}

export class Faults {
  readonly #rules: Rule[] = [];

  /** For the next `times` requests of this method and path. The newest rule counts. */
  add(method: string, path: RegExp, fault: Fault, times = 1): void {
    this.#rules.unshift({ method, path, fault, times });
  }

  take(method: string, path: string): Fault {
    const rule = this.#rules.find((one) => one.times > 0 && one.method === method && one.path.test(path));
    if (rule === undefined) return {};
    rule.times--;
    return rule.fault;
  }
}
