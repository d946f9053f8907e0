# Flags.
CFLAGS ?= -O2
# <- constant CFLAGS
export PATH := bin:$(PATH)
#      ^^^^ constant PATH
define HELP
#      ^^^^ macro HELP
usage: make all
endef
define EMPTY
#      ^^^^^ macro EMPTY
endef
include common.mk
-include $(DEPENDENCIES)

.PHONY: all clean
# Builds all.
all: build | directory
# <- function all
	@echo done
	$(MAKE) -C sub
build test: main.o
# <- function build
#     ^^^^ function test
	cc -o $@ $<
test: CFLAGS += -g
%.o: %.c
# <- function %.o
	$(CC) -c $<
$(BINARY): $(OBJECTS)
# <- function $(BINARY)
	touch $@

VERSION != git describe
# <- constant VERSION
ifeq ($(OS),Windows)
EXTENSION = .exe
# <- constant EXTENSION
	INDENTED := yes
	# <- constant INDENTED
else
EXTENSION =
# <- constant EXTENSION~82e0
endif
out/file.txt:
# <- function out/file.txt
	touch $@
override LEVEL = 1
#        ^^^^^ constant LEVEL
clean:: ; rm -f out
# <- function clean
