import Access
import Canonical
import Composition
import EventLog
import Logging
import Postgres
import PostgresCluster
import Projections

extension Examination {
    /// Examines a private server and its database. A server that is stopped runs meanwhile.
    mutating func examine(
        _ cluster: PrivateCluster,
        _ evidence: EvidenceFiles,
        _ standbys: DurabilitySettings.Standbys
    ) async {
        let status = await cluster.status()
        add(status)
        if case .notInitialised = status.state { return }
        guard status.problem == nil else { return }
        do {
            let lease = try await cluster.start()
            let configuration = PostgresConfiguration(connectionString: lease.connectionString())
            await examine(configuration, evidence, standbys)
            await lease.release()
        } catch {
            add("private server", .bad, Failure(describing: error).message)
        }
    }

    mutating func add(_ status: PostgresClusterStatus) {
        if let installation = status.installation {
            add("server programs", .fine, "PostgreSQL \(installation.version) in \(installation.binaryDirectory)")
        } else {
            add("server programs", .bad, "not found: install the Debian package postgresql")
        }
        switch status.state {
        case .notInitialised: add("private server", .idle, "not created yet; the first command creates it")
        case .stopped: add("private server", .idle, "stopped; it starts with the first command that needs it")
        case .running(let processID):
            let users = status.users.map(String.init).joined(separator: ", ")
            add("private server", .fine, "running, process \(processID)" + (users.isEmpty ? "" : ", used by \(users)"))
        }
        if let home = status.home {
            add("files", .fine, home + (status.isRelocated ? " (outside the data directory)" : ""))
        }
        if let user = status.userName { add("runs as", .fine, user) }
        if let problem = status.problem { add("problem", .bad, "\(problem)") }
    }

    /// Examines a database.
    mutating func examine(
        _ configuration: PostgresConfiguration,
        _ evidence: EvidenceFiles,
        _ standbys: DurabilitySettings.Standbys
    ) async {
        do {
            let status = try await LedgerSchema.status(configuration)
            add("reachable", .fine, "yes")
            if let problem = status.problem {
                add("schema", .bad, "\(problem)")
                return
            }
            guard status.pending.isEmpty else {
                add("schema", .bad, "\(status.pending.count, "migration") pending: run `daybook migrate`")
                return
            }
            add("schema", .fine, "\(status.applied.count, "migration") applied, none pending")
            try await examineContents(configuration, standbys)
            await examineEvidence(configuration, evidence)
        } catch let error as PostgresError {
            add("reachable", .bad, "\(error)")
        } catch {
            add("reachable", .bad, String(reflecting: type(of: error)))
        }
    }

    /// A ledger whose sessions refuse to write.
    static func ledger(_ configuration: PostgresConfiguration) -> Ledger {
        var configuration = configuration
        configuration.isReadOnly = true
        return Ledger(configuration: configuration, connections: 2, logger: Session.logger(.error))
    }

    private mutating func examineContents(
        _ configuration: PostgresConfiguration,
        _ standbys: DurabilitySettings.Standbys
    ) async throws {
        let ledger = Self.ledger(configuration)
        let found = try await ledger.run(for: .reading([])) {
            let settings = try await ledger.pool.query(
                "SELECT current_setting('server_version'), has_database_privilege(current_database(), 'CREATE')"
            )
            let database = try await DatabaseWatch.read(ledger.pool, clock: ledger.clock)
            return (
                head: try await ledger.reader.head(), models: try await ledger.readModels.positions(),
                tenants: try await ledger.keys.tenants().count,
                database: database, version: try settings.first?.text(0) ?? "",
                mayCreate: try settings.first?.bool(1) ?? false
            )
        }
        add("server", .fine, found.version)
        let (durability, hold) = (found.database.settings, DatabaseWatch.hold(found.database, standbys))
        let fault = durability.fault(standbys: standbys)
        add(
            "durability",
            fault == nil ? .fine : .bad,
            """
            fsync=\(durability.fsync), full_page_writes=\(durability.fullPageWrites), \
            synchronous_commit=\(durability.synchronousCommit), \
            synchronous_standby_names='\(durability.standbyNames)'\(fault.map { ": \($0)" } ?? "")
            """
        )
        let seconds = abs(found.database.ahead) / 1_000_000
        add(
            "clock",
            hold?.code == "clock-differs" ? .bad : .fine,
            hold?.code == "clock-differs" ? hold?.detail ?? "" : "\(seconds) s from the clock of the database"
        )
        add(
            "rights",
            found.mayCreate ? .fine : .bad,
            found.mayCreate ? "the service has the rights it needs" : "GRANT CREATE ON DATABASE ... TO daybook_service"
        )
        add("tenants", found.tenants == 0 ? .idle : .fine, "\(found.tenants)")
        add("log", .fine, "\(found.head, "event")")
        for model in found.models {
            let state: State = model.fault == nil ? .fine : .bad
            let fault = model.fault.map { ", halted before \(model.faultPosition ?? 0): \($0)" } ?? ""
            let lag = model.lag == 0 ? "up to date" : "\(model.lag, "event") behind"
            add("read model \(model.name)", state, lag + fault + (model.isRebuilding ? ", being rebuilt" : ""))
        }
    }
}
