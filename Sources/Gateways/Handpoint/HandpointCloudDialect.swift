import Canonical
import Payments
import Vendors

/// Handpoint's gateway, for queries of a transaction's outcome. Source: Handpoint REST API, transaction status
/// (facts/vendor_codes, 2).
///
/// The rest of the REST interface controls card readers, which a back office does not need.
struct HandpointCloudDialect: WireDialect {
    let apiKey: Secret

    var vendor: Vendor { .handpoint }

    func support(for operation: GatewayOperation) -> GatewaySupport {
        operation == .find
            ? .supported
            : .unsupported(
                "Handpoint's gateway only answers queries for the status of transactions; a reader does the rest."
            )
    }

    func request(for call: GatewayCall, at now: Timestamp) throws(GatewayFailure) -> WireRequest {
        guard let reference = call.original.reference else {
            throw GatewayFailure(.incomplete, "The transactionReference the payment was sent with is needed.")
        }
        // The vendor specifies a version 4 UUID. The text must at least not change the structure of the path.
        guard (1...64).contains(reference.utf8.count), reference.utf8.allSatisfy(Self.isPathByte) else {
            throw GatewayFailure(.incomplete, "A transactionReference is a UUID.")
        }
        return WireRequest(
            method: .get,
            path: "/transactions/\(reference)/status",
            headers: [.init("ApiKeyCloud", apiKey.exposed()), .init("Accept", "application/json")],
            body: nil
        )
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || byte == 0x2D
    }

    func answer(
        _ response: WireResponse,
        to call: GatewayCall,
        at now: Timestamp
    ) throws(GatewayFailure) -> GatewayAnswer {
        guard response.status < 300 else { throw GatewayFailure(.malformed, "A refusal has no transaction result.") }
        var body = try JSONReply.object(response.body)
        if let reported = body["transactionReference"]?.string, !reported.isEmpty, let asked = call.original.reference,
            reported.lowercased() != asked.lowercased()
        {
            throw GatewayFailure(.otherAnswer, "The answer is about another transaction.")
        }
        let age = call.original.begunAt.map { now.microseconds(since: $0) / 1_000_000 }
        if let age { body["asked"] = ["ageSeconds": .number(.init(age))] }
        let document = GatewayDocument(
            vendor: vendor,
            kind: CloudStatus.kind,
            body: .object(body),
            context: DocumentContext(occurredAt: now)
        )
        do throws(Refusal) {
            let status = try CloudStatus(document.scrubbed)
            let response = try status.response
            return GatewayAnswer(
                verdict: Self.verdict(try status.meaning),
                response: response,
                codes: response.code.map { [Detail("finStatus", $0)] } ?? [],
                references: try status.references,
                approved: try status.approved,
                document: document,
                found: call.operation == .find ? try status.found : nil,
                isNotFound: try status.found == nil
            )
        } catch {
            throw GatewayFailure(.malformed, "The answer is not a transaction result.")
        }
    }

    private static func verdict(_ meaning: CloudStatus.Meaning) -> GatewayAnswer.Verdict {
        switch meaning {
        case .approved: .approved
        case .partiallyApproved: .partiallyApproved
        case .declined: .declined
        case .inProgress: .pending(untilAgeSeconds: nil)
        case .notYetArrived: .pending(untilAgeSeconds: CloudStatus.arrivesWithinSeconds)
        case .neverArrived: .notPosted
        case .unknown: .unknown
        }
    }
}
