#!/bin/busybox sh
# What the guest at the second level sees of the card that it was given, and does with it; a line each on its console, in
# the words that story.ts waits for. The first program of the guest, long before its SSH server: in emulation within
# emulation each process costs a second. witness.ts gives it the three numbers that stand in capital letters.

busybox=/bin/busybox
$busybox mkdir -p /proc /sys /dev
$busybox mount -t devtmpfs dev /dev
$busybox mount -t proc proc /proc
$busybox mount -t sysfs sys /sys

say() { echo "witness: $*"; }
memory() { $busybox devmem "$(($1))" 32 "$2"; }
read_memory() { $busybox devmem "$(($1))" 32; }

for device in /sys/bus/pci/devices/*; do
  read -r vendor <"$device/vendor"
  read -r product <"$device/device"
  case $vendor:$product in
    0x1234:0x1111) display=$device ;;
    0x8086:0x293e) sound=$device ;;
    0x1234:0x11e8) teacher=$device ;;
    *) continue ;;
  esac
  say "has $vendor:$product"
done

# Memory, and being master of the bus, are switched on in the command register, the word at 4.
for device in "$display" "$sound" "$teacher"; do
  printf '\006\000' | $busybox dd of="$device/config" bs=1 seek=4 conv=notrunc 2>/dev/null
done

# The display: pixels in its first region, what the screen says of itself (EDID) in its third.
{ read -r pixels _; read -r _; read -r registers _; } <"$display/resource"
say "edid $(read_memory "$registers") $(read_memory "$registers + 4")"
memory "$pixels + 4096" MARK
say "pixels $(read_memory "$pixels + 4096")"

# edu copies between its own 4 KiB, at 0x40000, and memory: from, to, how many bytes, which way. The kernel was told to
# leave the memory at OURS alone.
read -r base _ <"$teacher/resource"
copy() {
  memory "$base + 0x80" "$1"
  memory "$base + 0x88" "$2"
  memory "$base + 0x90" 4
  memory "$base + 0x98" "$3"
  $busybox sleep 1
}
memory OURS MARK
memory "OURS + 256" 0
copy OURS 0x40000 1
copy 0x40000 "$((OURS + 256))" 3
say "copied $(read_memory "OURS + 256")"
# Where the guest has no memory, and the host has.
copy 0x40000 FOREIGN 3
say "done"

for directory in sys proc dev; do
  $busybox umount "/$directory"
done
exec /init
