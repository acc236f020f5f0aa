#!/bin/busybox sh
# The first program of a light guest: loads the kernel modules beside it, in their order, and goes on in the first disk.

busybox=/bin/busybox
$busybox mkdir -p /proc /sys /dev /root
$busybox mount -t devtmpfs dev /dev
$busybox mount -t proc proc /proc
$busybox mount -t sysfs sys /sys
for module in /modules/*; do
  insmod "$module"
done
until [ -b /dev/vda ]; do
  sleep 0.02
done
mount -t ext4 -o noatime /dev/vda /root
# Without /proc, busybox finds itself by its path only.
for directory in dev sys proc; do
  $busybox mount --move "/$directory" "/root/$directory"
done
exec $busybox switch_root /root /sbin/init
