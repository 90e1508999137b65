#!/bin/sh
# Starts grantctl with the Node that came with it, wherever it was unpacked and through whatever links it was called.
program=$0
if [ -L "$program" ]; then program=$(readlink -f "$program") || exit; fi
case $program in */*) ;; *) program=./$program ;; esac
home=${program%/*}/../lib/grantctl
exec "$home/node" "$home/bin/grantctl.js" "$@"
