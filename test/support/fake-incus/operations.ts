// The background operations of the fake: each is carried out at once, or held open until the test lets it go on.

export interface FakeOperation {
  readonly id: string;
  readonly description: string;
  readonly resources: Readonly<Record<string, readonly string[]>>;
  readonly metadata: unknown;
  /** 103 running, 200 success, 400 failure, 401 cancelled. */
  status: number;
  err: string;
  readonly ended: Promise<void>;
}

export interface OperationPlan {
  /** Kept running until it is settled. */
  readonly held: boolean;
  /** Fails with these words, and changes nothing. */
  readonly fails: string | undefined;
  readonly description?: string;
  readonly resources?: FakeOperation["resources"];
  readonly metadata?: unknown;
}

export class FakeOperations {
  readonly #all = new Map<string, FakeOperation>();
  readonly #work = new Map<string, { plan: OperationPlan; carryOut: () => string | undefined; end: () => void }>();
  /** So many waits are answered at once with "still running", before one waits. */
  impatience = 0;

  /** `carryOut` changes the world when the operation ends, and says why it failed, if it did. */
  begin(plan: OperationPlan, carryOut: () => string | undefined): FakeOperation {
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const { description = "", resources = {}, metadata = null } = plan;
    const operation = { id: crypto.randomUUID(), description, resources, metadata, status: 103, err: "", ended };
    this.#all.set(operation.id, operation);
    this.#work.set(operation.id, { plan, carryOut, end });
    if (!plan.held) this.settle(operation.id);
    return operation;
  }

  /** Ends it: carried out, or failed with `words`. */
  settle(id: string, words?: string): void {
    const operation = this.#all.get(id);
    const work = this.#work.get(id);
    if (operation === undefined || work === undefined) return;
    this.#work.delete(id);
    operation.err = words ?? work.plan.fails ?? work.carryOut() ?? "";
    operation.status = operation.err === "" ? 200 : 400;
    work.end();
  }

  cancel(id: string): void {
    const operation = this.#all.get(id);
    if (operation === undefined) return;
    operation.status = 401;
    this.#work.get(id)?.end();
    this.#work.delete(id);
  }

  /** As after a restart of the member that ran it: what it was at is never finished. */
  forgetAll(): void {
    for (const { end } of this.#work.values()) end();
    this.#all.clear();
    this.#work.clear();
  }

  get(id: string): FakeOperation | undefined {
    return this.#all.get(id);
  }

  running(): FakeOperation[] {
    return [...this.#all.values()].filter(({ status }) => status === 103);
  }

  /** Resolves when it has ended, or at once where the fake is impatient. */
  async wait(operation: FakeOperation): Promise<void> {
    if (operation.status !== 103) return;
    if (this.impatience > 0) this.impatience--;
    else await operation.ended;
  }
}
