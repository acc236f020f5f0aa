#!/bin/sh
# Takes files from the host of a virtual machine, as files.ts sends them, for as long as the guest runs. boot-script.sh starts
# it in guests whose machine may have the port; it ends at once where there is none. The port stays open, because what is sent
# to one that is not open is lost. For tests, everything stands under the first argument.

root=${1:-}
port=
for one in "$root"/sys/class/virtio-ports/*; do
  if [ -r "$one/name" ] && [ "$(cat "$one/name")" = org.lessor.files.0 ]; then port=$root/dev/${one##*/}; fi
done
if [ -z "$port" ]; then exit 0; fi
exec 3<>"$port"

while :; do
  # While the host is not there, the port is at its end.
  if ! read -r word token path text <&3; then
    sleep 1
    continue
  fi
  case $path in /run/lessor/*) ;; *) continue ;; esac
  file=$root$path
  case $word in
    put)
      mkdir -p "${file%/*}" && printf %s "$text" | base64 -d >"$file.new" && chmod 644 "$file.new" &&
        mv -fT "$file.new" "$file" && echo "done $token" >&3
      ;;
    remove) rm -f "$file" && echo "done $token" >&3 ;;
  esac
done
