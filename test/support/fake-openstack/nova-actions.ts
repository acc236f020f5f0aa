// What the fake's Nova answers to actions on servers, and about their volumes and consoles.

import {
  errorAnswer,
  type FakeAnswer,
  type FakeCall,
  type FakeRoute,
  object,
  type Refusal,
  refusal,
  text,
} from "./exchange.ts";
import type { HowItGoes } from "./life.ts";
import { serverOf } from "./nova-servers.ts";
import { addressesOf } from "./nova-shown.ts";
import { type FakeServer, type ServerStatus, vmStates } from "./servers.ts";
import type { FakeWorld } from "./world.ts";

const pathOf = (rest: string) => new RegExp(`^/v2\\.1/servers/([^/]+)/${rest}$`);
const consoleTypes = ["novnc", "xvpvnc", "rdp-html5", "spice-html5", "serial", "webmks"];
const attachments = pathOf("os-volume_attachments");
const attachment = pathOf("os-volume_attachments/([^/]+)");

export function actionRoutes(world: FakeWorld, openConsole: (server: string) => string): readonly FakeRoute[] {
  const one = (call: FakeCall, id: string) => serverOf(world, call, id);
  return [
    ["POST", pathOf("action"), (call, id = "") => act(world, call, known(world, call, id))],
    ["POST", pathOf("remote-consoles"), (call, id = "") => console(world, one(call, id), call, openConsole)],
    ["GET", pathOf("ips"), (call, id = "") => ok({ addresses: addressesOf(world, one(call, id)) })],
    ["GET", pathOf("os-interface"), (call, id = "") => ok({ interfaceAttachments: interfaces(one(call, id)) })],
    ["POST", pathOf("os-interface"), (call, id = "") => connect(world, call, one(call, id))],
    ["GET", attachments, (call, id = "") => ok({ volumeAttachments: shownAttachments(world, call, one(call, id)) })],
    ["POST", attachments, (call, id = "") => attach(world, call, one(call, id))],
    ["GET", attachment, (call, id = "", volume = "") => attachmentOf(world, call, one(call, id), volume)],
    ["DELETE", attachment, (call, id = "", volume = "") => detach(world, call, one(call, id), volume)],
  ];
}

/** Nova words it in another way if there never was such a server. */
function known(world: FakeWorld, call: FakeCall, id: string): FakeServer {
  const server = world.servers.get(id);
  if (server === undefined) throw refusal("compute", 404, `Instance ${id} has no mapping to a cell.`);
  // Until it is with a host there is nothing to act on.
  if (server.task === "scheduling") throw refusal("compute", 404, `Instance ${id} could not be found.`);
  return serverOf(world, call, id);
}

/** Actions that bring back what the operator of the cloud put aside. */
const wakes: Readonly<Record<string, readonly [action: string, from: readonly ServerStatus[]]>> = {
  unpause: ["unpause", ["PAUSED"]],
  resume: ["resume", ["SUSPENDED"]],
  unshelve: ["unshelve", ["SHELVED", "SHELVED_OFFLOADED"]],
};

function act(world: FakeWorld, call: FakeCall, server: FakeServer): FakeAnswer {
  const [name = ""] = Object.keys(call.json);
  const said = object(call.json[name]);
  const how: HowItGoes = { held: call.fault.hold === true };
  const { life } = world;
  if (name === "os-getConsoleOutput") return consoleOutput(server, said.length);
  if (name === "os-start") {
    allowed(server, "start", ["SHUTOFF"]);
    life.start(server, how);
  } else if (name === "os-stop") {
    allowed(server, "stop", ["ACTIVE", "ERROR"]);
    life.stop(server, how);
  } else if (name === "reboot") {
    const type = text(said.type)?.toUpperCase() ?? "";
    if (type !== "SOFT" && type !== "HARD") {
      const words = "is not one of ['HARD', 'Hard', 'hard', 'SOFT', 'Soft', 'soft']";
      return errorAnswer(
        "compute",
        400,
        `Invalid input for field/attribute type. Value: ${said.type}. '${said.type}' ${words}`,
      );
    }
    // A server in ERROR may run: a soft reboot is refused by its state, whatever its host.
    if (type === "SOFT" && server.status === "ERROR") throw wrongState(server, "reboot");
    allowed(server, "reboot", type === "HARD" ? ["ACTIVE", "SHUTOFF", "ERROR"] : ["ACTIVE"]);
    life.reboot(server, type, how);
  } else if (name in wakes) {
    const [action = "", from] = wakes[name] ?? [];
    allowed(server, action, from ?? []);
    life.start(server, how);
  } else return errorAnswer("compute", 400, `There is no such action: ${name}`);
  return { status: 202 };
}

/** What is being deleted, or at another task, takes no more actions; nor does one that has no host. */
function allowed({ id, status, task, host }: FakeServer, action: string, statuses: readonly ServerStatus[]): void {
  if (status === "ERROR" && host === undefined) {
    const why = action === "reboot" ? "is in an invalid state for 'reboot'" : "is not ready";
    throw refusal("compute", 409, `Instance ${id} ${why}`);
  }
  if (!statuses.includes(status)) throw wrongState({ id, status }, action);
  if (task !== null)
    throw refusal("compute", 409, `Cannot '${action}' instance ${id} while it is in task_state ${task}`);
}

function wrongState({ id, status }: Pick<FakeServer, "id" | "status">, action: string): Refusal {
  return refusal("compute", 409, `Cannot '${action}' instance ${id} while it is in vm_state ${vmStates[status]}`);
}

function consoleOutput({ id, host, console }: FakeServer, length: unknown): FakeAnswer {
  if (host === undefined) return errorAnswer("compute", 409, `Instance ${id} is not ready`);
  const lines = console.split("\n");
  const count = length === undefined || length === null ? -1 : Number(length);
  // As tail does: a last line without an end counts too.
  const output =
    count < 0 ? console : lines.slice(Math.max(0, lines.length - count - (lines.at(-1) === "" ? 1 : 0))).join("\n");
  return ok({ output });
}

function console(
  world: FakeWorld,
  server: FakeServer,
  { json }: FakeCall,
  open: (server: string) => string,
): FakeAnswer {
  const { protocol, type } = object(json.remote_console);
  if (!consoleTypes.includes(String(type))) {
    const why = `'${type}' is not one of [${consoleTypes.map((one) => `'${one}'`).join(", ")}]`;
    return errorAnswer("compute", 400, `Invalid input for field/attribute type. Value: ${type}. ${why}`);
  }
  if (server.host === undefined) return errorAnswer("compute", 409, `Instance ${server.id} is not ready`);
  if (protocol !== "serial" || type !== "serial" || !world.serialConsoles)
    return errorAnswer("compute", 400, `Unavailable console type ${type}.`);
  if (server.power !== 1) return errorAnswer("compute", 409, `Instance ${server.id} is not ready`);
  return ok({ remote_console: { protocol, type, url: open(server.id) } });
}

function interfaces({ ports }: FakeServer): object[] {
  return ports.map(({ id, mac, network, address }) => ({
    ...{ net_id: network.id, port_id: id, mac_addr: mac, port_state: "ACTIVE", tag: null },
    fixed_ips: [{ subnet_id: network.subnet.id, ip_address: address }],
  }));
}

/** The port that it names becomes the server's, now. */
function connect(world: FakeWorld, { json, caller }: FakeCall, server: FakeServer): FakeAnswer {
  const id = text(object(json.interfaceAttachment).port_id) ?? "";
  const port = world.networks.ports.get(id);
  if (port === undefined || port.project !== caller.project.id)
    return errorAnswer("compute", 404, `Port id ${id} could not be found.`);
  if (port.device !== "") return errorAnswer("compute", 409, `Port ${id} is still in use.`);
  allowed(server, "attach_interface", ["ACTIVE", "PAUSED", "SHUTOFF"]);
  server.ports = [...server.ports, port];
  world.networks.bind(port, server.id, server.host ?? "");
  return ok({ interfaceAttachment: interfaces(server).at(-1) });
}

function attach(world: FakeWorld, call: FakeCall, server: FakeServer): FakeAnswer {
  const id = text(object(call.json.volumeAttachment).volumeId) ?? "";
  const volume = world.volumes.get(id);
  if (volume === undefined || volume.project !== server.project)
    return errorAnswer("compute", 404, `Volume ${id} could not be found.`);
  allowed(server, "attach_volume", ["ACTIVE", "SHUTOFF"]);
  if (volume.status !== "available") {
    const others = volume.attachments.map((one) => one.server).join(",");
    const why =
      others === ""
        ? `volume ${id} status must be available or downloading to reserve, but the current status is ${volume.status}.`
        : `volume ${id} is already attached to instances: ${others}`;
    return errorAnswer("compute", 400, `Invalid volume: ${why}`);
  }
  world.life.attach(server, id, { held: call.fault.hold === true });
  const device = `/dev/vd${String.fromCharCode(97 + server.volumes.length)}`;
  const body = { id, serverId: server.id, volumeId: id, device, tag: null, delete_on_termination: false };
  return ok({ volumeAttachment: body });
}

function detach(world: FakeWorld, call: FakeCall, server: FakeServer, id: string): FakeAnswer {
  if (!server.volumes.includes(id)) return noAttachment(server, id);
  allowed(server, "detach_volume", ["ACTIVE", "SHUTOFF"]);
  world.life.detach(server, id, { held: call.fault.hold === true });
  return { status: 202 };
}

function attachmentOf(world: FakeWorld, call: FakeCall, server: FakeServer, id: string): FakeAnswer {
  const found = shownAttachments(world, call, server).find(({ volumeId }) => volumeId === id);
  return found === undefined ? noAttachment(server, id) : ok({ volumeAttachment: found });
}

function noAttachment({ id: server }: FakeServer, id: string): FakeAnswer {
  return errorAnswer("compute", 404, `Instance ${server} is not attached to volume ${id}`);
}

function shownAttachments(world: FakeWorld, { version }: FakeCall, server: FakeServer) {
  return server.volumes.map((id) => {
    const [one] = world.volumes.get(id)?.attachments ?? [];
    return {
      ...(version >= 89 ? { attachment_id: one?.id ?? null, bdm_uuid: one?.id ?? null } : { id }),
      ...{ serverId: server.id, volumeId: id, device: one?.device ?? null, tag: null, delete_on_termination: false },
    };
  });
}

function ok(body: object): FakeAnswer {
  return { status: 200, body };
}
