import Access
import Canonical
import Composition
import DaybookTestKit
import EventLog
import Merkle
import Testing

/// Proofs, checked by a client that trusts only the log's verifier key.
@Suite struct EvidenceTests {
    private let keys: LogKeys

    init() throws { keys = LogKeys(NoteSigningKey(name: try #require(NoteKeyName("log.test")))) }

    /// Signs at every opportunity.
    private var signing: EvidenceOptions { EvidenceOptions(keys: keys, interval: .milliseconds(10)) }

    /// The checkpoint in a note that the log's key has signed.
    private func checkpoint(_ note: String) throws -> Checkpoint {
        try Checkpoint(SignedNote(note.utf8), signedBy: keys.verifiers)
    }

    /// Waits until a checkpoint covers the position.
    private func signedLog(upTo position: Int, _ caller: Caller) async throws -> Checkpoint {
        let answer = try await eventually {
            try await caller.get("/v1/log/checkpoint")
        } is: {
            $0.status == 200 && (try? checkpoint($0.body).size >= Int64(position)) == true
        }
        return try checkpoint(answer.body)
    }

    private func hashes(_ json: JSONValue?) throws -> [MerkleHash] {
        try #require(json?.array).map { try #require(MerkleHash(base64: $0.string ?? "")) }
    }

    /// Checks a proof and returns its checkpoint.
    private func verify(_ json: JSONValue) throws -> Checkpoint {
        let signed = try checkpoint(json["checkpoint"]?.string ?? "")
        let proof = InclusionProof(
            index: try #require(json["leafIndex"]?.int64),
            size: try #require(json["size"]?.int64),
            hashes: try hashes(json["hashes"])
        )
        #expect(json["position"]?.int64 == proof.index + 1)
        #expect(signed.size == proof.size)
        let leaf = MerkleHash(leaf: Array((json["line"]?.string ?? "").utf8))
        #expect(proof.verifies(leaf: leaf, root: signed.root))
        return signed
    }

    @Test func aProofVerifiesWithTheKeyAlone() async throws {
        try await TestAPI.serve(signing: signing) { api in
            let caller = try await api.caller([.documents, .events, .evidence, .audit])
            var checkpoints: [Checkpoint] = []
            for sample in try Sample.all().prefix(4) {
                _ = try await caller.take(sample.vendor, sample.record)
                let last = try #require(try await api.events().last?.position)
                checkpoints.append(try await signedLog(upTo: Int(last), caller))
            }
            let key = try await caller.get("/v1/log/key").body
            #expect(key == keys.verifiers[0].text + "\n")

            let lines = try await api.events().map(\.recordLine)
            for (index, line) in lines.enumerated() {
                let answer = try await caller.get("/v1/events/\(index + 1)/proof")
                #expect(try answer.json["line"]?.string == line)
                let signed = try verify(answer.json)
                // The proof uses the first checkpoint that covers the event, so it never changes.
                let again = try await caller.get("/v1/events/\(index + 1)/proof")
                #expect(again.body == answer.body && signed.size > Int64(index))
                let tag = try #require(answer.fields["etag"])
                let same = try await caller.get("/v1/events/\(index + 1)/proof", ["If-None-Match": tag])
                #expect(same.status == 304)
            }

            let newest = try #require(checkpoints.last)
            #expect(newest.size == Int64(lines.count))
            for earlier in checkpoints {
                for target in ["from=\(earlier.size)", "from=\(earlier.size)&to=\(newest.size)"] {
                    let json = try await caller.get("/v1/log/consistency?\(target)").json
                    let proof = ConsistencyProof(
                        first: try #require(json["from"]?.int64),
                        second: try #require(json["to"]?.int64),
                        hashes: try hashes(json["hashes"])
                    )
                    #expect(proof.second == newest.size)
                    #expect(proof.verifies(firstRoot: earlier.root, secondRoot: newest.root))
                }
            }

            let tile = try await caller.get("/v1/log/tile/0/000.p/\(lines.count)")
            #expect(tile.response.bytes == lines.map { MerkleHash(leaf: Array($0.utf8)) }.concatenated)
            #expect(tile.fields["cache-control"] == "private, max-age=31536000, immutable")
            let first = try await caller.get("/v1/log/tile/0/000.p/1")
            #expect(first.response.bytes == Array(tile.response.bytes.prefix(32)))

            let log = try await caller.get("/v1/log").json
            #expect(log["origin"] == "log.test" && log["position"]?.int64 == newest.size)
            #expect(log["checkpoint"]?["root"]?.string == newest.root.base64)
            #expect(log["signing"] == ["state": "signing"])
            for path in ["/v1/log", "/v1/log/checkpoint", "/v1/log/key", "/v1/log/consistency", "/v1/events/1/proof"] {
                #expect(try await caller.send("HEAD", path).status == 200)
            }
        }
    }

    @Test func manyEventsHaveFullTiles() async throws {
        try await TestAPI.serve(signing: signing) { api in
            let caller = try await api.caller([.read])
            _ = try await api.ledger.sequencer.append(.sample("s", count: 600))
            let signed = try await signedLog(upTo: 600, caller)
            var tree = MerkleFrontier()
            for (path, count) in [("0/000", 256), ("0/001", 256), ("0/002.p/88", 88)] {
                let bytes = try await caller.get("/v1/log/tile/\(path)").response.bytes
                let hashes = try #require([MerkleHash](concatenated: bytes))
                #expect(hashes.count == count)
                for hash in hashes { tree.append(hash) }
            }
            #expect(tree.root == signed.root)
            #expect(try await caller.get("/v1/log/tile/1/000.p/2").response.bytes.count == 64)
            for position in [1, 256, 257, 512, 513, 600] {
                _ = try verify(await caller.get("/v1/events/\(position)/proof").json)
            }
        }
    }

    @Test func unknownEventsAndTilesAreNotFound() async throws {
        try await TestAPI.serve(signing: signing) { api in
            let caller = try await api.caller()
            let other = try await api.caller([.read], tenant: "other")
            _ = try await caller.take("bridgepay", Sample.named("MSR sale").record)
            let size = try await signedLog(upTo: 4, caller).size
            for position in ["0", "-1", "x", "5", "9223372036854775807", "9223372036854775808"] {
                #expect(try await caller.get("/v1/events/\(position)/proof").status == 404, "\(position)")
            }
            #expect(try await other.get("/v1/events/1/proof").status == 404)
            for tile in [
                "0/000", "0/001", "0/000.p/5", "0/000.p/0", "1/000", "1/000.p/1", "0/00", "8/000", "entries/000",
            ] {
                #expect(try await caller.get("/v1/log/tile/\(tile)").code == "not-found", "\(tile)")
            }
            #expect(try await caller.get("/v1/log/consistency?from=1&to=\(size + 1)").code == "not-found")
            #expect(try await caller.get("/v1/log/consistency?from=3&to=2").code == "invalid-parameter")
            let intake = try await api.caller([.documents, .events, .evidence])
            for path in [
                "/v1/log", "/v1/log/checkpoint", "/v1/log/key", "/v1/log/tile/0/000.p/1", "/v1/events/1/proof",
            ] {
                #expect(try await intake.get(path).code == "insufficient-scope")
                #expect(try await api.stranger.get(path).code == "unauthenticated")
            }
        }
    }

    @Test func withoutAKeyNothingIsSigned() async throws {
        try await TestAPI.serve { api in
            let caller = try await api.caller()
            let answer = try await caller.take("bridgepay", Sample.named("MSR sale").record)
            for path in ["/v1/log/checkpoint", "/v1/log/key", "/v1/log/consistency", "/v1/log/tile/0/000.p/1"] {
                #expect(try await caller.get(path).status == 404)
            }
            let early = try await caller.get("/v1/events/1/proof")
            #expect(early.code == "proof-not-ready" && early.fields["retry-after"] == "1")
            let off: JSONValue = ["state": "off", "reason": "there is no key file"]
            #expect(try await caller.get("/v1/log").json["signing"] == off)
            #expect(try await caller.get("/readyz").json["checkpoints"] == off)
            let id = try #require(answer["transaction"]?.string)
            let receipt = try await caller.get("/v1/transactions/\(id)/receipt?min_position=4")
            #expect(receipt.status == 200)
            #expect(try receipt.json["proof"] == nil)
        }
    }

    @Test func aReceiptCarriesItsProof() async throws {
        try await TestAPI.serve(signing: signing) { api in
            let caller = try await api.caller()
            let answer = try await caller.take("bridgepay", Sample.named("MSR sale").record)
            let id = try #require(answer["transaction"]?.string)
            _ = try await signedLog(upTo: 4, caller)
            let path = "/v1/transactions/\(id)/receipt"
            let receipt = try await caller.get("\(path)?min_position=4")
            let proof = try #require(try receipt.json["proof"])
            _ = try verify(proof)
            let event = try JSONValue(parsing: proof["line"]?.string ?? "")
            #expect(event["stream"]?.string == "transaction/\(id)")
            #expect(try event["version"] == receipt.json["version"])
            #expect(event["data"] != nil && event["position"]?.int64 == 4)
            let tag = try #require(receipt.fields["etag"])
            #expect(try await caller.get(path, ["If-None-Match": tag]).status == 304)
            #expect(try await caller.get(path, ["If-None-Match": "W/\"v4\""]).status == 200)
            // Later checkpoints do not change the proof. The text form has none.
            _ = try await api.ledger.sequencer.append(.sample("s", count: 3))
            _ = try await signedLog(upTo: 7, caller)
            let again = try await caller.get(path)
            #expect(again.body == receipt.body && again.fields["etag"] == tag)
            let text = try await caller.get(path, ["Accept": "text/plain"])
            #expect(!text.body.contains("log.test"))
            let earlier = try await caller.get("\(path)?as_of_position=2").json
            #expect(earlier["proof"]?["position"]?.int64 == 2)
            // Proofs are not part of a rebuilt read model.
            let rows = try await TestDatabase.psql("SELECT receipt FROM read_receipts.receipts", at: api.url)
            #expect(!rows.isEmpty && !rows.contains("proof"))
        }
    }

    /// The read model may name a position that is not the one of the receipt's last event.
    @Test func aProofIsOfTheEventWithTheVersionOfTheReceipt() async throws {
        try await TestAPI.serve(signing: signing) { api in
            let caller = try await api.caller()
            var ids: [String] = []
            for name in ["MSR sale", "EMV sale"] {
                ids.append(
                    try #require(try await caller.take("bridgepay", Sample.named(name).record)["transaction"]?.string)
                )
            }
            _ = try await signedLog(upTo: 8, caller)
            let path = "/v1/transactions/\(ids[0])/receipt"
            _ = try await caller.get("\(path)?min_position=8")
            func write(_ change: String) async throws {
                try await TestDatabase.psql(
                    "UPDATE read_receipts.receipts SET \(change) WHERE id = '\(ids[0])'",
                    at: api.url
                )
            }
            for change in [
                "receipt::jsonb - 'position'", "jsonb_set(receipt::jsonb, '{position}', '2')",
                "jsonb_set(receipt::jsonb, '{position}', '8')", "jsonb_set(receipt::jsonb, '{position}', '800')",
            ] {
                try await write("receipt = (\(change))::json")
                let proof = try #require(try await caller.get(path).json["proof"], "\(change)")
                #expect(proof["position"] == 4 && proof["line"]?.string?.contains("transaction/\(ids[0])") == true)
                _ = try verify(proof)
            }
            try await write("receipt = jsonb_set(receipt::jsonb, '{version}', '5')::json")
            let receipt = try await caller.get(path)
            #expect(receipt.status == 200)
            #expect(try receipt.json["proof"] == nil)
        }
    }

    /// Receipts that are asked for together are read together.
    @Test func manyReceiptsAtOnceCarryEachTheirOwnProof() async throws {
        try await TestAPI.serve(signing: signing) { api in
            let caller = try await api.caller()
            var ids: [String] = []
            for sample in try Sample.all().filter({ $0.vendor == "bridgepay" }).prefix(8) {
                if let id = try await caller.take(sample.vendor, sample.record)["transaction"]?.string {
                    ids.append(id)
                }
            }
            let position = try await api.events().count
            _ = try await signedLog(upTo: position, caller)
            let answers = try await withThrowingTaskGroup(of: (String, Answer).self) { group in
                for id in ids {
                    group.addTask {
                        (id, try await caller.get("/v1/transactions/\(id)/receipt?min_position=\(position)"))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.count == ids.count && ids.count > 2)
            for (id, answer) in answers {
                let proof = try #require(try answer.json["proof"])
                _ = try verify(proof)
                let event = try JSONValue(parsing: proof["line"]?.string ?? "")
                #expect(event["stream"]?.string == "transaction/\(id)")
                #expect(try event["version"] == answer.json["version"])
            }
        }
    }

    @Test func aChangedLogGivesNoProof() async throws {
        try await TestAPI.serve(signing: signing) { api in
            let caller = try await api.caller()
            let answer = try await caller.take("bridgepay", Sample.named("MSR sale").record)
            let id = try #require(answer["transaction"]?.string)
            _ = try await signedLog(upTo: 4, caller)
            _ = try await caller.get("/v1/transactions/\(id)?min_position=4")
            func tamper(_ sql: String) async throws {
                try await TestDatabase.psql("SET session_replication_role = replica; \(sql)", at: api.url)
            }
            try await tamper("UPDATE ledger.events SET actor = 'nobody' WHERE position = 4")
            let refused = try await caller.get("/v1/events/4/proof")
            #expect(refused.status == 500 && refused.code == "evidence-contradicted")
            #expect(try await caller.get("/v1/events/1/proof").status == 200)
            let receipt = try await caller.get("/v1/transactions/\(id)/receipt")
            #expect(receipt.status == 200)
            #expect(try receipt.json["proof"] == nil)

            try await tamper("UPDATE ledger.head SET frontier = set_byte(frontier, 7, 1 # get_byte(frontier, 7))")
            let ready = try await eventually {
                try await caller.get("/readyz")
            } is: {
                try $0.json["checkpoints"]?["state"] == "halted"
            }
            // Not retryable: an operator has to act.
            #expect(ready.status == 200)
            #expect(try ready.json["proof"]?["code"] == "log-damaged")
            let state = try await caller.get("/v1/log").json["signing"]
            #expect(state?["reason"]?.string == "the head of 4 events contradicts the tiles and leaves")
            #expect(api.log.lines.contains { $0.contains("the log is contradicted; nothing is appended or signed") })
        }
    }
}
