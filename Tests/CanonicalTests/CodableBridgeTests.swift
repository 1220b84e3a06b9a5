import Canonical
import Testing

@Suite("Encoding and decoding through JSON values")
struct CodableBridgeTests {
    private struct Everything: Codable, Equatable {
        enum Kind: String, Codable { case first, second }
        enum Payload: Codable, Equatable {
            case empty
            case pair(Int, name: String)
        }
        struct Part: Codable, Equatable {
            var id: UUID128
            var at: Timestamp?
        }

        var zebra = "z"
        var apple = true
        var int = Int.min
        var int8 = Int8.min
        var int16 = Int16.max
        var int32 = Int32.min
        var int64 = Int64.max
        var uint = UInt.max
        var uint8 = UInt8.max
        var uint16 = UInt16.max
        var uint32 = UInt32.max
        var uint64 = UInt64.max
        var absent: String?
        var present: Int? = 5
        var kind = Kind.second
        var payloads: [Payload] = [.empty, .pair(1, name: "x")]
        var parts = [Part(id: UUID128(high: 1, low: 2), at: nil)]
        var grid: [[Int?]] = [[1, nil], []]
        var table: [String: Part] = ["k": Part(id: UUID128(high: 3, low: 4), at: .latest)]
        var json: JSONValue = ["z": 1, "a": [.null, "x"]]
        var object: JSONObject = ["b": .null]
        var number = JSONNumber(literal: "1.50e3")
    }

    @Test("Members are in the order of their declaration, integers are exact, JSON is included verbatim")
    func encoding() throws {
        let json = try JSONValueEncoder().encode(Everything())
        #expect(
            json.text == #"{"zebra":"z","apple":true,"int":-9223372036854775808,"int8":-128,"int16":32767,"#
                + #""int32":-2147483648,"int64":9223372036854775807,"uint":18446744073709551615,"uint8":255,"#
                + #""uint16":65535,"uint32":4294967295,"uint64":18446744073709551615,"present":5,"kind":"second","#
                + #""payloads":[{"empty":{}},{"pair":{"_0":1,"name":"x"}}],"#
                + #""parts":[{"id":"00000000-0000-0001-0000-000000000002"}],"grid":[[1,null],[]],"#
                + #""table":{"k":{"id":"00000000-0000-0003-0000-000000000004","at":"9999-12-31T23:59:59.999999Z"}},"#
                + #""json":{"z":1,"a":[null,"x"]},"object":{"b":null},"number":1.50e3}"#
        )
        #expect(try JSONValueDecoder().decode(Everything.self, from: json) == Everything())
        // An enumeration with values uses nested containers.
        #expect(JSONTextEncoder().written(Everything()) == nil)
        #expect(try Everything().jsonText() == json.text)
        var plain = Everything()
        plain.payloads = []
        #expect(JSONTextEncoder().written(plain) == Array(try plain.jsonValue().text.utf8))
    }

    @Test("Text is written as the value's text is")
    func texts() throws {
        struct Twice: Encodable {
            enum Key: CodingKey { case a, b }
            func encode(to encoder: any Encoder) throws {
                var members = encoder.container(keyedBy: Key.self)
                try members.encode(1, forKey: .a)
                try Part().encode(to: encoder)
            }
            struct Part: Encodable { var b = "x" }
        }
        struct Nothing: Encodable { func encode(to encoder: any Encoder) {} }
        struct Late: Encodable {
            enum Key: CodingKey { case a, b }
            func encode(to encoder: any Encoder) throws {
                var members = encoder.container(keyedBy: Key.self)
                var inner = members.nestedUnkeyedContainer(forKey: .a)
                try members.encode(1, forKey: .b)
                try inner.encode(2)
            }
        }
        func expect(_ value: some Encodable, writes text: String, inOnePass: Bool = true) throws {
            #expect(try value.jsonValue().text == text)
            #expect(try value.jsonText() == text)
            #expect((JSONTextEncoder().written(value) != nil) == inOnePass)
        }
        try expect("a\"\n\u{1}é", writes: #""a\"\n\u0001é""#)
        try expect(Int?.none, writes: "null")
        try expect([[Int?]]([[1, nil], []]), writes: "[[1,null],[]]")
        try expect(StoredJSON(#"{"a":1.0}"#), writes: #"{"a":1.0}"#)
        try expect([StoredJSON("1"), StoredJSON("[2]")], writes: "[1,[2]]")
        try expect(["é\"": JSONValue.array([.null, .bool(false)])], writes: #"{"é\"":[null,false]}"#)
        try expect([String: Int](), writes: "{}")
        try expect(Twice(), writes: #"{"a":1,"b":"x"}"#)
        try expect(Late(), writes: #"{"a":[2],"b":1}"#, inOnePass: false)
        #expect(throws: EncodingError.self) { try Nothing().jsonText() }
        #expect(throws: EncodingError.self) { try [Nothing()].jsonText() }
        #expect(throws: EncodingError.self) { try [77.5].jsonText() }
        #expect(throws: EncodingError.self) { try ["a": 77.5 as Float].jsonText() }
    }

    @Test("Members that are not read are ignored")
    func unknownMembers() throws {
        let json: JSONValue = ["new": ["x": 1], "id": "00000000-0000-0001-0000-000000000002", "other": .null]
        let part = try JSONValueDecoder().decode(Everything.Part.self, from: json)
        #expect(part == Everything.Part(id: UUID128(high: 1, low: 2), at: nil))
    }

    @Test("Values at the top", arguments: ["5", "\"x\"", "true", "null", "[1]", "{\"a\":1.0}"])
    func topLevel(text: String) throws {
        let json = try JSONValue(parsing: text)
        #expect(try JSONValueEncoder().encode(json) == json)
        #expect(try JSONValueDecoder().decode(JSONValue.self, from: json) == json)
    }

    @Test("An optional at the top")
    func optional() throws {
        #expect(try JSONValueEncoder().encode(Int?.none) == .null)
        #expect(try JSONValueDecoder().decode(Int?.self, from: .null) == nil)
        #expect(try JSONValueDecoder().decode(Int?.self, from: 3) == 3)
    }

    @Test("Integers that do not fit, or are not written as such, are refused")
    func integers() throws {
        let decoder = JSONValueDecoder()
        func isRefused<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Bool {
            let json = try JSONValue(parsing: text)
            do {
                _ = try decoder.decode(type, from: json)
                return false
            } catch DecodingError.dataCorrupted {
                return true
            }
        }
        #expect(try isRefused(Int8.self, "128") && !isRefused(Int8.self, "127"))
        #expect(try isRefused(UInt8.self, "-1") && isRefused(UInt8.self, "256"))
        #expect(try isRefused(UInt64.self, "18446744073709551616") && !isRefused(UInt64.self, "18446744073709551615"))
        #expect(try isRefused(Int64.self, "9223372036854775808") && isRefused(UInt.self, "-5"))
        #expect(try isRefused(Int.self, "1.0") && isRefused(Int.self, "1e3") && !isRefused(UInt.self, "-0"))
    }

    @Test("Floating point is refused at every place, both ways")
    func floatingPoint() throws {
        struct Holder<Value: Codable>: Codable { var value: Value }
        func refuses(_ value: some Codable) {
            let error = #expect(throws: EncodingError.self) { try JSONValueEncoder().encode(value) }
            #expect(error.map { "\($0)" }?.contains("77") == false)
        }
        refuses(77.5)
        refuses(77.5 as Float)
        refuses([77.5])
        refuses([77.5 as Float])
        refuses(Holder(value: 77.5))
        refuses(Holder(value: 77.5 as Float))
        refuses(["a": Holder(value: [77.5])])
        let decoder = JSONValueDecoder()
        #expect(throws: DecodingError.self) { try decoder.decode(Double.self, from: 1) }
        #expect(throws: DecodingError.self) { try decoder.decode([Float].self, from: [1]) }
        #expect(throws: DecodingError.self) { try decoder.decode(Holder<Double>.self, from: ["value": 1]) }
        #expect(throws: DecodingError.self) { try decoder.decode(Holder<Float>.self, from: ["value": 1]) }
    }

    @Test("A refusal has the type and the path, and none of the values")
    func errorsHoldNoData() throws {
        let good = try JSONValueEncoder().encode(Everything())
        let damages: [([JSONValue], String)] = [
            (["secret-4111", 4111, .null, ["secret-4111"]], "int8"), (["secret-4111", .null, 4111], "kind"),
            (["secret-4111", 4111], "parts"), ([["a", "secret-4111"]], "grid"), (["secret-4111", .null], "apple"),
            ([4111, .null, ["secret-4111"]], "zebra"), (["secret-4111"], "object"), (["secret-4111"], "number"),
            ([["secret-4111"], [["secret-4111": [:]]]], "payloads"), ([[["id": "secret-4111"]]], "parts"),
        ]
        for (values, key) in damages {
            for value in values {
                var damaged = try #require(good.object)
                damaged[key] = value
                do {
                    _ = try JSONValueDecoder().decode(Everything.self, from: .object(damaged))
                    Issue.record("\(key) was read")
                } catch let error as DecodingError {
                    #expect(error.path.first == key)
                    #expect(!String(reflecting: error).contains("4111"), "\(error)")
                }
            }
        }
    }

    @Test("The reason that a type states for its own form is kept")
    func statedReason() {
        let json: JSONValue = ["id": "00000000-0000-0001-0000-000000000002", "at": "noon"]
        do {
            _ = try JSONValueDecoder().decode(Everything.Part.self, from: json)
            Issue.record("noon was read")
        } catch DecodingError.dataCorrupted(let context) {
            #expect(context.debugDescription == "A timestamp by RFC 3339 is expected.")
            #expect(context.codingPath.map(\.stringValue) == ["at"])
            #expect(context.underlyingError == nil)
        } catch {
            Issue.record(error)
        }
    }

    @Test("Missing members and null are distinguished")
    func missing() throws {
        let decoder = JSONValueDecoder()
        func failure(_ json: JSONValue) throws -> String {
            do {
                _ = try decoder.decode(Everything.Part.self, from: json)
                return "none"
            } catch DecodingError.keyNotFound(let key, _) {
                return "missing \(key.stringValue)"
            } catch DecodingError.valueNotFound(_, let context) {
                return "null \(context.codingPath.map(\.stringValue))"
            } catch DecodingError.typeMismatch {
                return "mismatch"
            }
        }
        #expect(try failure([:]) == "missing id")
        #expect(try failure(["id": .null]) == "null [\"id\"]")
        #expect(try failure(["id": 5]) == "mismatch")
        #expect(try failure([]) == "mismatch")
        #expect(try failure(["id": "00000000-0000-0001-0000-000000000002", "at": .null]) == "none")
    }

    @Test("Elements are read one by one, and not past the end")
    func unkeyed() throws {
        struct Row: Decodable, Equatable {
            var texts: [String] = []
            init(from decoder: any Decoder) throws {
                var container = try decoder.unkeyedContainer()
                #expect(container.count == 4)
                if try container.decodeNil() { texts.append("null") }
                #expect(try !container.decodeNil())
                // An element that cannot be read stays, and can be read as another type.
                #expect(throws: DecodingError.self) { try container.decode(Int.self) }
                #expect(container.currentIndex == 1)
                texts.append(try container.decode(String.self))
                var nested = try container.nestedUnkeyedContainer()
                texts.append("\(try nested.decode(Int8.self))")
                #expect(throws: DecodingError.self) { try nested.decode(Int8.self) }
                #expect(throws: DecodingError.self) { try nested.decodeNil() }
                let keyed = try container.nestedContainer(keyedBy: Key.self)
                texts.append(keyed.allKeys.map(\.stringValue).joined())
                #expect(container.isAtEnd)
            }
        }
        let row = try JSONValueDecoder().decode(Row.self, from: [.null, "x", [7], ["b": 1, "a": 2]])
        #expect(row.texts == ["null", "x", "7", "ba"])
    }

    @Test("Nested containers keep the order, and are the same when requested twice")
    func nestedContainers() throws {
        struct Nested: Encodable {
            func encode(to encoder: any Encoder) throws {
                var outer = encoder.container(keyedBy: Key.self)
                var first = outer.nestedContainer(keyedBy: Key.self, forKey: "first")
                try outer.encode(1, forKey: "second")
                var list = outer.nestedUnkeyedContainer(forKey: "third")
                try first.encode("late", forKey: "x")
                try list.encode(true)
                #expect(list.count == 1)
                var inner = list.nestedContainer(keyedBy: Key.self)
                try inner.encodeNil(forKey: "n")
                var deep = list.nestedUnkeyedContainer()
                try deep.encodeNil()
                try deep.encode("d")
                var again = outer.nestedContainer(keyedBy: Key.self, forKey: "first")
                try again.encode("later", forKey: "y")
                try outer.encode("replaced", forKey: "second")
                var other = encoder.container(keyedBy: Key.self)
                try other.encode("same object", forKey: "fourth")
            }
        }
        #expect(
            try JSONValueEncoder().encode(Nested()).text
                == #"{"first":{"x":"late","y":"later"},"second":"replaced","third":[true,{"n":null},[null,"d"]],"#
                + #""fourth":"same object"}"#
        )
    }

    @Test("Superclasses have a separate place")
    func superclasses() throws {
        class Base: Codable {
            var base = 1
            init() {}
        }
        final class Derived: Base {
            var derived = "d"
            override init() { super.init() }
            required init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                derived = try container.decode(String.self, forKey: "derived")
                try super.init(from: container.superDecoder())
            }
            override func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                try super.encode(to: container.superEncoder())
                try container.encode(derived, forKey: "derived")
                _ = container.superEncoder(forKey: "unused")
            }
        }
        let value = Derived()
        value.base = 7
        let json = try JSONValueEncoder().encode(value)
        #expect(json.text == #"{"super":{"base":7},"derived":"d","unused":{}}"#)
        let decoded = try JSONValueDecoder().decode(Derived.self, from: json)
        #expect(decoded.base == 7 && decoded.derived == "d")
        #expect(throws: DecodingError.self) { try JSONValueDecoder().decode(Derived.self, from: ["derived": "d"]) }
    }

    @Test("A value that encodes nothing is refused")
    func nothing() {
        struct Silent: Encodable { func encode(to encoder: any Encoder) {} }
        #expect(throws: EncodingError.self) { try JSONValueEncoder().encode(Silent()) }
        #expect(throws: EncodingError.self) { try JSONValueEncoder().encode([Silent()]) }
        struct Empty: Encodable {}
        #expect(throws: Never.self) { try JSONValueEncoder().encode(Empty()).text == "{}" }
    }

    @Test("A large dictionary is encoded with each key once")
    func largeDictionary() throws {
        let table = Dictionary(uniqueKeysWithValues: (0..<5000).map { ("key \($0)", $0) })
        let json = try JSONValueEncoder().encode(table)
        #expect(json.object?.count == 5000)
        #expect(try JSONValueDecoder().decode([String: Int].self, from: json) == table)
    }

    private struct Key: CodingKey, ExpressibleByStringLiteral {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init(stringLiteral value: String) { stringValue = value }
        init?(intValue: Int) { nil }
    }
}

extension DecodingError {
    /// The keys of the coding path.
    fileprivate var path: [String] {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath.map(\.stringValue)
        @unknown default: []
        }
    }
}
