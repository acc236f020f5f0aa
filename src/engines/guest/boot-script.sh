# What a guest does at every boot, before its SSH server starts. boot-script.ts puts the parameters above: login,
# host_name, keys (Base64), password_login (yes or no), file_systems (mount points, with spaces between), secrets_path,
# secrets_end, patience_seconds. Of a guest that gets things by disks (disks.ts) also: secrets_disk (a serial number),
# file_system_disks (mount point:serial, with spaces between), shell_console (a device),
# shell_end (what printf makes of it tells who listens that the shell was left) and file_taker (file-taker.sh, in Base64);
# of one that fetches its secrets: secrets_fetcher (secrets-fetcher.py, in Base64) and secrets_url. Empty in others.
#
# Some steps are done once in a machine's life, the others at every boot. A step that fails does not keep the others from
# being done, and is tried again at the next boot. The marks of what is done once are written last, after its files are on
# the disk: after a power cut all of it is done again, and every step can be done twice.
#
# What needs no secret comes first, so that a guest whose secrets never come has its keys all the same. Root in the guest
# is the renter, so nothing here guards against root; what is written into the home directory is written with the rights
# of its owner, who may have put a link there.
#
# POSIX sh with coreutils, util-linux and shadow. For tests, everything stands under LESSOR_ROOT.

umask 022
LC_ALL=C
PATH=${PATH:-/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin}
export LC_ALL PATH
unset lessor_env lessor_password lessor_jupyter_token lessor_secrets

root=${LESSOR_ROOT:-}
state=$root/var/lib/lessor
# cloud-init says which machine this is: an image made of a machine does not pass for one that has booted before.
case ${INSTANCE_ID:-} in
  '' | .* | *[!A-Za-z0-9._-]*) done_once=$state/done/unnamed ;;
  *) done_once=$state/done/$INSTANCE_ID ;;
esac
failed=0
finished=

# One line to the console as well, because cloud-init keeps what a boot hook prints to itself.
say() {
  printf 'lessor: %s\n' "$1"
  if [ -w "$root/dev/console" ]; then
    printf 'lessor: %s\n' "$1" 2>/dev/null >>"$root/dev/console" || :
  fi
}

# step WORDS FUNCTION. The function ends at its first error, which `set -e` does only where nobody asks for the outcome of
# a call: so step and once stand alone, never behind `if` or before `&&`.
step() {
  (
    set -eu
    "$2"
  )
  outcome=$?
  if [ "$outcome" -ne 0 ]; then
    say "$1: failed"
    failed=1
  else
    say "$1: done"
  fi
}

# once NAME FUNCTION. The same, unless it succeeded at a former boot.
once() {
  if [ -e "$done_once/$1" ]; then return 0; fi
  step "$1" "$2"
  if [ "$outcome" -eq 0 ]; then finished="$finished $1"; fi
}

# Sets uid, gid and home of the login user; false where there is none.
find_login() {
  while IFS=: read -r name _ uid gid _ home _; do
    if [ "$name" = "$login" ]; then return 0; fi
  done <"$root/etc/passwd"
  return 1
}

has_group() {
  while IFS=: read -r name _; do
    if [ "$name" = "$1" ]; then return 0; fi
  done <"$root/etc/group"
  return 1
}

decode() {
  printf '%s' "$1" | base64 -d
}

# put FILE MODE OWNER COMMAND …: the file, all or nothing, holds what the command prints. For directories of root.
put() {
  file=$1 mode=$2 owner=$3
  shift 3
  # sudo and sshd pass over a name that begins with a dot.
  new=$(mktemp "${file%/*}/.lessor.XXXXXX")
  "$@" >"$new"
  chmod "$mode" "$new"
  chown "$owner" "$new"
  mv -fT "$new" "$file"
}

make_state() {
  mkdir -p "$state"
  chmod 0700 "$state"
  # What a power cut left of files that were not whole yet.
  rm -f "$state"/.lessor.* "$root"/etc/.lessor.* "$root"/etc/ssh/.lessor.* "$root"/etc/ssh/sshd_config.d/.lessor.* \
    "$root"/etc/sudoers.d/.lessor.*
}

make_login_user() {
  # Locks left by a power cut: useradd would refuse for ever if another process has the number of the one that died.
  if [ -e "$state/begun" ]; then
    rm -f "$root/etc/passwd.lock" "$root/etc/shadow.lock" "$root/etc/group.lock" "$root/etc/gshadow.lock" \
      "$root/etc/subuid.lock" "$root/etc/subgid.lock"
  fi
  : >"$state/begun"
  # video and render: the device nodes of GPUs belong to them.
  groups=
  for group in sudo video render; do
    if has_group "$group"; then groups=${groups:+$groups,}$group; fi
  done
  if find_login; then
    if [ "$login" != root ] && [ -n "$groups" ]; then usermod --append --groups "$groups" "$login"; fi
  else
    shell=/bin/bash
    if [ ! -x "$root$shell" ]; then shell=/bin/sh; fi
    # All in one call: each writes the account files to the disk anew.
    set -- --create-home --shell "$shell" --password '*'
    if [ -n "$groups" ]; then set -- "$@" --groups "$groups"; fi
    # Some images have a group "admin" and no such user.
    if has_group "$login"; then set -- "$@" --gid "$login"; fi
    useradd "$@" "$login"
    find_login
  fi
  # Where a file system is mounted below it, an engine has made it before the user was there.
  if [ ! -d "$root$home" ] || { [ "$uid" != 0 ] && [ "$(stat -c %u "$root$home")" = 0 ]; }; then furnish_home; fi
}

# Only what is put into it changes hands: what is mounted below it is not gone through. The home itself comes last, because
# it tells whether this was done.
furnish_home() {
  mkdir -p "$root$home"
  for entry in "$root"/etc/skel/* "$root"/etc/skel/.[!.]* "$root"/etc/skel/..?*; do
    mine=$root$home/${entry##*/}
    if [ ! -e "$entry" ] || [ -e "$mine" ] || [ -L "$mine" ]; then continue; fi
    cp -R "$entry" "$mine"
    chown -R "$uid:$gid" "$mine"
  done
  chown "$uid:$gid" "$root$home"
}

# Exactly the keys of the order, whatever the image brought along.
give_keys() {
  find_login
  ssh=$root$home/.ssh
  if [ -L "$ssh" ] || [ ! -d "$ssh" ]; then
    rm -f "$ssh"
    mkdir "$ssh"
  fi
  chmod 0700 "$ssh"
  chown "$uid:$gid" "$ssh"
  rm -rf "$ssh/authorized_keys" "$ssh/authorized_keys2" "$ssh"/.lessor.*
  put "$ssh/authorized_keys" 0600 "$uid:$gid" decode "$keys"
  if [ "$login" != root ]; then rm -f "$root/root/.ssh/authorized_keys" "$root/root/.ssh/authorized_keys2"; fi
  # Where SELinux rules, sshd reads only what has the right label.
  if command -v restorecon >/dev/null; then restorecon -R "$ssh" || :; fi
}

give_root_rights() {
  if [ "$login" = root ]; then return 0; fi
  mkdir -p "$root/etc/sudoers.d"
  put "$root/etc/sudoers.d/90-lessor" 0440 0:0 printf '%s ALL=(ALL:ALL) NOPASSWD:ALL\n' "$login"
}

# Also where a password was ordered: until its own comes, the account must not have the image's.
lock_password() {
  rm -f "$done_once/password"
  while IFS=: read -r name hash _; do
    if [ "$name:$hash" = "$login:*" ]; then return 0; fi
  done <"$root/etc/shadow"
  usermod --password '*' "$login"
}

sshd_settings() {
  printf 'PasswordAuthentication %s\nKbdInteractiveAuthentication no\n' "$password_login"
  if [ "$login" != root ]; then return 0; fi
  if [ "$password_login" = yes ]; then echo PermitRootLogin yes; else echo PermitRootLogin prohibit-password; fi
}

# The first value that sshd reads counts. So a drop-in is enough where sshd's own file includes them before it speaks of
# these things itself; otherwise they are put at its top, which an sshd without Include understands too.
set_up_sshd() {
  mkdir -p "$root/etc/ssh/sshd_config.d"
  put "$root/etc/ssh/sshd_config.d/00-lessor.conf" 0644 0:0 sshd_settings
  config=$root/etc/ssh/sshd_config
  if [ ! -f "$config" ] || reads_drop_ins "$config"; then return 0; fi
  put "$config" 0644 0:0 with_settings_first "$config"
}

reads_drop_ins() {
  tr 'A-Z=' 'a-z ' <"$1" | (
    while read -r word rest; do
      case "$word $rest" in
        'include '*sshd_config.d/*) exit 0 ;;
        passwordauthentication* | kbdinteractive* | challengeresponse* | permitrootlogin* | match*) exit 1 ;;
      esac
    done
    exit 1
  )
}

with_settings_first() {
  echo '# lessor: begin'
  sshd_settings
  echo '# lessor: end'
  ours=no
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      '# lessor: begin') ours=yes ;;
      '# lessor: end') ours=no ;;
      *) if [ "$ours" = no ]; then printf '%s\n' "$line"; fi ;;
    esac
  done <"$1"
}

# An image's host keys are known to all who have the image. No RSA: every client of the last ten years knows one of these.
make_host_keys() {
  if ! command -v ssh-keygen >/dev/null; then return 0; fi
  rm -f "$root"/etc/ssh/ssh_host_*key*
  made=0
  for kind in ed25519 ecdsa; do
    # A guest in FIPS mode refuses the first.
    if ssh-keygen -q -t "$kind" -N '' -C "root@$host_name" -f "$root/etc/ssh/ssh_host_${kind}_key" </dev/null; then
      made=1
    fi
  done
  [ "$made" = 1 ]
}

name_host() {
  put "$root/etc/hostname" 0644 0:0 printf '%s\n' "$host_name"
  put "$root/etc/hosts" 0644 0:0 hosts_with_name
  # As `hostname` does it, which not every guest has.
  printf '%s\n' "$host_name" >"$root/proc/sys/kernel/hostname"
}

hosts_with_name() {
  if [ ! -f "$root/etc/hosts" ]; then
    printf '127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n127.0.1.1 %s\n' "$host_name"
    return 0
  fi
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in
      127.0.1.1[[:space:]]*) ;;
      *) printf '%s\n' "$line" ;;
    esac
  done <"$root/etc/hosts"
  printf '127.0.1.1 %s\n' "$host_name"
}

# By its serial number, as an engine names it, or the beginning of it: `disk` is its device.
find_disk() {
  for disk in "$root/dev/disk/by-id/virtio-$1" "$root"/dev/disk/by-id/scsi-0QEMU_QEMU_HARDDISK_"$1"*; do
    if [ -e "$disk" ]; then return 0; fi
  done
  # Without udev.
  for block in "$root"/sys/block/*; do
    if [ -r "$block/serial" ] && [ "$(cat "$block/serial")" = "$1" ]; then
      disk=$root/dev/${block##*/}
      return 0
    fi
  done
  return 1
}

# A cloud shows them to the guest for a while; wait_for_secrets waits for the file.
fetch_secrets() {
  decode "$secrets_fetcher" | python3 - "$secrets_url" "$root$secrets_path" "$secrets_end" "$patience_seconds" &
}

# In memory, and only for as long as this script reads it. It holds nothing but the text, so its end is the text's.
take_secrets() {
  find_disk "$secrets_disk"
  [ "$(tail -n 1 "$disk")" = "$secrets_end" ]
  mkdir -p "$root/run"
  put "$root$secrets_path" 0600 0:0 cat "$disk"
}

# A virtual machine gets the file only once its agent runs, perhaps bit by bit; a container has it from the start.
wait_for_secrets() {
  left=$((patience_seconds * 5))
  until [ -f "$root$secrets_path" ] && [ "$(tail -n 1 "$root$secrets_path")" = "$secrets_end" ]; do
    if [ "$left" -le 0 ]; then return 1; fi
    left=$((left - 1))
    sleep 0.2
  done
}

# With the user's rights and in the user's directory: a link or a directory that was put there harms only its owner. The
# rename replaces a link and leaves what it pointed to alone; a directory (Python's venv likes that name) stays.
write_env() {
  find_login
  # shellcheck disable=SC2016 # The inner shell expands it.
  printf '%s' "$lessor_env" | setpriv --reuid "$uid" --regid "$gid" --clear-groups sh -c '
    umask 077
    cd "$1" || exit
    rm -f .env.lessor-*
    new=$(mktemp .env.lessor-XXXXXX) || exit
    base64 -d >"$new" && chmod 0600 "$new" && mv -fT "$new" .env && exit
    rm -f "$new"
    exit 1' sh "$root$home"
}

# printf is part of the shell, so the password never stands in a process's arguments.
set_password() {
  { printf '%s:' "$login"; decode "$lessor_password"; echo; } | chpasswd
}

write_jupyter_token() {
  put "$state/jupyter-token" 0600 0:0 decode "$lessor_jupyter_token"
}

# Only a disk with nothing on it that anything knows is made a file system. blkid says 2 of such a disk, but also of one
# that it cannot read: so all that it looks at, the beginning and the end, is read first, and it is asked before and after.
# mkfs writes what blkid would know last, so one that a power cut ended is begun anew.
mount_file_system() {
  mount=$root$one
  mkdir -p "$mount"
  if mountpoint -q "$mount"; then return 0; fi
  find_disk "$serial"
  if is_blank && head -c 4194304 "$disk" >/dev/null && tail -c 4194304 "$disk" >/dev/null && is_blank; then
    mkfs.ext4 -q -m 0 "$disk"
  fi
  mount "$disk" "$mount"
}

is_blank() {
  known=0
  blkid -p "$disk" >/dev/null || known=$?
  [ "$known" -eq 2 ]
}

# A new file system belongs to root; the renter is to write there. One that holds something is as its owner left it.
hand_over_file_systems() {
  find_login
  for one in $file_systems; do
    mount=$root$one
    hand_over_way
    if ! mountpoint -q "$mount"; then
      say "$one: not mounted"
    elif [ "$(stat -c %u "$mount")" = 0 ] && is_empty "$mount"; then
      chown "$uid:$gid" "$mount"
    fi
  done
}

# The directories between the home of the renter and a file system below it were made for it, by root.
hand_over_way() {
  case $one in
    "$home"/*/*) way=${one%/*} ;;
    *) return 0 ;;
  esac
  while [ "$way" != "$home" ]; do
    if [ -d "$root$way" ] && [ ! -L "$root$way" ] && [ "$(stat -c %u "$root$way")" = 0 ]; then chown "$uid:$gid" "$root$way"; fi
    way=${way%/*}
  done
}

is_empty() {
  for entry in "$1"/* "$1"/.[!.]* "$1"/..?*; do
    if [ "${entry##*/}" = lost+found ]; then continue; fi
    if [ -e "$entry" ] || [ -L "$entry" ]; then return 1; fi
  done
}

# A shell of root on a console that only the host can open. Its end is told to who has the console open; then it begins
# anew. There may be a login prompt on it, which is put away.
offer_shell() {
  tty=$root/dev/$shell_console
  if [ ! -c "$tty" ]; then return 0; fi
  put "$state/shell" 0700 0:0 shell_and_end
  if [ -d "$root/run/systemd/system" ]; then
    # Without waiting: cloud-init runs this before sysinit.target, and until that is there systemd starts nothing of ours.
    systemctl mask --quiet --runtime --now --no-block "serial-getty@$shell_console.service" || :
    systemd-run --quiet --no-block --collect --unit=lessor-shell --property=Restart=always --property=RestartSec=200ms \
      --property=StartLimitIntervalSec=0 --property=TTYPath="$tty" --property=TTYReset=yes \
      --property=StandardInput=tty-force --property=StandardOutput=tty --property=StandardError=tty "$state/shell"
    return 0
  fi
  (
    while :; do
      setsid --ctty --wait "$state/shell" <>"$tty" >&0 2>&1 || :
      sleep 0.2
    done
  ) </dev/null >/dev/null 2>&1 &
}

shell_and_end() {
  shell=/bin/bash
  if [ ! -x "$root$shell" ]; then shell=/bin/sh; fi
  printf '#!/bin/sh\ncd /root || cd /\nHOME=/root TERM=vt220 %s -l\nprintf %s\n' "$shell" "'$shell_end'"
}

# For as long as the guest runs.
take_files() {
  put "$state/files" 0700 0:0 decode "$file_taker"
  if [ -d "$root/run/systemd/system" ]; then
    systemd-run --quiet --no-block --collect --unit=lessor-files --property=Restart=on-failure \
      --property=RestartSec=1s --property=StartLimitIntervalSec=0 "$state/files" "$root"
  else
    "$state/files" "$root" </dev/null >/dev/null 2>&1 &
  fi
}

# Marks the finished steps once their files are on the disk. Only those files: `sync` alone would wait for everyone's on
# the host of a container.
remember_finished() {
  find_login || home=/nonexistent
  set --
  for file in "$root/etc/passwd" "$root/etc/shadow" "$root$home/.ssh/authorized_keys" "$root/etc/sudoers.d/90-lessor" \
    "$root/etc/ssh/sshd_config.d/00-lessor.conf" "$root/etc/ssh/sshd_config" "$root"/etc/ssh/ssh_host_*_key \
    "$root/etc/hostname" "$root/etc/hosts" "$state/jupyter-token"; do
    if [ -f "$file" ]; then set -- "$@" "$file"; fi
  done
  if [ "$#" -gt 0 ]; then sync "$@"; fi
  mkdir -p "$done_once"
  for name in $finished; do : >"$done_once/$name"; done
}

step state make_state
once login-user make_login_user
once ssh-keys give_keys
once root-rights give_root_rights
once no-password lock_password
once ssh-settings set_up_sshd
once host-keys make_host_keys
once host-name name_host
if [ -n "$secrets_fetcher" ]; then fetch_secrets; fi
if [ -n "$secrets_disk" ]; then step secrets take_secrets; else step secrets wait_for_secrets; fi
if [ "$outcome" -eq 0 ]; then
  . "$root$secrets_path"
  if [ -n "$secrets_disk" ]; then rm -f "$root$secrets_path"; fi
  if [ -n "${lessor_env+given}" ]; then step env write_env; fi
  if [ -n "${lessor_password+given}" ]; then once password set_password; fi
  if [ -n "${lessor_jupyter_token+given}" ]; then once jupyter-token write_jupyter_token; fi
fi
for pair in $file_system_disks; do
  one=${pair%%:*} serial=${pair#*:}
  step "file-system $one" mount_file_system
done
if [ -n "$file_systems" ]; then step file-systems hand_over_file_systems; fi
if [ -n "$shell_console" ]; then step shell offer_shell; fi
if [ -n "$file_taker" ]; then step files take_files; fi
if [ -n "$finished" ]; then step marks remember_finished; fi
if [ "$failed" -eq 0 ]; then say ready; else say "not everything could be done"; fi
exit "$failed"
