# Daybook. `make` lists the targets.

SWIFT ?= swift
# How tests, demo and checks are built: debug, or release, which takes longer to build and less to run. One set of flags
# for each, so that they share their work. In release, tests see internal names, which costs at most 1.4 % more
# instructions.
CONFIGURATION ?= debug
export CONFIGURATION
CHECKED := --explicit-target-dependency-import-check error
TESTING := $(if $(filter release,$(CONFIGURATION)),-Xswiftc -enable-testing)
FLAGS := $(CHECKED) -c $(CONFIGURATION) $(TESTING)
RELEASE := $(CHECKED) -c release $(TESTING)
SOURCES := Package.swift Sources Tests Benchmarks

.DEFAULT_GOAL := help
.PHONY: help setup build program test contract screenshots fuzz soak proof score demo bench cost lint tidy tidy-ceilings format schema golden trust sbom ci ci-steps clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install missing packages: PostgreSQL 15, headers, valgrind, wrk, Chromium, hledger, Beancount (asks sudo when not root)
	@ops/setup

program: setup
	@$(SWIFT) build $(FLAGS) --product daybook

build: setup ## Build the release binary, .build/release/daybook
	$(SWIFT) build $(RELEASE) --product daybook

test: setup ## Set up and run every test; CONFIGURATION=release builds them optimised
	$(SWIFT) build $(FLAGS) --build-tests
	@SWIFT="$(SWIFT)" ops/test $(if $(FILTER),--filter "$(FILTER)")

contract: program ## Test the whole API against docs/openapi.yaml with schemathesis; EXAMPLES=100 of each operation
	@ops/contract $(or $(EXAMPLES),25)

screenshots: setup ## Take screenshots of every page of the console with Chromium, in .build/screenshots
	$(SWIFT) build $(FLAGS) --build-tests
	DAYBOOK_SCREENSHOTS=.build/screenshots $(SWIFT) test $(FLAGS) --disable-xctest --skip-build --filter BrowserTests
	@ls .build/screenshots

bench: setup ## Measure the release build and the limits of this machine; ARGS="--quick --only a"; WRITE=1 writes docs/benchmarks.md
	$(SWIFT) build $(RELEASE) --product daybook
	$(SWIFT) build $(RELEASE) --product daybook-bench
	@.build/release/daybook-bench $(if $(WRITE),--write docs/benchmarks.md) $(ARGS)

cost: setup ## Compare the instructions of one document, event and answer with Benchmarks/budget.json; WRITE=1 rewrites it
	$(SWIFT) build $(RELEASE) --product daybook-cost
	$(if $(WRITE),,@ops/cost --self-test)
	@SWIFT="$(SWIFT)" ops/cost $(if $(WRITE),--write) $(ARGS)

fuzz: ## Fuzz every reader, SECONDS=300 each; TARGET=tlv for one, TARGET=list for their names
	@SWIFT="$(SWIFT)" ops/fuzz "$(TARGET)" "$(or $(SECONDS),300)"

soak: setup ## Append a million events under faults, and kill a server in 200 steps of the read models; minutes
	$(SWIFT) build $(FLAGS) --build-tests
	DAYBOOK_SOAK_EVENTS=1000000 DAYBOOK_SOAK_KILLS=200 $(SWIFT) test $(FLAGS) --disable-xctest --skip-build \
		--filter 'LongRunTests|StepKillTests'

proof: setup ## Prove replays: lost answers of PAYMENTS=10000, killed servers of PROGRAM, by default that of the tests, and a killed database; minutes
	$(SWIFT) build $(FLAGS) --build-tests
	DAYBOOK_PROOF_PAYMENTS=$(or $(PAYMENTS),10000) DAYBOOK_PROOF_PROGRAM=$(PROGRAM) SWIFT="$(SWIFT)" ops/test --filter ReplayProofTests

score: build ## Play TRANSACTIONS=20000 with every fault into a private ledger, and score its answers; minutes
	@ops/score "$(or $(TRANSACTIONS),20000)" "$(or $(SEED),7)"

demo: program ## Play a trading day into a private ledger and show the result; EXIT=1 exits after printing
	@.build/$(CONFIGURATION)/daybook demo $(if $(EXIT),--exit)

lint: ## Check the formatting
	@$(SWIFT) format lint --strict --parallel --recursive $(SOURCES)

tidy: ## Check the rules of the repository: imports, targets, lengths, words, links; seconds
	@SWIFT="$(SWIFT)" ops/tidy

tidy-ceilings: ## Rewrite Tests/Tidy/ceilings.json: the breaches of today, which may only become fewer
	@DAYBOOK_WRITE_TIDY=1 SWIFT="$(SWIFT)" ops/tidy --filter CeilingTests

format: ## Format the sources
	@$(SWIFT) format --in-place --parallel --recursive $(SOURCES)

schema: setup ## Rewrite schema/current.sql from the migrations
	DAYBOOK_WRITE_SCHEMA=1 $(SWIFT) test $(FLAGS) --filter SchemaTests

golden: ## Rewrite the samples of stored events; for new event types and schemas only
	DAYBOOK_WRITE_GOLDEN=1 $(SWIFT) test $(FLAGS) --filter GoldenTests

trust: ## Rewrite the table of docs/trust.md
	DAYBOOK_WRITE_TRUST=1 $(SWIFT) test $(FLAGS) --filter AuthorityTests

sbom: ## Write the software bill of materials, .build/sbom.json, CycloneDX 1.5
	@mkdir -p .build
	@SWIFT="$(SWIFT)" ops/sbom -o .build/sbom.json
	@echo .build/sbom.json

# The steps run in order, even with -j, and everything is built once: in release, because that is what is installed and
# measured, and its optimiser refuses code that the debug build accepts. Tests without the accounting programs fail. The
# last line is the summary of the test runner.
ci: ## What continuous integration runs: lint, sbom, self-tests, demo, contract, cost, proof, every test
	@DAYBOOK_TEST_ACCOUNTING=required $(MAKE) --no-print-directory CONFIGURATION=release ci-steps

ci-steps:
	@$(MAKE) --no-print-directory setup
	@$(MAKE) --no-print-directory lint
	@SWIFT="$(SWIFT)" ops/sbom --check
	@ops/check-witness --self-test
	@ops/check-journal --self-test
	@ops/check-exports --self-test
	@ops/bench-medians --self-test
	@$(MAKE) --no-print-directory demo EXIT=1
	@$(MAKE) --no-print-directory contract EXAMPLES=5
	@$(MAKE) --no-print-directory cost
	@$(MAKE) --no-print-directory proof PAYMENTS=1000
	@$(MAKE) --no-print-directory test

clean: ## Remove the build; the data in .daybook is kept
	$(SWIFT) package clean
