// MariaDB with the schemas of all services. What takes half a minute is made once (snapshot.ts).
//
// It listens in the lab's namespace only, and so everyone who reaches it may do everything.

import { adminPassword } from "./configuration/ini.ts";
import { cell0 } from "./configuration/nova.ts";
import { settingsFiles } from "./configuration/write.ts";
import { type Layout, ports, urlOf } from "./layout.ts";
import { python, ready, runIn, startProcess } from "./processes.ts";

const databases = ["keystone", "glance", "placement", "nova_api", "nova_cell1", "nova_cell0", "neutron", "cinder"];

/** Not durable: the lab's end is the data's end. */
const quick = [
  ...["--skip-log-bin", "--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0", "--sync-frm=0"],
  ...["--performance-schema=OFF", "--innodb-buffer-pool-size=64M", "--innodb-log-file-size=16M"],
  ...["--max-connections=300", "--innodb-fast-shutdown=1"],
];

/** Makes its directory, which is empty. */
export async function installDatabase(layout: Layout): Promise<void> {
  const where = [`--datadir=${layout.mysql}`, "--user=root"];
  const how = [
    "--no-defaults",
    "--auth-root-authentication-method=normal",
    "--skip-test-db",
    "--innodb-log-file-size=16M",
  ];
  await runIn(layout, { program: "mariadb-install-db", args: [...how, ...where] });
}

/** Returns when it answers. Nothing to do where it runs. */
export async function startDatabase(layout: Layout): Promise<void> {
  const where = [`--datadir=${layout.mysql}`, `--socket=${layout.mysql}/socket`, "--bind-address=127.0.0.1"];
  const args = ["--no-defaults", "--user=root", ...where, `--port=${ports.database}`, "--skip-name-resolve", ...quick];
  startProcess(layout, "mariadb", { program: "mariadbd", args });
  await ready(layout, "mariadb", () =>
    sql(layout, "select 1").then(
      () => true,
      () => false,
    ),
  );
}

/** Runs statements; gives the rows, with tabs between columns. */
export function sql(layout: Layout, statements: string): Promise<string> {
  const args = ["--no-defaults", "-uroot", `--socket=${layout.mysql}/socket`, "--batch", "--skip-column-names"];
  return runIn(layout, { program: "mariadb", args }, { input: statements });
}

/** Makes all schemas, at once, and Keystone's administrator and its own entry in the catalog. */
export async function makeSchemas(layout: Layout): Promise<void> {
  await sql(layout, databases.map((name) => `create database ${name} character set utf8;`).join("\n"));
  const files = settingsFiles(layout);
  const call = (module: string, ...args: string[]) =>
    runIn(layout, {
      program: python,
      args: ["-c", `import sys; from ${module} import main; sys.exit(main())`, ...args],
    });
  const neutron = () => call("neutron.db.migration.cli", "--config-file", files.neutron, "upgrade", "heads");
  const glance = () => call("glance.cmd.manage", "--config-file", files.glance, "db_sync");
  const cinder = () => call("cinder.cmd.manage", "--config-file", files.cinder, "db", "sync");
  const placement = () =>
    runIn(layout, { program: "placement-manage", args: ["--config-file", files.placement, "db", "sync"] });
  const nova = async () => {
    const manage = (...args: string[]) => call("nova.cmd.manage", "--config-file", files.nova, ...args);
    await manage("api_db", "sync");
    await manage("cell_v2", "map_cell0", "--database_connection", cell0);
    await manage("db", "sync");
    await manage("cell_v2", "create_cell", "--name", "cell1");
  };
  const keystone = async () => {
    const manage = (...args: string[]) =>
      runIn(layout, { program: "keystone-manage", args: ["--config-file", files.keystone, ...args] });
    const owner = ["--keystone-user", "root", "--keystone-group", "root"];
    await manage("db_sync");
    await manage("fernet_setup", ...owner);
    await manage("credential_setup", ...owner);
    const url = `${urlOf(layout, "identity")}/v3`;
    const urls = ["public", "internal", "admin"].flatMap((name) => [`--bootstrap-${name}-url`, url]);
    await manage("bootstrap", "--bootstrap-password", adminPassword, "--bootstrap-region-id", "RegionOne", ...urls);
  };
  await Promise.all([neutron(), nova(), keystone(), glance(), placement(), cinder()]);
}
