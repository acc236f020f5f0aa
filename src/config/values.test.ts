import { describe, expect, it } from "vitest";
import { ConfigError } from "../settings/error.ts";
import {
  logLevels,
  type Parser,
  parseBindHost,
  parseDatabaseUrl,
  parseEncryptionKeys,
  parseHostName,
  parseJupyterUrlTemplate,
  parseLogLevel,
  parseOperatorToken,
  parsePath,
  parsePort,
  parsePrefix,
  parseSwitch,
} from "./values.ts";

/** A setting's rule: texts with the value they make, texts that are refused, and words the refusal must hold. */
interface Rule<T> {
  parse: Parser<T>;
  taken: readonly (readonly [string, T])[];
  refused: readonly string[];
  says: string;
}

function rule<T>(name: string, { parse, taken, refused, says }: Rule<T>): void {
  describe(name, () => {
    it.each(taken.map(([text, value]) => ({ text, value })))("takes $text", ({ text, value }) => {
      expect(parse(text, "SETTING")).toEqual(value);
    });

    it.each(refused)("refuses %j, naming the setting and what is allowed, not the value", (text) => {
      const message = refusal(() => parse(text, "SETTING"));
      expect(message).toContain("SETTING");
      expect(message).toContain(says);
      if (text.length > 9) expect(message).not.toContain(text);
    });
  });
}

function refusal(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    if (error instanceof ConfigError) return error.message;
  }
  throw new Error("nothing was refused");
}

rule("a port", {
  parse: parsePort,
  taken: [
    ["0", 0],
    ["8080", 8080],
    ["65535", 65_535],
  ],
  refused: ["", "65536", "-1", "80.5", "1e3", "0x50", " 80", "80 ", "http", "999999", "８０"],
  says: "integer from 0 to 65535",
});

rule("an address to bind to", {
  parse: parseBindHost,
  taken: [
    ["127.0.0.1", "127.0.0.1"],
    ["0.0.0.0", "0.0.0.0"],
    ["::", "::"],
    ["fe80::1%eth0", "fe80::1%eth0"],
    ["localhost", "localhost"],
  ],
  refused: ["", "[::1]", "127.0.0.1:80", "a b", "http://x", "-a", "a..b", "a_b"],
  says: "IP address or a host name",
});

rule("a virtual host's name", {
  parse: parseHostName,
  taken: [
    ["rent.example.com", "rent.example.com"],
    ["Rent.Example.COM", "rent.example.com"],
    [`${"a".repeat(63)}.b`, `${"a".repeat(63)}.b`],
  ],
  refused: [
    "",
    "*.example.com",
    "rent.example.com:443",
    "rent.example.com.",
    `${"a".repeat(64)}.b`,
    `${"a.".repeat(127)}aa`,
  ],
  says: "host name",
});

rule("a path prefix", {
  parse: parsePrefix,
  taken: [
    ["", ""],
    ["/", ""],
    ["/api/v1", "/api/v1"],
    ["/api/v1/", "/api/v1"],
    ["/control.v1/~x_y-z", "/control.v1/~x_y-z"],
  ],
  refused: ["api", "//", "/a//b", "/a?b", "/a b", "/:id", "/a*", "/..", "/a/./b", "/%41", "https://x"],
  says: "path such as",
});

rule("a database URL", {
  parse: parseDatabaseUrl,
  taken: [
    "postgres://user:hunter2@db.example.com:5432/lessor",
    "postgresql://localhost/lessor?sslmode=require",
    "postgresql://lessor@/lessor?host=/var/run/postgresql",
  ].map((url) => [url, url] as const),
  refused: [
    "",
    "mysql://user:hunter2@db/lessor",
    "user:hunter2@db/lessor",
    "postgres:/user:hunter2@db",
    "postgres://user:hunter2@db:999999/lessor",
    "postgres://user:hunter 2@db/lessor",
    " postgres://user:hunter2@db/lessor",
  ],
  says: "postgres://user:password@host:port/name",
});

rule("the operator's token", {
  parse: parseOperatorToken,
  taken: [
    ["x".repeat(32), "x".repeat(32)],
    [`!~${"=".repeat(64)}`, `!~${"=".repeat(64)}`],
  ],
  refused: [
    "",
    "x".repeat(31),
    `${"x".repeat(32)} y`,
    `${"x".repeat(32)}\n`,
    `${"x".repeat(32)}ü`,
    `${"x".repeat(32)}\x7f`,
  ],
  says: "at least 32 characters",
});

rule("a switch", {
  parse: parseSwitch,
  taken: [
    ["0", false],
    ["1", true],
  ],
  refused: ["", "true", "yes", "on", "2", "01"],
  says: "0 (off) or 1 (on)",
});

rule("a log level", {
  parse: parseLogLevel,
  taken: logLevels.map((level) => [level, level] as const),
  refused: ["", "INFO", "verbose", "constructor"],
  says: "trace, debug, info, warn, error, fatal, silent",
});

rule("a path", {
  parse: parsePath,
  taken: [
    ["data", "data"],
    ["/var/lib/lessor", "/var/lib/lessor"],
  ],
  refused: ["", "a\0b"],
  says: "must be a path",
});

rule("encryption keys", {
  parse: parseEncryptionKeys,
  taken: [
    ["ab".repeat(32), [Buffer.alloc(32, 0xab)]],
    [`${"ab".repeat(32)},${"cd".repeat(32)}`, [Buffer.alloc(32, 0xab), Buffer.alloc(32, 0xcd)]],
  ],
  refused: ["", "ab".repeat(31), `${"ab".repeat(32)},`, "correct horse battery staple"],
  says: "32 bytes",
});

rule("the template of Jupyter's URL", {
  parse: parseJupyterUrlTemplate,
  taken: [
    "https://{id}.jupyter.example.com/?token={token}",
    "http://{ip}:8888/lab?token={token}",
    "https://jupyter.example.com/{hostname}/",
  ].map((url) => [url, url] as const),
  refused: [
    "",
    "jupyter",
    "ftp://{ip}/",
    "http://{host}/",
    "http://{ip/",
    "http://{ip}/a b",
    "javascript:alert({ip})",
    "http://",
  ],
  says: "{id}, {hostname}, {ip}, {token}",
});
