import DaybookTestKit
import Merkle
import Testing

@testable import EventLog

/// Tiles in memory, for proofs.
@Suite struct KeptTilesTests {
    @Test func tilesAreReadOnceAndWhenTheyHaveGrown() async throws {
        try await TestLog.with { log in
            try await log.append(300)
            let ids = [TileID(level: 0, index: 0), TileID(level: 0, index: 1)]
            let tiles = KeptTiles(LogTiles(pool: log.pool))
            func hashes(_ size: Int64) async throws -> [TileID: [MerkleHash]] {
                try await tiles.tiles(ids, size: size).mapValues(\.hashes)
            }
            let first = try await tiles.tiles(ids, size: 280)
            #expect(first[ids[0]]?.hashes.count == 256 && first[ids[1]]?.hashes.count == 24)
            // They come from memory for every smaller tree.
            let other = first.mapValues { Tile($0.hashes.reversed()) }
            tiles.keep(other)
            #expect(try await hashes(270) == other.mapValues(\.hashes))
            let grown = try await hashes(300)
            #expect(grown[ids[0]] == other[ids[0]]?.hashes && grown[ids[1]]?.count == 44)
            tiles.clear()
            #expect(tiles.count == 0)
            #expect(try await hashes(280)[ids[0]] == first[ids[0]]?.hashes)
        }
    }

    @Test func theyAreBounded() async throws {
        try await TestLog.with { log in
            for _ in 1...5 { try await log.append(220) }
            let tiles = KeptTiles(LogTiles(pool: log.pool), limit: 2)
            for index in 0..<4 { _ = try await tiles.tiles([TileID(level: 0, index: Int64(index))], size: 1100) }
            #expect(tiles.count <= 2)
        }
    }

    @Test func tilesOfAFormerEpochSpoilNoProof() async throws {
        try await TestLog.with { log in
            try await log.append(300)
            _ = try await log.checkpointer(try LogKeys.made()).step()
            let evidence = log.evidence
            let event = try #require(try await log.reader.events(after: 6, limit: 1).first)
            let proof = try #require(try await evidence.proof(of: event))
            #expect(try await evidence.proof(of: event) == proof)
            var foreign = try await LogTiles(pool: log.pool).tiles([TileID(level: 0, index: 0)], size: 300)
            foreign = foreign.mapValues { tile in
                var hashes = tile.hashes
                hashes.swapAt(0, 1)
                return Tile(hashes).withRoots()
            }
            evidence.kept.keep(foreign)
            #expect(try await evidence.proof(of: event) == proof)
            evidence.forget()
            #expect(try await evidence.proof(of: event) == proof)
        }
    }
}
