import Canonical
import Operations

/// A page of a list, as --json prints it.
struct ListAnswer: Encodable {
    var items: [JSONValue]
    var asOfPosition: Int64?
    var next: String?
    var more: Bool

    init(_ page: ListPage, asOfPosition: Int64? = nil) throws {
        items = try page.items(as: JSONValue.self)
        self.asOfPosition = asOfPosition
        next = page.next?.text
        more = page.next != nil
    }
}
