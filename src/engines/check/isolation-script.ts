// The shell script that tries connections from a guest to all targets at once and prints the results. Pure.
//
// Invariant: a connection counts as silent only if it was started and nothing came back for long enough. On a busy host
// a process can take seconds to start, and that time does not count.

/** Silence after which a target counts as silent: on a busy host packets get lost, and TCP sends three in this time. */
const SILENCE_SECONDS = 6;
/** How many such periods a connection can take to start. */
const PATIENCE = 5;

export interface Address {
  readonly ip: string;
  readonly port: number;
}

export interface Knocks {
  /** By names of letters and digits. */
  readonly direct: Readonly<Record<string, Address>>;
  /** The target in `direct` that must respond: if it does not, all silent ones are tried once more. */
  readonly control: string | undefined;
  /** Tried afterwards, through the router. Only the router's address must be on the same network. */
  readonly routed: Readonly<Record<string, Address>>;
}

/**
 * For bash; needs mkfifo and mkdir, and ip for the route through the router. Prints `name=reached` or `name=silent` for
 * each target, nothing for what could not be started, and `all=said` at the end. Leaves the folder `folder`.
 */
export function scriptFor({ direct, control, routed }: Knocks, folder: string): string[] {
  const addresses = Object.entries({ ...direct, ...routed });
  const first = control === undefined ? "own" : control;
  return [
    "export LC_ALL=C PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin",
    `mkfifo ${folder}/said; exec 4<>${folder}/said`,
    "declare -A at heard",
    ...addresses.map(([name, { ip, port }]) => `at[${name}]=${ip}/${port}`),
    // A process without children, so killing it leaves nothing behind.
    "try() {",
    `  exec 2>${folder}/$1`,
    `  printf '%s begun\\n' "$1" >&4`,
    "  said=reached",
    `  if ! : 3<>/dev/tcp/\${at[$1]}; then`,
    `    read -r -d '' why <${folder}/$1`,
    "    case $why in *refused*) ;; *) said=silent ;; esac",
    "  fi",
    `  printf '%s %s\\n' "$1" "$said" >&4`,
    "}",
    "knock() {",
    "  pids= begun=0 over=0 quiet=0",
    `  for name; do try "$name" & pids="$pids $!"; disown; done`,
    // Until that long without output: each start of a connection restarts the time.
    `  while [ $over -lt $# ] && [ $quiet -lt ${PATIENCE} ]; do`,
    `    if read -r -t ${SILENCE_SECONDS} -u 4 name word; then`,
    "      quiet=0",
    `      case $word in`,
    `        begun) begun=$((begun + 1)); heard[$name]=silent ;;`,
    `        *) over=$((over + 1)); heard[$name]=$word ;;`,
    "      esac",
    "    elif [ $begun -eq $# ]; then break",
    "    else quiet=$((quiet + 1)); fi",
    "  done",
    "  kill $pids 2>/dev/null",
    "}",
    "tell() {",
    `  for name; do if [ -n "\${heard[$name]}" ]; then printf '%s=%s\\n' "$name" "\${heard[$name]}"; fi; done`,
    "}",
    `knock ${Object.keys(direct).join(" ")}`,
    `if [ "\${heard[${first}]}" != reached ]; then`,
    `  again=`,
    `  for name in ${Object.keys(direct).join(" ")}; do`,
    `    if [ "\${heard[$name]}" != reached ]; then again="$again $name"; fi`,
    "  done",
    "  knock $again",
    "fi",
    `tell ${Object.keys(direct).join(" ")}`,
    ...byRouter(routed),
    "printf 'all=%s\\n' said",
  ];
}

/** Bypasses the bridge by the default route, whose gateway is in the kernel's table in reverse byte order. */
function byRouter(routed: Knocks["routed"]): string[] {
  return [
    "while read -r _ to by _; do",
    `  if [ "$to" = 00000000 ]; then g=$by; fi`,
    "done </proc/net/route",
    `via=$((16#\${g:6:2})).$((16#\${g:4:2})).$((16#\${g:2:2})).$((16#\${g:0:2}))`,
    ...Object.entries(routed).flatMap(([name, { ip }]) => [
      `if ip route replace ${ip}/32 via "$via" 2>/dev/null; then`,
      `  knock ${name}`,
      `  tell ${name}`,
      `  ip route del ${ip}/32 2>/dev/null`,
      "fi",
    ]),
  ];
}
