import Canonical
import DaybookTestKit
import Postgres
import Testing

/// Round trips of values, checked against the server's own text form.
@Suite struct ValueTests {
    private static let uuid = UUID128(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)

    @Test func extremesOfEveryTypeComeBack() async throws {
        let cases: [(PostgresValue, String, String)] = [
            (.bool(true), "bool", "true"), (.bool(false), "bool", "false"),
            (.int16(.min), "int2", "-32768"), (.int16(.max), "int2", "32767"),
            (.int32(.min), "int4", "-2147483648"), (.int32(.max), "int4", "2147483647"),
            (.int64(.min), "int8", "-9223372036854775808"), (.int64(.max), "int8", "9223372036854775807"),
            (.text(""), "text", ""), (.text("ä 漢 🃏 ' \\ \"\n\t\u{1}"), "text", "ä 漢 🃏 ' \\ \"\n\t\u{1}"),
            (.json(#"{"b": 1, "a":  [1e400, null]}"#), "json", #"{"b": 1, "a":  [1e400, null]}"#),
            (.jsonb(#"{"b":1,"a":"x"}"#), "jsonb", #"{"a": "x", "b": 1}"#),
            (.bytea([]), "bytea", #"\x"#), (.bytea([0, 1, 0x7f, 0x80, 0xff]), "bytea", #"\x00017f80ff"#),
            (.timestamptz(.earliest), "timestamptz", "0001-01-01 00:00:00+00"),
            (.timestamptz(.latest), "timestamptz", "9999-12-31 23:59:59.999999+00"),
            (.timestamptz(Timestamp(microsecondsSince1970: -1)), "timestamptz", "1969-12-31 23:59:59.999999+00"),
            (.uuid(Self.uuid), "uuid", "01234567-89ab-cdef-fedc-ba9876543210"),
            (.boolArray([true, nil, false]), "bool[]", "{t,NULL,f}"),
            (.int16Array([.min, nil, .max]), "int2[]", "{-32768,NULL,32767}"),
            (.int32Array([.min, nil, .max]), "int4[]", "{-2147483648,NULL,2147483647}"),
            (.int64Array([.min, nil]), "int8[]", "{-9223372036854775808,NULL}"),
            (.textArray(["", nil, "a,\"b"]), "text[]", #"{"",NULL,"a,\"b"}"#),
            (.jsonArray(["1", nil]), "json[]", "{1,NULL}"), (.jsonbArray(["[ 1]", nil]), "jsonb[]", "{[1],NULL}"),
            (.byteaArray([[], nil, [255]]), "bytea[]", #"{"\\x",NULL,"\\xff"}"#),
            (.uuidArray([Self.uuid, nil]), "uuid[]", "{01234567-89ab-cdef-fedc-ba9876543210,NULL}"),
            (.timestamptzArray([.earliest, nil]), "timestamptz[]", #"{"0001-01-01 00:00:00+00",NULL}"#),
            (.boolArray([]), "bool[]", "{}"), (.int64Array([]), "int8[]", "{}"), (.textArray([]), "text[]", "{}"),
            (.byteaArray([]), "bytea[]", "{}"), (.uuidArray([]), "uuid[]", "{}"), (.jsonbArray([]), "jsonb[]", "{}"),
        ]
        try await withConnection { connection in
            for (value, type, text) in cases {
                let row = try await connection.query("SELECT $1::\(type), ($1::\(type))::text", [value]).single()
                #expect(try row.text(1) == text, "\(type)")
                let returned = try row.read(like: value)
                // The server returns jsonb in its own spelling.
                if type.hasPrefix("jsonb") { continue }
                #expect(returned == value, "\(type)")
            }
            let row = try await connection.query(
                "SELECT $1::jsonb, $2::jsonb[]",
                [.jsonb("[1]"), .jsonbArray(["2", nil])]
            )
            .single()
            #expect(try row.text(0) == "[1]")
            #expect(try row.array(1, of: String.self) == ["2", nil])
        }
    }

    @Test func nullIsNeverAValue() async throws {
        try await withConnection { connection in
            let types = [
                "bool", "int2", "int4", "int8", "text", "json", "jsonb", "bytea", "timestamptz", "uuid", "int8[]",
            ]
            let fields = types.enumerated().map { "$\($0 + 1)::\($1)" }.joined(separator: ", ")
            let row = try await connection.query("SELECT \(fields)", types.map { _ in .null }).single()
            #expect(try row.boolOrNull(0) == nil)
            #expect(try row.int16OrNull(1) == nil)
            #expect(try row.int32OrNull(2) == nil)
            #expect(try row.int64OrNull(3) == nil)
            for column in 4...6 { #expect(try row.textOrNull(column) == nil) }
            #expect(try row.bytesOrNull(7) == nil)
            #expect(try row.timestampOrNull(8) == nil)
            #expect(try row.uuidOrNull(9) == nil)
            #expect(try row.arrayOrNull(10, of: Int64.self) == nil)
            for column in types.indices { #expect(try row.isNull(column)) }
            #expect(throws: PostgresError(.unexpectedNull, resultColumn: "int8")) { try row.int64(3) }
        }
    }

    @Test func aValueOfAnotherTypeIsRefused() async throws {
        try await withConnection { connection in
            let row = try await connection.query(
                """
                SELECT 1::int8 AS big, 1::int2 AS small, 'infinity'::timestamptz AS ever, '{{1},{2}}'::int8[] AS square,
                       1.5::float8 AS float, '0001-01-01 BC'::timestamptz AS before
                """
            ).single()
            #expect(try row.int64("small") == 1)
            #expect(try row.int32("small") == 1)
            func code(_ body: () throws -> Void) -> PostgresError.Code? {
                do { try body() } catch { return (error as? PostgresError)?.code }
                return nil
            }
            #expect(code { _ = try row.int32("big") } == .typeMismatch)
            #expect(code { _ = try row.text("big") } == .typeMismatch)
            #expect(code { _ = try row.bool("big") } == .typeMismatch)
            #expect(code { _ = try row.text("float") } == .typeMismatch)
            #expect(code { _ = try row.timestamp("ever") } == .valueOutOfRange)
            #expect(code { _ = try row.timestamp("before") } == .valueOutOfRange)
            #expect(code { _ = try row.array("square", of: Int64.self) } == .malformedValue)
            #expect(code { _ = try row.array("big", of: Int64.self) } == .typeMismatch)
            #expect(code { _ = try row.int64("absent") } == .noSuchColumn)
            #expect(code { _ = try row.int64(6) } == .noSuchColumn)
            #expect(code { _ = try row.int64(-1) } == .noSuchColumn)
        }
    }

    @Test func numericIsReadAsTheServerPrintsIt() async throws {
        let texts = [
            "0", "0.00", "1", "-1", "10000", "9999", "100000000", "0.0001", "0.00001", "-0.5", "12345.67890",
            "1e20", "1e-20", "123456789012345678901234567890.123456789", "NaN", "Infinity", "-Infinity",
        ]
        try await withConnection { connection in
            let rows = try await connection.query(
                "SELECT t::numeric, t::numeric::text FROM unnest($1) AS t",
                [.textArray(texts)]
            )
            #expect(rows.count == texts.count)
            for row in rows { #expect(try row.text(0) == row.text(1)) }
        }
    }

    @Test func randomValuesComeBack() async throws {
        var random = SeededGenerator.forTest()
        try await withConnection { connection in
            for _ in 0..<300 {
                let values = (0..<4).map { _ in PostgresValue.random(&random) }
                let row = try await connection.query("SELECT $1, $2, $3, $4", values).single()
                for (column, value) in values.enumerated() {
                    #expect(try row.read(like: value, column) == value, "seed \(random.seed)")
                }
            }
        }
    }

    @Test func listsInRowsComeBack() async throws {
        let lists: [[String]] = [
            [], [""], ["", "NULL", "null"], ["a", "{b}", "c,d", "\"e\"", "\\f\\"], [" g ", "\u{1}\t\r\nh", "漢 🃏 é"],
        ]
        var texts = PostgresArrayBuilder.text()
        for list in lists { texts.append(PostgresListText(list).bytes) }
        try await withConnection { connection in
            let rows = try await connection.query(
                "SELECT list::text[] FROM unnest($1::text[]) WITH ORDINALITY AS l (list, place) ORDER BY place",
                [.array(texts)]
            )
            let found: [[String?]] = try rows.map { try $0.array(0) }
            #expect(found == lists)
        }
    }

    @Test func textThatTheServerCannotHoldIsRefusedBeforeItIsSent() async throws {
        try await withConnection { connection in
            let values: [PostgresValue] = [.text("a\0b"), .json("\"\0\""), .jsonb("\0"), .textArray(["a", "\0"])]
            for value in values {
                #expect(await failure { try await connection.query("SELECT $1", [value]) }?.code == .textContainsNUL)
            }
            #expect(await failure { try await connection.query("SELECT 1\0") }?.code == .textContainsNUL)
            #expect(await failure { try await connection.script("SELECT 1\0") }?.code == .textContainsNUL)
            let tooMany = [PostgresValue](repeating: .int16(1), count: 65_536)
            #expect(await failure { try await connection.query("SELECT 1", tooMany) }?.code == .parameterTooLarge)
            let next = try await connection.query("SELECT 1").single().int32(0)
            #expect(next == 1)
        }
    }

    @Test func sessionsSpeakUTF8AndUTC() async throws {
        try await withConnection { connection in
            let row = try await connection.query(
                """
                SELECT current_setting('client_encoding'), current_setting('TimeZone'),
                       current_setting('application_name')
                """
            ).single()
            #expect(try (0..<3).map { try row.text($0) } == ["UTF8", "UTC", "daybook"])
        }
    }

    @Test func commitsAreDurableDespiteTheDatabasesSettings() async throws {
        try await withTestDatabase { url in
            try await TestDatabase.psql(
                """
                DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database()); END$$
                """,
                at: url
            )
            let connection = try await PostgresConnection.connect(PostgresConfiguration(connectionString: url))
            #expect(try await connection.query("SHOW synchronous_commit").single().text(0) == "on")
        }
    }
}

extension PostgresRow {
    /// The field, read as the type of `value`.
    func read(like value: PostgresValue, _ column: Int = 0) throws -> PostgresValue {
        switch value {
        case .null: try isNull(column) ? .null : .bool(false)
        case .bool: .bool(try bool(column))
        case .int16: .int16(try int16(column))
        case .int32: .int32(try int32(column))
        case .int64: .int64(try int64(column))
        case .text: .text(try text(column))
        case .json: .json(try text(column))
        case .jsonb: .jsonb(try text(column))
        case .bytea: .bytea(try bytes(column))
        case .timestamptz: .timestamptz(try timestamp(column))
        case .uuid: .uuid(try uuid(column))
        case .boolArray: .boolArray(try array(column))
        case .int16Array: .int16Array(try array(column))
        case .int32Array: .int32Array(try array(column))
        case .int64Array: .int64Array(try array(column))
        case .textArray: .textArray(try array(column))
        case .jsonArray: .jsonArray(try array(column))
        case .jsonbArray: .jsonbArray(try array(column))
        case .byteaArray: .byteaArray(try bytesArray(column))
        case .timestamptzArray: .timestamptzArray(try array(column))
        case .uuidArray: .uuidArray(try array(column))
        case .array: try arrayElements(column)
        }
    }

    /// A built array, read as an array of its kind.
    private func arrayElements(_ column: Int) throws -> PostgresValue {
        if let texts: [String?] = try? array(column) { return .textArray(texts) }
        return .int64Array(try array(column))
    }
}

extension PostgresValue {
    /// A value of any type except jsonb, whose spelling the server changes, and NULL, whose type it cannot infer.
    static func random(_ random: inout SeededGenerator) -> PostgresValue {
        func array<T>(_ make: (inout SeededGenerator) -> T) -> [T?] {
            (0..<Int.random(in: 0...20, using: &random)).map { _ in
                Int.random(in: 0..<5, using: &random) == 0 ? nil : make(&random)
            }
        }
        func bytes(_ random: inout SeededGenerator) -> [UInt8] {
            (0..<Int.random(in: 0...300, using: &random)).map { _ in .random(in: 0...255, using: &random) }
        }
        func text(_ random: inout SeededGenerator) -> String {
            let scalars = (0..<Int.random(in: 0...200, using: &random)).compactMap { _ in
                UnicodeScalar(UInt32.random(in: 1...0x10ffff, using: &random))
            }
            return String(String.UnicodeScalarView(scalars))
        }
        func timestamp(_ random: inout SeededGenerator) -> Timestamp {
            let range = Timestamp.earliest.microsecondsSince1970...Timestamp.latest.microsecondsSince1970
            return Timestamp(microsecondsSince1970: .random(in: range, using: &random))
        }
        func uuid(_ random: inout SeededGenerator) -> UUID128 { UUID128(high: random.next(), low: random.next()) }
        func json(_ random: inout SeededGenerator) -> String { "[\(Int64.random(in: .min ... .max, using: &random)) ]" }
        switch Int.random(in: 0..<18, using: &random) {
        case 0: return .bool(.random(using: &random))
        case 1: return .int16(.random(in: .min ... .max, using: &random))
        case 2: return .int32(.random(in: .min ... .max, using: &random))
        case 3: return .int64(.random(in: .min ... .max, using: &random))
        case 4: return .text(text(&random))
        case 5: return .json(json(&random))
        case 6: return .bytea(bytes(&random))
        case 7: return .timestamptz(timestamp(&random))
        case 8: return .uuid(uuid(&random))
        case 9: return .boolArray(array { .random(using: &$0) })
        case 10: return .int16Array(array { .random(in: .min ... .max, using: &$0) })
        case 11: return .int32Array(array { .random(in: .min ... .max, using: &$0) })
        case 12: return .int64Array(array { .random(in: .min ... .max, using: &$0) })
        case 13: return .textArray(array(text))
        case 14: return .jsonArray(array(json))
        case 15: return .byteaArray(array(bytes))
        case 16: return .timestamptzArray(array(timestamp))
        default: return .uuidArray(array(uuid))
        }
    }
}
