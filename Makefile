# Two commands do everything: `make run` and `make test`.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
export CARGO_TARGET_DIR ?= $(CURDIR)/target
export CARGO_TERM_PROGRESS_WHEN ?= auto

# Select scenarios: make conform SCENARIOS="print_text api_404_model"
SCENARIOS ?=
JOBS ?= 2
SHARED ?= ../shared

step = @printf '\033[1m%s\033[0m\n' "$(1)"
need = @scripts/need $(1)

.PHONY: help run web types test test-web check fmt bench bench-bridge bench-terminal bench-page hostile oracle soak shots conform interop release docs reference

help:
	@printf '%s\n' \
	  'make run             build page and binary, start the bridge, print the address to open' \
	  'make test            all tests and checks: style, lints, crates, documents, page, bridge, the official SDKs' \
	  'make check           style, lints and tests of the crates that changed' \
	  'make fmt             format the sources' \
	  'make release         build the binary to ship' \
	  'make docs            build the documentation as a site' \
	  'make reference       generate docs/reference, after a change to flags, settings or hook events' \
	  'make types           TypeScript types of the bridge API, after a change to it' \
	  'make interop         tests with the official SDKs, the official MCP client and the reference CLI' \
	  'make conform         replay the recorded scenarios of the reference CLI' \
	  'make hostile         attacks on the bridge by foreign pages and requests' \
	  'make oracle          run allowed commands under strace and check that they only read' \
	  'make soak            break the bridge at random for five minutes' \
	  'make shots           screenshots of every view of the page' \
	  'make bench           measure the agent, beside the reference CLI' \
	  'make bench-bridge    measure the bridge' \
	  'make bench-terminal  measure the terminal, in a pseudo-terminal' \
	  'make bench-page      measure the page, in Chromium'

run: web
	$(call step,run: building (a few minutes the first time; seconds afterwards))
	@cargo build --profile fast -p sluice
	$(call step,run: open this address; ctrl-c ends the bridge)
	@"$$CARGO_TARGET_DIR/fast/sluice" serve $(ARGS)

# The page that the binary embeds. It is only rebuilt after a change.
web:
	$(call need,cargo node npm)
	@scripts/web

types:
	$(call need,cargo)
	@cargo run -q -p sluice-bridge --features types --example types

docs:
	$(call need,cargo)
	@scripts/docs

# Each page is written by the test that checks it.
reference:
	$(call need,cargo)
	@SLUICE_WRITE_DOCS=1 cargo test -q -p sluice-settings -p sluice-hooks -p sluice --lib --bins reference_of

test:
	$(call need,cargo node npm python3)
	$(call step,test: page)
	@scripts/web test
	$(call step,test: style)
	@cargo fmt --all --check
	@scripts/spelling
	$(call step,test: licences and versions of dependencies)
	@scripts/deny
	$(call step,test: lints)
	@cargo clippy -q --workspace --all-targets --all-features -- -D warnings
	$(call step,test: crates)
	@scripts/tests --workspace --all-features
	$(call step,test: examples in documents)
	@cargo test -q --doc --workspace --all-features
	$(call step,test: documents)
	@RUSTDOCFLAGS='-D warnings' cargo doc -q --no-deps --all-features -p sluice-wire -p sluice-host
	$(call step,test: official SDKs)
	@cargo build -q --workspace --all-features --bins
	@SLUICE_BIN="$$CARGO_TARGET_DIR/debug/sluice" interop/run
	$(call step,test: bridge)
	@SLUICE_BIN="$$CARGO_TARGET_DIR/debug/sluice" interop/bridge/run
	$(call step,test: page in a browser)
	@SLUICE_BIN="$$CARGO_TARGET_DIR/debug/sluice" scripts/browser
	$(call step,test: size of the page: bytes and requests and elements)
	@SLUICE_BIN="$$CARGO_TARGET_DIR/debug/sluice" scripts/browser bench --counts
	$(call step,test: attacks by foreign pages)
	@SLUICE_BIN="$$CARGO_TARGET_DIR/debug/sluice" interop/hostile/run
	$(call step,test: all checks passed)

check:
	$(call need,cargo)
	$(call step,check: style)
	@cargo fmt --all --check
	$(call step,check: lints of $$(scripts/changed))
	@cargo clippy -q --all-targets --all-features $$(scripts/changed) -- -D warnings
	$(call step,check: tests of $$(scripts/changed))
	@scripts/tests --all-features $$(scripts/changed)

fmt:
	$(call need,cargo node npm)
	@cargo fmt --all
	@scripts/web format

# Includes the page: `crates/server/build.rs` refuses a release build without it.
release: web
	$(call need,cargo)
	$(call step,release: building)
	@cargo build --release -q -p sluice
	@ls -l "$$CARGO_TARGET_DIR/release/sluice" | awk '{ printf "release: %s, %.1f MiB\n", $$NF, $$5 / 1048576 }'

interop:
	$(call need,cargo node npm python3)
	$(call step,interop: building)
	@cargo build --profile fast -q -p sluice
	@SLUICE_BIN="$$CARGO_TARGET_DIR/fast/sluice" interop/run
	$(call step,interop: the reference CLI, old and new)
	@SLUICE_BIN="$$CARGO_TARGET_DIR/fast/sluice" interop/reference

conform:
	@if [ ! -f "$(SHARED)/wire/check.py" ]; then \
	  echo 'conform: no recordings at $(SHARED)/wire, skipped'; \
	else \
	  $(MAKE) release; \
	  python3 "$(SHARED)/wire/check.py" --cmd "$$CARGO_TARGET_DIR/release/sluice" --jobs $(JOBS) $(SCENARIOS); \
	fi

bench: release
	$(call need,node npm python3)
	@SLUICE_BIN="$$CARGO_TARGET_DIR/release/sluice" python3 bench/bench.py $(ARGS)

bench-bridge: release
	$(call need,node npm python3)
	@SLUICE_BIN="$$CARGO_TARGET_DIR/release/sluice" bench/bridge/run $(ARGS)

bench-terminal: release
	$(call need,python3)
	@SLUICE_BIN="$$CARGO_TARGET_DIR/release/sluice" python3 bench/terminal/bench.py $(ARGS)

# ARGS: --quick, --margin N on a machine with other load, --only PART,…
bench-page: release
	$(call need,node npm)
	@SLUICE_BIN="$$CARGO_TARGET_DIR/release/sluice" scripts/browser bench --write "$(CURDIR)/bench/page/RESULTS.md" $(ARGS)

hostile:
	$(call need,cargo node npm)
	@cargo build --profile fast -q -p sluice
	@SLUICE_BIN="$$CARGO_TARGET_DIR/fast/sluice" interop/hostile/run

soak:
	$(call need,cargo python3)
	@cargo build --profile fast -p sluice
	@SLUICE_BIN="$$CARGO_TARGET_DIR/fast/sluice" interop/bridge/run soak $(ARGS)

# Runs generated command lines that are allowed under strace: make oracle ARGS="--seed 2 --seconds 3600"
oracle:
	$(call need,cargo python3)
	@cargo build -q -p sluice-tools --example decide
	@cargo build -q -p sluice
	@PYTHONDONTWRITEBYTECODE=1 interop/oracle/run $(ARGS)

shots: web
	@cargo build --profile fast -p sluice
	@SLUICE_BIN="$$CARGO_TARGET_DIR/fast/sluice" scripts/browser shots $(ARGS)
