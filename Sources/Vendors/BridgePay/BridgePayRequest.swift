import Payments

/// What the app had asked PayGuardian for: `BPNPaymentRequest`, or `BPNFindRequest`.
struct BridgePayRequest {
    let fields: Fields
    /// Nil when the request does not say.
    let operation: BridgePayOperation?
    let invoice: String?
    /// `pnRefNum`: the gateway's id of the original payment.
    let original: String?
    /// `credit` for `TENDER_TYPE_CREDIT`.
    let tender: String?
    let account: String?

    /// - Parameter presumed: The operation of a request that names no transaction type.
    /// - Throws: `unsupportedOperation` for transaction types that move no money this ledger keeps.
    init(_ fields: Fields, presuming presumed: BridgePayOperation? = nil) throws {
        self.fields = fields
        if let type = try fields.text("transactiontype") {
            operation = BridgePayOperation(transactionType: type)
            // A PCI token request can carry a sale; its response tells.
            guard operation != nil || SensitiveNames.normalized(type).hasSuffix("pcitoken") else {
                throw Refusal(
                    .unsupportedOperation,
                    "This transaction type is not recorded. Sales, authorisations, captures, tip adjustments, voids, "
                        + "refunds, credits, account verifications and find requests are.",
                    pointer: fields.pointer(to: "transactiontype")
                )
            }
        } else {
            operation = presumed
        }
        invoice = try fields.identifier("invoicenumber", "invoice")
        original = try fields.identifier(
            "pnrefnum",
            "originalreferencenumber",
            "gatewaytransid",
            "gatewaytransactionid"
        )
        account = try fields.identifier("merchantaccountcode", "merchantcode")
        if var name = try fields.text("tendertype").map({ $0.lowercased() }), name.utf8.count <= 40 {
            if name.hasPrefix("tender_type_") { name.removeFirst("tender_type_".count) }
            tender = name
        } else {
            tender = nil
        }
    }

    /// What was asked for, in whole; nil when the request names no amount.
    ///
    /// The guide calls `amount` the total with the tip, and the tip an addition to it; its capture example has the tip
    /// inside. What was authorised decides between the two.
    ///
    /// - Parameter authorized: The total the gateway approved, where it says.
    func amounts(in currency: Currency, authorized: Money?) throws -> Amounts? {
        var reader = FigureReader(currency: currency)
        let amount = try reader.decimal(fields, "amount", as: "BPNPaymentRequest.amount")
        let tip = try reader.decimal(fields, "tipamount", as: "BPNPaymentRequest.tipAmount")
        let cashback = try reader.impliedCents(fields, "cashbackamount", as: "BPNPaymentRequest.cashBackAmount")
        let tax = try reader.impliedCents(fields, "taxamount", as: "BPNPaymentRequest.taxAmount")
        guard var total = amount else { return nil }
        let pointer = fields.pointer(to: "amount")
        if let authorized, let tip, !tip.isZero, try total.adding(all: [tip], at: pointer) == authorized {
            total = authorized
        }
        let parts = try Money.zero(currency).adding(all: [tip, cashback, tax], at: pointer)
        let isSplit = tip != nil || cashback != nil || tax != nil
        let base = isSplit && parts.value <= total.value ? Money(total.value - parts.value, currency) : nil
        return Amounts(
            total: total,
            base: base,
            tip: tip,
            tax: tax,
            cashback: cashback,
            figures: reader.recorded
        )
    }

    /// The tip alone, for adjustments.
    func tip(in currency: Currency) throws -> (Money, Figure)? {
        var reader = FigureReader(currency: currency)
        guard let tip = try reader.decimal(fields, "tipamount", as: "BPNPaymentRequest.tipAmount"),
            let figure = reader.figures.first
        else { return nil }
        return (tip, figure)
    }
}
