#!/bin/sh
# Plays a vendor's command: does what the file says that is named as the model.
arguments=$*
while [ $# -gt 0 ]; do
    [ "$1" = --model ] && scene=$2
    [ "$1" = --output-schema ] && schema=$2
    [ "$1" = --version ] && echo 1.0 && exit
    shift
done
. "$scene"
