import Access
import Canonical
import Composition
import EventLog
import HTTPEdge
import Merkle
import Operations
import Projections

extension WebConsole {
    func addSystem(to router: inout EdgeRouter<Principal>) {
        addPage(.system, needs: [.read, .audit, .admin], to: &router) { .page(try await system($0)) }
    }

    private func system(_ visit: Visit) async throws -> Page {
        try visit.query.finish()
        let head = try await ledger.reader.head()
        let checkpoint = try await ledger.evidence.checkpoint()
        let models = try await ledger.readModels.positions()
        var facts = Facts()
        facts.add("Version of Daybook", .code(options.version))
        facts.add("Time of the server", .time(visit.now, in: visit.zone))
        facts.add("Events in the log", .count(head))
        switch ledger.signing.state {
        case .signing: facts.add("Checkpoints", .badge("signing", .good))
        case .off(let reason): facts.add("Checkpoints", .badge("off: \(reason)", .caution))
        case .halted(let fault): facts.add("Checkpoints", .badge("halted: \(fault)", .bad))
        }
        if let checkpoint {
            facts.add("Newest checkpoint", .time(checkpoint.signedAt, in: visit.zone))
            facts.add("Events it covers", .count(checkpoint.size))
            facts.add("Its root", .code(checkpoint.root.base64))
        }
        for key in ledger.signing.verifierKeys { facts.add("The log's key", .code(key.text)) }
        let table = Table(
            caption: "Read models",
            columns: ["Name", "Version#", "Status", "Position#", "Behind by#", "Fault"],
            rows: models.map { model in
                [
                    Cell(model.name), .count(Int64(model.version)), Self.state(model), .count(model.position),
                    .count(model.lag), Cell(model.fault.map { "\($0), at event \(model.faultPosition ?? 0)" }),
                ]
            },
            whenEmpty: "No read models."
        )
        return Page("system", "System", ["facts": facts.value, "models": table.value])
    }

    private static func state(_ model: ReadModels.Progress) -> Cell {
        if model.fault != nil { return .badge("halted", .bad) }
        return model.isRebuilding ? .badge("being rebuilt", .caution) : .badge("running", .good)
    }
}
