# Builds, checks and installs the station.
#
# Run `make help` for a list.

NAME := station
VERSION ?= $(shell git describe --tags --always)
PREFIX ?= /usr/local
SOURCES := $(wildcard src/*.c src/radio/*.c)
OBJECTS := $(SOURCES:src/%.c=out/%.o)
CFLAGS += -std=c17 -Wall -Wextra
NOW != date +%s

export LEVEL = info
override QUIET := 1

include config.mk rules/common.mk
-include $(OBJECTS:.o=.d)

# What `make help` prints.
define HELP_TEXT
make            builds $(NAME)
make test       runs all tests
make install    installs it to $(PREFIX)
endef

.DEFAULT_GOAL := all
.PHONY: all test lint install clean help
.SUFFIXES:

## Everything but the tests.
all: out/$(NAME) docs

out/$(NAME): $(OBJECTS) | out
	$(CC) $(LDFLAGS) -o $@ $^

out/%.o: src/%.c | out
	@mkdir -p $(dir $@)
	$(CC) $(CFLAGS) -MMD -c -o $@ $<

out:
	mkdir -p $@

# Tests need the whole program, because they start it.
test: all fixtures
	./test/run.sh out/$(NAME)
	$(call report,$(NOW))

fixtures: test/tides.csv test/ships.csv

test/tides.csv test/ships.csv: tools/make_fixtures.py
	python3 $< > $@

debug: CFLAGS += -g -O0
debug: all

lint: ; clang-tidy $(SOURCES)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin
	install out/$(NAME) $(DESTDIR)$(PREFIX)/bin/

ifeq ($(shell uname),Darwin)
LDFLAGS += -framework CoreFoundation
else
LDFLAGS += -lrt
endif

ifdef DOCS
docs: docs/index.html

docs/index.html: docs/index.md
	pandoc -o $@ $<
else
docs:
	@echo "no docs"
endif

help:
	$(info $(HELP_TEXT))

clean::
	rm -rf out

report = echo "started at $(1)"
