// Follows the service's event stream (server-sent events, WHATWG HTML, section 9.2) forever: after a lost connection it
// reconnects with the id of the last event, so no event is missed or repeated. Used by commands/events.ts.

import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import type { Shape } from "../../client/client.ts";
import { serviceError } from "../../mcp/service-client.ts";
import { CommandError } from "../command-error.ts";
import { exitOfAnswer } from "../exit-codes.ts";

export type Event = Shape<"Event">;

export interface Following {
  /** The stream's address, with its query. */
  readonly url: URL;
  readonly token: string;
  /** Called when the connection is lost, with the seconds until the next try. */
  readonly lost: (seconds: number) => void;
  /** Called when it is restored. */
  readonly back: () => void;
  /** The wait before the first retry; it doubles with each one, up to half a minute. */
  readonly firstWaitMs?: number;
}

/** The server sends comments more often than this; a longer silence means that it is gone. */
const silentMs = 60_000;
const longestWaitMs = 30_000;

/** Events as they arrive. Throws CommandError if the first connection fails, or the service rejects it. */
export async function* follow(following: Following): AsyncGenerator<Event> {
  const { url, token, lost, back, firstWaitMs = 1000 } = following;
  let lastId: string | undefined;
  let waitMs = firstWaitMs;
  for (let connected = false; ; ) {
    try {
      const response = await open(url, token, lastId);
      if (connected) back();
      connected = true;
      for await (const { id, data } of messages(response)) {
        waitMs = firstWaitMs;
        if (id !== undefined) lastId = id;
        if (data !== undefined) yield JSON.parse(data);
      }
    } catch (error) {
      const isFinal = error instanceof CommandError && error.exit !== "unreachable";
      if (isFinal || !connected) throw error;
    }
    lost(waitMs / 1000);
    await sleep(waitMs);
    waitMs = Math.min(2 * waitMs, longestWaitMs);
  }
}

/** Throws CommandError: unreachable without a response, and the API error for a rejection. */
function open(url: URL, token: string, lastId: string | undefined): Promise<IncomingMessage> {
  const request = url.protocol === "https:" ? requestHttps : requestHttp;
  const headers = {
    accept: "text/event-stream",
    authorization: `Bearer ${token}`,
    ...(lastId === undefined ? {} : { "last-event-id": lastId }),
  };
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers }, (response) => {
      const { statusCode: status = 0 } = response;
      if (status === 200) return resolve(response);
      text(response).then((said) => reject(refusal(status, said)), reject);
    });
    asked.setTimeout(silentMs, () => asked.destroy(new Error("The event stream timed out.")));
    asked.on("error", (cause) => {
      const told = new CommandError(
        `Can't connect to ${url.origin}.`,
        "Start the service, or set LESSOR_URL to its address.",
        {
          cause,
          exit: "unreachable",
        },
      );
      reject(told);
    });
    asked.end();
  });
}

function refusal(status: number, said: string): CommandError {
  const { message, suggestion, code } = serviceError(status, parsed(said));
  return new CommandError(message, suggestion, { code, exit: exitOfAnswer(status, code) });
}

function parsed(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return {};
  }
}

interface Message {
  readonly id: string | undefined;
  readonly data: string | undefined;
}

/**
 * The messages of a stream: lines up to an empty one; an unfinished message is dropped. Not with eventsource-parser
 * (3.1 checked): it reports no message without data, and the first one of a stream has only an id, needed to reconnect.
 */
async function* messages(stream: AsyncIterable<Buffer>): AsyncGenerator<Message> {
  const decoder = new TextDecoder();
  let rest = "";
  let id: string | undefined;
  let data: string[] = [];
  for await (const chunk of stream) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (id !== undefined || data.length > 0) yield { id, data: data.length === 0 ? undefined : data.join("\n") };
        [id, data] = [undefined, []];
      }
      const [, field, value = ""] = /^(\w+):? ?(.*)$/s.exec(line) ?? [];
      if (field === "id") id = value;
      if (field === "data") data.push(value);
    }
  }
}
