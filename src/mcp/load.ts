// The MCP server, for agents: what other rooms may use. The protocol's library takes longer to load than the rest of the
// program together, so it is loaded when an agent comes, and never for a start.
/** For messages that come by HTTP. */
export const loadOverHttp = () => import("./over-http.ts");

/** For a process whose standard input and output an agent has. */
export const loadOverStdio = () => import("./over-stdio.ts");
