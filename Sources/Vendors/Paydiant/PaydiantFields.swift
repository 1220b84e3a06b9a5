import Canonical
import Payments

/// Several objects read as one: the arguments of a call, or all objects of its answer. The SDK distributes its fields
/// over several objects, and the module's page does not print their members, so a name is looked up in each.
struct PaydiantFields {
    /// The objects, the most specific first.
    let scopes: [Fields]

    init(scopes: [Fields]) { self.scopes = scopes }

    /// - Parameter roots: The objects; the objects that the SDK nests in each are read before it.
    init(_ roots: [Fields?]) {
        var scopes: [Fields] = []
        for case let root? in roots {
            for nested in Self.nested {
                // A value under such a name that is not an object is kept in the document and not read.
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

    /// The members of an answer: the objects passed to the block, then the response, then the members beside it.
    ///
    /// - Parameter isArgued: True if the call's arguments are beside the answer; they are excluded.
    init(answer: Fields?, in body: Fields, isArgued: Bool) {
        let objects = Array(PaydiantFields([body]).scopes.dropLast()) + PaydiantFields([answer]).scopes
        scopes = objects + [isArgued ? body.omitting(Self.arguments(in: body)) : body]
    }

    /// True if the block was called with an object.
    static func hasObject(_ body: Fields) -> Bool { PaydiantFields([body]).scopes.count > 1 }

    /// The members that contain the wallet's request. A list of accounts with codes is part of the answer, not of the
    /// request.
    private static func arguments(in body: Fields) -> Set<String> {
        let lists = (PaydiantDocument.accountNames + PaydiantDocument.offerNames).filter { name in
            !body.objects(name).contains { $0.has("paymentstatuscode") }
        }
        return Set(
            PaydiantTender.amountNames + PaydiantTender.tipNames + ["cashamount", "depositamount", "accounturi"] + lists
        )
    }

    private static let nested = [
        "paymenttransaction", "cashaccesstransaction", "transactioninformation", "transactiondetail",
        "transactionmetadata", "metadata", "pdpaymenttransaction", "pdcashaccesstransaction",
        "pdtransactioninformation", "pdtransactiondetail",
    ]

    var isEmpty: Bool { scopes.isEmpty }

    var pointer: String { scopes.first?.pointer ?? "" }

    func has(_ names: [String]) -> Bool { scopes.contains { scope in names.contains(where: scope.has) } }

    /// - Throws: as `Fields.text`.
    func text(_ names: String...) throws -> String? { try first(names) { try $0.text($1) } }

    /// - Throws: as `Fields.identifier`.
    func identifier(_ names: String...) throws -> String? { try first(names) { try $0.identifier($1) } }

    /// An identifier on which no fact depends: nil if it is invalid.
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

    /// The requested cash; nil if it is not there or cannot be read.
    func cash(in currency: Currency) -> Money? {
        var reader = FigureReader(currency: currency)
        return try? amount(["cashamount"], &reader)
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

    /// The first list of objects, under one of the names in one of the scopes, that is not empty.
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
