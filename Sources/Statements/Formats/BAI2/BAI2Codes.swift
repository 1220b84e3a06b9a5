/// The BAI2 type codes for movements of money (Cash Management Balance Reporting Specifications, version 2).
enum BAI2Codes {
    enum Sense {
        case credit, debit
        /// A balance or another status.
        case status
        /// Information that moves no money.
        case nonMonetary
        /// A bank's custom code with an unknown direction.
        case unknown
    }

    static func sense(_ code: Int) -> Sense {
        switch code {
        case 1...99: .status
        case 100...399: .credit
        case 400...699: .debit
        // Loans: money lent and money repaid.
        case 720...729, 760...769: .credit
        case 700...719, 730...759, 770...799: .debit
        case 890...899: .nonMonetary
        case 900...919: .status
        case 920...959: .credit
        case 960...999: .debit
        default: .unknown
        }
    }

    static func type(_ code: Int) -> LineType {
        switch code {
        case 254, 255, 257, 654, 655, 657: .adjustment
        case 540...544, 549, 560...569: .withdrawal
        case 640...669 where [661, 662, 663, 664, 668].contains(code): .fee
        case 690...699: .fee
        case 275...279, 575...579: .transfer
        case 100...399, 720...729, 760...769, 920...959: .deposit
        case 400...699, 700...799, 960...999: .withdrawal
        default: .other
        }
    }
}
