extension StatementFormat {
    /// A reader of one file in this format.
    package func reader(_ options: StatementOptions = StatementOptions()) -> any StatementReader {
        switch self {
        case .adyenSettlement: CSVFile(AdyenSettlement())
        case .amexEPRAW: EPRAW(options)
        case .amexGRRCN: GRRCN()
        case .bai2: BAI2(options)
        case .camt053, .camt054: Camt(self)
        case .iposgoSettlement, .spinBatch: JSONFile(DejavooBatch(options))
        case .bridgepayTransactions: BridgePayTransactions(options)
        case .stripePayout: CSVFile(StripePayout())
        case .squarePayout: JSONFile(SquarePayout(options))
        case .paypalActivity: CSVFile(PayPalActivity(options))
        case .valitorClearing: ValitorClearing()
        case .daybookCSV: CSVFile(DaybookCSV(options))
        }
    }
}
