import Canonical
import Composition
import Journal
import Operations
import Projections

extension Ledger {
    /// Prints one page of a list: the API's answer as JSON, or the table of a command.
    ///
    /// - Parameters:
    ///   - cursor: The text of `--cursor`.
    ///   - nothing: The text for a list without items.
    ///   - show: Prints the items.
    /// - Returns: The page.
    @discardableResult
    func say<Item: Decodable>(
        _ request: ListRequest,
        of tenant: String,
        after cursor: String? = nil,
        limit: Int,
        asJSON: Bool,
        nothing: String,
        _ show: ([Item]) throws -> Void
    ) async throws -> ListDocument {
        let found = try await page(request, of: tenant, after: cursor, limit: limit)
        if asJSON {
            Terminal.say(try found.json().saying(more: found.next != nil))
        } else {
            let items = try found.items(as: Item.self)
            if items.isEmpty, found.next == nil { Terminal.say(nothing) } else { try show(items) }
        }
        if let next = found.next {
            Terminal.note("There are more: continue with --cursor \(next.text), or use a larger --limit.")
        }
        return found
    }

    /// One page of a list.
    ///
    /// - Throws: `Failure` for a text that is not a cursor of the list, and for a refusal.
    func page(
        _ request: ListRequest,
        of tenant: String,
        after cursor: String?,
        limit: Int
    ) async throws -> ListDocument {
        try await Failure.explaining {
            try await page(request, of: tenant, after: try cursor.map { try Cursor($0) }, limit: limit)
        }
    }
}

extension Failure {
    /// Runs a read of a list, or an export of the journal, and throws its refusals as failures.
    static func explaining<Answer>(_ read: () async throws -> Answer) async throws -> Answer {
        do {
            return try await read()
        } catch {
            let refusal: Refusal
            switch error {
            case let error as Refusal: refusal = error
            case let error as TotalsError: refusal = Refusal(error)
            case let error as BalanceError: refusal = Refusal(error)
            case let error as ExportCommands.Refusal: refusal = Refusal(error)
            case let error as ExportFault: refusal = Refusal(error)
            default: throw error
            }
            switch refusal.code {
            case Cursor.invalid.code:
                throw Failure(
                    "--cursor is not a cursor of this list.",
                    hint: "Use `next` of an earlier answer.",
                    exitCode: 64
                )
            case Refusal.notFound.code: throw Failure("There is nothing with this id.")
            default: throw Failure(refusal)
            }
        }
    }
}

extension JSONObject {
    /// A page of the API with the member `more`.
    func saying(more: Bool) -> JSONValue {
        var object = self
        object["more"] = .bool(more)
        return .object(object)
    }
}
