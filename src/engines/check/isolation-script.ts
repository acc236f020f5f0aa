// What a guest's shell is told to try: connections to each target, all at once, and what came of them. Pure.
//
// Invariant: a connection counts as silent only when it was begun and nothing came back for long enough. In a guest on a
// busy host it takes seconds until a process runs at all, and those count for nothing.

/** How long a target may be silent before it counts as such: on a busy host packets get lost, and TCP sends three in it. */
const SILENCE_SECONDS = 6;
/** For how many such times a connection may take to begin. */
const PATIENCE = 5;

export interface Address {
  readonly ip: string;
  readonly port: number;
}

export interface Knocks {
  /** By names of letters and digits. */
  readonly direct: Readonly<Record<string, Address>>;
  /** In `direct`, what must answer: where it does not, all that was silent is tried once more. */
  readonly control: string | undefined;
  /** After those, by way of the router. Only its address is known to be on the same network. */
  readonly routed: Readonly<Record<string, Address>>;
}

/**
 * For bash, where mkfifo and mkdir are there, and ip for the way by the router. Prints `name=reached` or `name=silent` for
 * each, nothing for what could not be begun, and `all=said` at its end. Leaves a folder, `folder`.
 */
export function scriptFor({ direct, control, routed }: Knocks, folder: string): string[] {
  const addresses = Object.entries({ ...direct, ...routed });
  const first = control === undefined ? "own" : control;
  return [
    "export LC_ALL=C PATH=$PATH:/usr/local/bin:/usr/sbin:/sbin",
    `mkfifo ${folder}/said; exec 4<>${folder}/said`,
    "declare -A at heard",
    ...addresses.map(([name, { ip, port }]) => `at[${name}]=${ip}/${port}`),
    // In a process of its own, which starts no other: nothing of it is left when it is killed.
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
    // Until nothing has been said for so long: each beginning starts that time anew.
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

/** Around the bridge, by the default route: its gateway is in the kernel's table, the bytes of it turned around. */
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
