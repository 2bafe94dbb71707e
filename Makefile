# The verbs people type. Anything with a condition in it is a script of its own under scripts/.
SEED ?= 0x5eed
SECONDS ?= 600
FAULTS ?= 200

.PHONY: run test lint bench sim crash chaos fuzz

run: ## a server with example workflows, on http://127.0.0.1:7070
	cargo run --release -p shop-server

test: ## every test, doc tests included
	scripts/ensure-tools test
	cargo test --workspace
	STEPWELL_TEST_STORE=postgres cargo test -p stepwell-server --test http
	scripts/contract

lint: ## formatting, clippy, licences and sources
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	scripts/deny

bench: ## make bench ONLY=name
	cargo run --release -p stepwell-bench -- $(if $(ONLY),--only $(ONLY))

chaos: ## three nodes on one PostgreSQL, and everything that can happen to them: make chaos FAULTS=200
	scripts/ensure-tools test
	CHAOS_FAULTS=$(FAULTS) cargo test --release -p stepwell-crash --test cluster -- --nocapture

sim: ## make sim SEED=0x5eed SECONDS=600
	cargo run --release -p stepwell-sim -- --seed $(SEED) --seconds $(SECONDS)

crash: ## real processes, killed at random for a long time
	scripts/crash $(SECONDS)

fuzz: ## random bytes for the reader of journals, for a minute
	scripts/ensure-tools fuzz
	scripts/fuzz decode_journal 60
