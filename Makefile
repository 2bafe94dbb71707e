# The verbs people type. Anything with a condition in it is a script of its own under scripts/.
SEED ?= 0x5eed
SECONDS ?= 600
FAULTS ?= 200
# The suites of the API, the engine and the dialects, which run on both stores.
BOTH_STORES = http basics cancelling children crashing deadlines limits registry resuming sleeping updates engine files runs sequence
NODES ?= either

.PHONY: run console test lint bench sim crash chaos fuzz screenshots

run: console ## a server with workflows of every dialect and the console, on http://127.0.0.1:7070
	scripts/run

console: ## the web console, which the server carries, into console/dist
	scripts/console-build

test: ## every test, doc tests included
	scripts/ensure-tools test
	scripts/console-build
	cargo test --workspace
	STEPWELL_TEST_STORE=postgres cargo test --workspace $(addprefix --test ,$(BOTH_STORES)) -- --skip killed
	scripts/contract
	npm --prefix console test
	scripts/console-e2e
	scripts/types
	scripts/examples

lint: ## formatting, clippy, licences and sources
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	scripts/deny
	scripts/ensure-tools console
	npm --prefix console run check

bench: ## make bench ONLY=name
	cargo run --release -p stepwell-bench -- $(if $(ONLY),--only $(ONLY))

chaos: ## three nodes on one PostgreSQL, and everything that can happen to them: make chaos FAULTS=200
	scripts/ensure-tools test
	CHAOS_FAULTS=$(FAULTS) cargo test --release -p stepwell-crash --test cluster --test dialects -- --nocapture

sim: ## make sim SEED=0x5eed SECONDS=600 NODES=one, several or either
	cargo run --release -p stepwell-sim -- --seed $(SEED) --seconds $(SECONDS) --nodes $(NODES)

crash: ## real processes, killed at random for a long time
	scripts/crash $(SECONDS)

fuzz: ## random bytes for the reader of journals, for a minute
	scripts/ensure-tools fuzz
	scripts/fuzz decode_journal 60

screenshots: ## every screen in light and dark, into docs/images/console
	scripts/console-build
	scripts/console-e2e screenshots
