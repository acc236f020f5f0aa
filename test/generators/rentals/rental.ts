// A rental without an SSH key, whatever client is behind it: what a generator made of the document has to give.

interface Shown {
  readonly uuid: string;
  readonly status: string;
  readonly os_booted: number;
  readonly password: number;
}

export interface DirectClient {
  launch(order: { productName: string; regionName: string; sshKeys?: string[]; sshKey?: string }): Promise<string>;
  read(uuid: string): Promise<Shown>;
  terminate(uuid: string): Promise<readonly { readonly id: string; readonly status: string }[]>;
}

export const url = setting("LESSOR_URL");
export const token = setting("LESSOR_TOKEN");

export async function rent(client: DirectClient): Promise<void> {
  const uuid = await client.launch({ productName: setting("LESSOR_TYPE"), regionName: "any" });
  const active = await until(
    () => client.read(uuid),
    ({ os_booted }) => os_booted === 1,
  );
  const ended = await client.terminate(uuid);
  if (ended[0]?.id !== uuid) throw new Error(`not terminated: ${JSON.stringify(ended)}`);
  await until(
    () => client.read(uuid),
    ({ status }) => status === "terminated",
  );
  process.stdout.write(JSON.stringify({ uuid, password: active.password }));
}

/** The value of a success. */
export function given<T>(value: T | undefined, answer?: unknown): T {
  if (value === undefined) throw new Error(`no success: ${JSON.stringify(answer)}`);
  return value;
}

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
}

async function until<T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  for (const start = Date.now(); ; await new Promise((resolve) => setTimeout(resolve, 20))) {
    const answer = await ask();
    if (holds(answer)) return answer;
    if (Date.now() - start > 60_000) throw new Error(`still: ${JSON.stringify(answer)}`);
  }
}
