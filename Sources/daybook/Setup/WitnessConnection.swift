import EventLog
import Gateways
import HTTPRequests
import Merkle

/// A witness that is called over HTTP.
struct WitnessConnection: RemoteWitness {
    let address: String
    private let sender: HTTPSender

    /// An answer has a few signature lines, or a number.
    private static let limits = HTTPSender.Limits(time: .seconds(10), answerBytes: 1 << 16)

    /// - Returns: Nil unless the address is an `https` URL without credentials and query; `http` only on this machine.
    init?(_ address: String) {
        guard let endpoint = GatewayEndpoint(address) else { return nil }
        let host = endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host
        self.address = "\(endpoint.isSecure ? "https" : "http")://\(host):\(endpoint.port)\(endpoint.path)"
        sender = HTTPSender(base: self.address, connections: .kept, limits: Self.limits)
    }

    func add(_ submission: CheckpointSubmission) async -> WitnessAnswer {
        let request = HTTPRequest(
            method: "POST",
            target: "/add-checkpoint",
            fields: [("Content-Type", "text/plain; charset=utf-8")],
            body: Array(submission.encoded.utf8)
        )
        do {
            let answer = try await sender.send(request)
            return WitnessAnswer(status: answer.status, type: answer.fields["content-type"], body: answer.body)
        } catch let error as Unreachable {
            return .unreachable(error.reason)
        } catch {
            return .unreachable("the request was cancelled")
        }
    }
}

extension Settings {
    /// The remote witness and its keys: `daybook.witness.url` and `daybook.witness.key`.
    ///
    /// - Returns: Nil if neither is set.
    /// - Throws: `Failure` if one of them is missing or cannot be read.
    func remoteWitness(url: String? = nil, key: String? = nil) throws -> WitnessOptions? {
        let (url, key) = (text("witness.url", flag: url), text("witness.key", flag: key))
        if url == nil, key == nil { return nil }
        guard let url else {
            throw Failure("The witness has a key and no address.", hint: "Set DAYBOOK_WITNESS_URL or --witness-url.")
        }
        guard let key else {
            throw Failure(
                "The witness has an address and no key.",
                hint: "Set DAYBOOK_WITNESS_KEY or --witness-key: `daybook witness --show-key` prints it."
            )
        }
        guard let remote = WitnessConnection(url) else {
            throw Failure(
                "daybook.witness.url is not an address of a witness.",
                hint: "It is an https URL without credentials and query; http only on this machine."
            )
        }
        return WitnessOptions(remote, keys: try [CosignerKey](witnessKeys: key))
    }
}
