// A terminal on an instance: a shell, or its serial console, over a WebSocket that the session's cookie authenticates.
// Loaded when it is opened.

import { isBooting, isReady } from "../../../src/rules/lifecycle.ts";
import "@xterm/xterm/css/xterm.css";
import { Button, SegmentedControl } from "@mantine/core";
import { FitAddon } from "@xterm/addon-fit";
import { Terminal as Xterm } from "@xterm/xterm";
import { useEffect, useRef, useState } from "react";
import type { Shape } from "../../../src/client/client.ts";
import { useSession } from "../api/session-context.tsx";
import { EmptyState } from "../shared/empty-state.tsx";
import { Icon } from "../shared/icon.tsx";
import { withStyleSheets } from "./style-sheets.ts";
import classes from "./terminal.module.css";
import { endOf, type TerminalKind, terminalAddress } from "./terminal-address.ts";

type Instance = Shape<"Instance">;
type Connection = { readonly state: "connecting" | "open" } | { readonly state: "ended"; readonly why: string };

const kinds = [
  { value: "shell", label: "Shell" },
  { value: "console", label: "Serial console" },
] as const;

export function Terminal({ instance }: { readonly instance: Instance }) {
  const { lack, simulated } = useSession();
  const [kind, setKind] = useState<TerminalKind>("shell");
  const [attempt, setAttempt] = useState(0);
  const [connection, setConnection] = useState<Connection>({ state: "connecting" });
  const isUp = isReady[instance.status] || (isBooting[instance.status] && kind === "console");

  const missing = lack("rent");
  if (missing !== undefined) {
    return (
      <EmptyState icon="terminal" title="No terminal">
        {missing}
      </EmptyState>
    );
  }
  return (
    <>
      <div className={classes.tools}>
        <SegmentedControl
          aria-label="Terminal type"
          value={kind}
          onChange={(value) => setKind(value)}
          data={[...kinds]}
          size="xs"
        />
        {simulated && <span className={classes.simulated}>Simulated: this instance has no real terminal</span>}
        <span className={classes.state} role="status">
          {isUp &&
            (connection.state === "ended" ? connection.why : connection.state === "open" ? "Connected" : "Connecting…")}
        </span>
        {isUp && connection.state === "ended" && (
          <Button
            size="xs"
            variant="default"
            onClick={() => setAttempt(attempt + 1)}
            leftSection={<Icon name="restart" size={13} />}
          >
            Reconnect
          </Button>
        )}
      </div>
      {isUp ? (
        <Screen key={`${kind} ${attempt}`} instanceId={instance.id} kind={kind} onChange={setConnection} />
      ) : (
        <EmptyState icon="terminal" title="The instance is not active">
          A terminal opens when it is active.
        </EmptyState>
      )}
    </>
  );
}

interface ScreenProps {
  readonly instanceId: string;
  readonly kind: TerminalKind;
  readonly onChange: (connection: Connection) => void;
}

function Screen({ instanceId, kind, onChange }: ScreenProps) {
  const { control_url } = useSession();
  const place = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    const screen = new Xterm({
      fontFamily: getComputedStyle(current).fontFamily,
      fontSize: 13,
      lineHeight: 1.25,
      cursorBlink: true,
      scrollback: 10_000,
      screenReaderMode: true,
      theme: { background: "#0c0f14", foreground: "#dfe3ea", cursor: "#97b4fd", selectionBackground: "#2b3a63" },
    });
    const fit = new FitAddon();
    screen.loadAddon(fit);
    const removeSheets = withStyleSheets(() => screen.open(current));
    fit.fit();

    onChange({ state: "connecting" });
    const order = { controlUrl: control_url, instanceId, kind, columns: screen.cols, rows: screen.rows };
    const socket = new WebSocket(terminalAddress(window.location.href, order));
    socket.binaryType = "arraybuffer";
    let gone = false;
    const send = (bytes: Uint8Array<ArrayBuffer>) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(bytes);
    };
    socket.addEventListener("open", () => {
      onChange({ state: "open" });
      screen.focus();
    });
    socket.addEventListener("message", ({ data }: MessageEvent<ArrayBuffer | string>) =>
      screen.write(typeof data === "string" ? data : new Uint8Array(data)),
    );
    socket.addEventListener("close", ({ code, reason }) => {
      if (!gone) onChange({ state: "ended", why: endOf(code, reason) });
    });
    const text = new TextEncoder();
    screen.onData((typed) => send(text.encode(typed)));
    // Not text: old kinds of mouse reports, one byte a character.
    screen.onBinary((typed) => send(Uint8Array.from(typed, (character) => character.charCodeAt(0))));
    screen.onResize(({ cols, rows }) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ columns: cols, rows }));
    });
    const resized = new ResizeObserver(() => fit.fit());
    resized.observe(current);
    return () => {
      gone = true;
      resized.disconnect();
      socket.close(1000);
      screen.dispose();
      removeSheets();
    };
  }, [control_url, instanceId, kind, onChange]);

  return <section className={classes.screen} ref={place} aria-label={`Terminal, ${kind}`} />;
}
