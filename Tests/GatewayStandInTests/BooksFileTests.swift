import Canonical
import DaybookTestKit
import Foundation
import Simulator
import Testing

@testable import GatewayStandIn

@Suite("Books in a file")
struct BooksFileTests {
    @Test("Books survive a restart: payments are found, numbers continue, duplicates are recognised")
    func restart() async throws {
        try await withTemporaryDirectory { directory in
            let books = directory + "/books.ndjson"
            let first = try await withStandIn(books: books) { standIn in
                _ = try await standIn.ask(.dejavoo, Wire.spin("Sale", #""ReferenceId":"r1","Amount":5"#))
                return try Wire.fields(try await standIn.ask(.bridgepay, Wire.sale()))
            }
            try await withStandIn(books: books) { standIn in
                let find = Wire.bridgeComm("023", "f1", ["InvoiceNum": "INV1"])
                #expect(
                    try Wire.fields(try await standIn.ask(.bridgepay, find))["GatewayTransID"]
                        == first["GatewayTransID"]
                )
                let again = try Wire.fields(try await standIn.ask(.bridgepay, Wire.sale("t2")))
                #expect(again["GatewayMessage"]?.hasPrefix("D09") == true)
                let spin = try Wire.json(
                    try await standIn.ask(.dejavoo, Wire.spin("Sale", #""ReferenceId":"r1","Amount":5"#))
                )
                #expect(spin["GeneralResponse"]?["StatusCode"]?.string == "1011")
                let next = try Wire.fields(try await standIn.ask(.bridgepay, Wire.sale("t3", invoice: "B")))
                #expect(next["GatewayTransID"] != first["GatewayTransID"])
            }
            let read = try GatewayBooks(ndjson: Array(try Data(contentsOf: URL(filePath: books))))
            #expect(read.payments.count == 3)
            #expect(read.refusedRepeats() == 2)
            #expect(!(try String(contentsOfFile: books, encoding: .utf8).contains("4111111111111111")))
        }
    }

    @Test("A truncated line is removed before the next one is written")
    func cutOff() async throws {
        try await withTemporaryDirectory { directory in
            let books = directory + "/books.ndjson"
            try await withStandIn(books: books) { _ = try await $0.ask(.bridgepay, Wire.sale()) }
            let file = try FileHandle(forWritingTo: URL(filePath: books))
            try file.seekToEnd()
            try file.write(contentsOf: Data(#"{"entry":"payment","gate"#.utf8))
            try file.close()
            try await withStandIn(books: books) { _ = try await $0.ask(.bridgepay, Wire.sale("t2", invoice: "B")) }
            #expect(try GatewayBooks(ndjson: Array(try Data(contentsOf: URL(filePath: books)))).payments.count == 2)
        }
    }

    @Test("Books in use, unreadable books and books of another kind are refused")
    func refused() async throws {
        try await withTemporaryDirectory { directory in
            let options = GatewayOptions()
            let books = directory + "/books.ndjson"
            let keeper = try await Bookkeeper(options: options, path: books)
            await #expect(throws: BooksProblem(path: books, reason: "another process keeps these books")) {
                try await Bookkeeper(options: options, path: books)
            }
            #expect(await keeper.read { $0.payments.isEmpty })
            try Data("{\"entry\":\"x\"}\n".utf8).write(to: URL(filePath: directory + "/other"))
            for path in [directory + "/other", directory + "/none/books", directory, "/dev/zero"] {
                await #expect(throws: BooksProblem.self) { try await Bookkeeper(options: options, path: path) }
            }
        }
    }
}
