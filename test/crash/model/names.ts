// What the numbers and names of commands mean in a play: which ids are known, and which POSTs were sent before.

import { type Command, latest, type Ref } from "./commands.ts";
import type { Made, Order, Request, Seen, Who } from "./requests.ts";
import { posts } from "./requests.ts";
import type { Customer } from "./scene.ts";

const unknownId = "0198c0de-0000-7000-8000-00000000000a";

export class Names {
  readonly #instances: Record<Customer, string[]> = { ann: [], bob: [] };
  /** Keys and file systems by kind, account and name: the last that had it. */
  readonly #things = new Map<string, string>();
  readonly #sent: Request[] = [];
  #launches = 0;

  /** Undefined where it means nothing, such as the repetition of what was never sent. `named`: every launch has one. */
  resolve(command: Command, named = false): Request | undefined {
    const request = this.#resolve(command, named);
    if (request !== undefined && posts.has(request.op) && "who" in request) this.#sent.push(request);
    return request;
  }

  /** What was made is known from now on. */
  note(request: Request, seen: Seen, made: readonly Made[]): void {
    if (!("who" in request) || seen?.replayed === true) return;
    const { account } = request.who;
    if (request.op === "launch") this.#instances[account].push(...made.map(({ id }) => id));
    const [thing] = made;
    if (thing === undefined) return;
    if (request.op === "add-key") this.#things.set(`key ${account} ${request.name}`, thing.id);
    if (request.op === "create-file-system") this.#things.set(`file system ${account} ${request.name}`, thing.id);
  }

  /** The instance of this number, as references count. */
  instance(account: Customer, nth: number): string | undefined {
    return numbered(this.#instances[account], nth);
  }

  isKnown(id: string): boolean {
    const { ann, bob } = this.#instances;
    return ann.includes(id) || bob.includes(id) || [...this.#things.values()].includes(id);
  }

  #resolve(command: Command, named: boolean): Request | undefined {
    switch (command.do) {
      case "launch": {
        const { via, who, key } = command;
        return { op: "launch", via, who, order: this.#order(command, named), ...withKey(key) };
      }
      case "stop":
      case "restart":
      case "terminate": {
        const { do: wish, via, who, refs, key } = command;
        return { op: "change", wish, via, who, ids: refs.map((ref) => this.#instance(who, ref)), ...withKey(key) };
      }
      case "add key": {
        const { via, who, name, key } = command;
        return { op: "add-key", via, who, name, generate: via === "R", ...withKey(key) };
      }
      case "delete key":
        return { op: "delete-key", via: command.via, who: command.who, id: this.#thing("key", command) };
      case "add file system": {
        const { who, name, region, key } = command;
        return { op: "create-file-system", via: "control", who, name, region, ...withKey(key) };
      }
      case "delete file system": {
        const id = this.#thing("file system", command);
        return { op: "delete-file-system", via: "control", who: command.who, id };
      }
      case "read":
        return { op: "read", via: command.via, who: command.who, id: this.#instance(command.who, command.ref) };
      case "list":
      case "keys":
      case "offers":
        return { op: command.do, via: command.via, who: command.who };
      case "file-systems":
      case "usage":
      case "account":
        return { op: command.do, via: "control", who: command.who };
      case "coupon": {
        const { who, code, products, key } = command;
        return { op: "coupon", via: "D", who, code, products, ...withKey(key) };
      }
      case "move": {
        const id = this.instance(command.account, command.nth) ?? unknownId;
        return { op: "move", id, host: command.host };
      }
      case "again":
        return this.#sent[command.nth % Math.max(1, this.#sent.length)];
      case "put coupon":
        return { op: "put-coupon", code: command.code, percent: command.percent, active: command.active };
      case "all instances":
        return { op: "all-instances" };
      default: {
        const { do: op, ...rest } = command;
        return { op, ...rest } as Request; // an operator's command is the request
      }
    }
  }

  /** Only what the variant can say. */
  #order({ via, order }: Extract<Command, { do: "launch" }>, named: boolean): Order {
    const { named: isNamed, image, coupon, env, ...rest } = order;
    const name = isNamed || named ? { name: `rig ${++this.#launches}` } : {};
    const said = {
      ...(image !== undefined && via !== "R" && { image }),
      ...(coupon !== undefined && (via === "D" || via === "control") && { coupon }),
      ...(env !== undefined && (via === "M" || via === "control") && { env }),
    };
    return { ...rest, ...name, ...said, ...(via === "D" && { quantity: 1, fileSystems: [] }) };
  }

  #instance({ account }: Who, { whose, nth, written }: Ref): string {
    const ids = this.#instances[whose === "own" ? account : other(account)];
    const id = whose === "unknown" || ids.length === 0 ? unknownId : (numbered(ids, nth) ?? unknownId);
    if (written === "upper case") return id.toUpperCase();
    return written === "plain" ? id : id.replaceAll("-", "");
  }

  #thing(kind: string, { who, name, of: whose }: { who: Who; name: string; of: Ref["whose"] }): string {
    if (whose === "unknown") return unknownId;
    return this.#things.get(`${kind} ${whose === "own" ? who.account : other(who.account)} ${name}`) ?? unknownId;
  }
}

const numbered = (ids: readonly string[], nth: number) =>
  nth === latest ? ids.at(-1) : ids[nth % Math.max(1, ids.length)];
const other = (account: Customer): Customer => (account === "ann" ? "bob" : "ann");
const withKey = (key: string | undefined) => (key === undefined ? {} : { key });
