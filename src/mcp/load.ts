// The MCP server's entry point for other modules. The protocol's library takes longer to load than the rest of the
// program together, so it is loaded when an agent connects, never at start.
/** For messages over HTTP. */
export const loadOverHttp = () => import("./over-http.ts");

/** For an agent on this process's standard input and output. */
export const loadOverStdio = () => import("./over-stdio.ts");
