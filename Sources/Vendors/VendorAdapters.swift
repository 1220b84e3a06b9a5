package enum VendorAdapters {
    package static let all: [any VendorAdapter] = [
        BridgePayAdapter(), DejavooAdapter(), HandpointAdapter(), PaydiantAdapter(), YouTransactorAdapter(),
    ]
}
