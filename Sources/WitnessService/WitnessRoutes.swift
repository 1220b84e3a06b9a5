package import HTTPEdge
import HTTPTypes
import Logging
import Merkle

/// The caller of a witness. No caller has to authenticate: the signature of the log on the checkpoint decides.
package struct WitnessCaller: EdgePrincipal {
    package var logIdentifier: String { "-" }
}

extension WitnessedLogs {
    /// More than any checkpoint, its signatures and a proof have.
    private static var bodyLimitBytes: Int { 256 << 10 }

    /// The routes of C2SP `tlog-witness`.
    package func router() -> EdgeRouter<WitnessCaller> {
        var router = EdgeRouter<WitnessCaller>()
        router.on(.post, "/add-checkpoint", RouteOptions(bodyLimitBytes: Self.bodyLimitBytes)) { request in
            let body = try await request.body.collect()
            do {
                return .text(try await cosign(body))
            } catch let refusal as WitnessedLog.Refusal {
                return Self.answer(to: refusal)
            } catch let failure as WitnessDirectory.Failure {
                request.logger.error("a checkpoint was not kept", metadata: ["error": "\(failure)"])
                throw Problem(
                    status: 503,
                    code: "checkpoint-not-kept",
                    title: "The checkpoint could not be written to disk",
                    retryable: true
                )
            }
        }
        return router
    }

    private static func answer(to refusal: WitnessedLog.Refusal) -> EdgeResponse {
        switch refusal {
        case .malformed: .text("the request is malformed\n", status: .badRequest)
        case .unknownOrigin: .text("this log is not served\n", status: .notFound)
        case .untrusted: .text("no trusted key has signed the checkpoint\n", status: .forbidden)
        case .judged(.oldSizeBeyondCheckpoint):
            .text("the old size is larger than the checkpoint\n", status: .badRequest)
        case .judged(.conflict(let size)): .text("\(size)\n", type: WitnessAnswer.sizeType, status: .conflict)
        case .judged(.invalidProof): .text("the proof does not verify\n", status: .unprocessableContent)
        }
    }
}
