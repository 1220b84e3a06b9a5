import Canonical
import Payments

/// Several objects read as one: the arguments of a call, or everything its answer consists of. The SDK spreads what it
/// says over its objects, and the module's page does not print their members, so a name is looked for in each.
struct PaydiantFields {
    /// The most specific first.
    let scopes: [Fields]

    init(scopes: [Fields]) { self.scopes = scopes }

    /// - Parameter roots: Each is followed by the objects the SDK nests in it.
    init(_ roots: [Fields?]) {
        var scopes: [Fields] = []
        for case let root? in roots {
            for nested in Self.nested {
                // Something else under such a name is kept in the document and read by nobody.
                guard let inner = try? root.object(nested) else { continue }
                scopes.append(inner)
                for deeper in Self.nested {
                    if let innermost = try? inner.object(deeper) { scopes.append(innermost) }
                }
            }
            scopes.append(root)
        }
        self.scopes = scopes
    }

    /// The members of an answer: the objects the block was called with, then the response, then what stands beside it.
    ///
    /// - Parameter isArgued: True where the arguments of the call stand beside the answer; they are no part of it.
    init(answer: Fields?, in body: Fields, isArgued: Bool) {
        let objects = Array(PaydiantFields([body]).scopes.dropLast()) + PaydiantFields([answer]).scopes
        scopes = objects + [isArgued ? body.omitting(Self.arguments(in: body)) : body]
    }

    /// True where the block was called with an object of its own.
    static func hasObject(_ body: Fields) -> Bool { PaydiantFields([body]).scopes.count > 1 }

    /// The members that say what the wallet wants. A list of accounts says what they paid where it has codes.
    private static func arguments(in body: Fields) -> Set<String> {
        let lists = (PaydiantDocument.accountNames + PaydiantDocument.offerNames).filter { name in
            !body.objects(name).contains { $0.has("paymentstatuscode") }
        }
        return Set(PaydiantTender.amountNames + PaydiantTender.tipNames + ["cashamount", "accounturi"] + lists)
    }

    private static let nested = [
        "paymenttransaction", "cashaccesstransaction", "transactioninformation", "transactiondetail",
        "transactionmetadata", "metadata", "pdpaymenttransaction", "pdcashaccesstransaction",
        "pdtransactioninformation", "pdtransactiondetail",
    ]

    var isEmpty: Bool { scopes.isEmpty }

    /// Where the first of the objects is.
    var pointer: String { scopes.first?.pointer ?? "" }

    func has(_ names: [String]) -> Bool { scopes.contains { scope in names.contains(where: scope.has) } }

    /// - Throws: as `Fields.text`.
    func text(_ names: String...) throws -> String? { try first(names) { try $0.text($1) } }

    /// - Throws: as `Fields.identifier`.
    func identifier(_ names: String...) throws -> String? { try first(names) { try $0.identifier($1) } }

    /// An identifier no fact hangs on: nil where it cannot be one.
    func label(_ names: String...) -> String? { try? first(names) { try $0.identifier($1) } }

    /// - Throws: `malformedMoney`, `negativeAmount`, `amountTooLarge`.
    func amount(_ names: [String], _ reader: inout FigureReader) throws -> Money? {
        for scope in scopes {
            for name in names where scope.has(name) {
                if let money = try reader.decimal(scope, name, as: String(scope.pointer(to: name).dropFirst())) {
                    return money
                }
            }
        }
        return nil
    }

    /// The first of the names that is in any of the objects.
    ///
    /// - Throws: as `amount`.
    func amount(inOrder names: [String], _ reader: inout FigureReader) throws -> Money? {
        for name in names {
            if let money = try amount([name], &reader) { return money }
        }
        return nil
    }

    /// Every object listed under one of the names in any of the objects.
    func objects(_ names: [String]) -> [Fields] {
        for scope in scopes {
            for name in names {
                let list = scope.objects(name)
                if !list.isEmpty { return list }
            }
        }
        return []
    }

    private func first<Value>(_ names: [String], _ read: (Fields, String) throws -> Value?) throws -> Value? {
        for scope in scopes {
            for name in names where scope.has(name) {
                if let value = try read(scope, name) { return value }
            }
        }
        return nil
    }
}
