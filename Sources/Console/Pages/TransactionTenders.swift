import Operations
import Payments

extension WebConsole {
    /// The accepted and refused tenders of a payment, and the offers of its wallet; nil if there are none.
    func tenders(_ item: TransactionJSON) -> Table? {
        let accepted = (item.tenders ?? []).map { tender -> [Cell] in
            [
                Cell(tender.cash ? "Cash" : "Tender"), .code(tender.id), Cell(Self.account(tender.account)),
                .money(tender.amount), .money(tender.tip), .badge(tender.captured ? "Captured" : "Authorized", .good),
                Cell(nil),
            ]
        }
        let refused = (item.refusedTenders ?? []).map { tender -> [Cell] in
            let answer = [tender.response.code, tender.response.message].compactMap(\.self).joined(separator: ": ")
            return [
                Cell("Tender"), .code(tender.id), Cell(Self.account(tender.account)), .money(tender.amount),
                .number(nil), .badge(Wording.sentence(tender.outcome.rawValue), .bad), Cell(answer),
            ]
        }
        let offers = (item.offers ?? []).map { offer -> [Cell] in
            [
                Cell("Offer"), .code(offer.id), Cell(nil), .money(offer.amount), .number(nil), Cell(nil), Cell(nil),
            ]
        }
        let rows = accepted + refused + offers
        guard !rows.isEmpty else { return nil }
        return Table(
            caption: "Tenders and offers",
            columns: ["Kind", "Id", "Account", "Amount#", "Tip#", "Outcome", "Answer"],
            rows: rows,
            whenEmpty: ""
        )
    }

    private static func account(_ account: TenderAccount?) -> String {
        [account?.kind, account?.brand, account?.lastFour].compactMap(\.self).joined(separator: " ")
    }
}
