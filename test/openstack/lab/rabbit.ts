// The lab's RabbitMQ: Nova's services talk over it, and Lessor hears notifications with a user of its own, who has no more
// rights than the documents say. Used by services.ts.

import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../support/lab/run.ts";
import type { LabFacts } from "./lab.ts";
import { type Layout, openStackLabs, ports } from "./layout.ts";
import { logOf, startProcess } from "./processes.ts";
import type { Service } from "./services.ts";

/** Lessor's user of the lab's RabbitMQ. */
export const rabbitUser = { user: "lessor", password: "notifications-of-the-lab" } as const;

/** One who may do everything, also from outside of the lab, which "guest" may not. */
export const rabbitOperator = { user: "operator", password: "operator" } as const;

const definitions = {
  vhosts: [{ name: "/" }],
  users: [
    { name: "guest", password: "guest", tags: "administrator" },
    { name: rabbitOperator.user, password: rabbitOperator.password, tags: "administrator" },
    { name: rabbitUser.user, password: rabbitUser.password, tags: "" },
  ],
  permissions: [
    ...["guest", rabbitOperator.user].map((user) => ({ user, vhost: "/", configure: ".*", write: ".*", read: ".*" })),
    { user: rabbitUser.user, vhost: "/", configure: "^lessor-", write: "^lessor-", read: "^(lessor-.*|nova)$" },
  ],
};

/** The names of all queues. */
export async function queuesOf({ slot }: LabFacts): Promise<string[]> {
  const { namespace, state } = openStackLabs.layoutOf(slot);
  const [program = ""] = globSync("/usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmqctl");
  const args = ["-q", "-n", "lab@localhost", "list_queues", "name", "--no-table-headers"];
  const stdout = await run("nsenter", [`--net=/run/netns/${namespace}`, "--", program, ...args], {
    env: { HOME: join(state, "rabbit") },
  });
  return stdout.split("\n").filter((line) => line !== "");
}

/** RabbitMQ with everything that it keeps in the lab's directory. */
export function rabbit(layout: Layout): Service {
  const directory = join(layout.state, "rabbit");
  const name = "rabbitmq";
  return {
    name,
    start: () => {
      mkdirSync(directory, { recursive: true });
      const [program] = globSync("/usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin/rabbitmq-server");
      if (program === undefined) throw new Error("rabbitmq-server is not installed");
      const [settings, users] = [join(directory, "rabbitmq.conf"), join(directory, "definitions.json")];
      const listeners = ["127.0.0.1", layout.address].map(
        (ip, index) => `listeners.tcp.${index + 1} = ${ip}:${ports.bus}`,
      );
      writeFileSync(users, JSON.stringify(definitions));
      writeFileSync(settings, [...listeners, `load_definitions = ${users}`, ""].join("\n"));
      const env = {
        HOME: directory,
        RABBITMQ_NODENAME: "lab@localhost",
        RABBITMQ_CONFIG_FILE: settings,
        ERL_EPMD_ADDRESS: "127.0.0.1",
        RABBITMQ_MNESIA_BASE: join(directory, "mnesia"),
        RABBITMQ_LOG_BASE: layout.logs,
        RABBITMQ_CONF_ENV_FILE: "/dev/null",
        RABBITMQ_ENABLED_PLUGINS_FILE: join(directory, "plugins"),
        RABBITMQ_PID_FILE: join(directory, "pid"),
        RABBITMQ_GENERATED_CONFIG_DIR: directory,
        RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: "-kernel inet_dist_use_interface {127,0,0,1} +S 1:1 +sbwt none",
      };
      startProcess(layout, name, { program, args: [], env });
    },
    ready: () => logHas(layout, name, "completed with") || logHas(layout, "lab@localhost", "Server startup complete"),
  };
}

function logHas(layout: Layout, name: string, text: string): boolean {
  const file = logOf(layout, name);
  return existsSync(file) && readFileSync(file, "utf8").includes(text);
}
