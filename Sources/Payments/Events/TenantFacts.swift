package import Canonical

/// A document that could not be read, kept so that nothing a merchant sent vanishes without a trace.
package struct IntakeRefusal: Sendable, Hashable, Codable {
    /// The vendor named in the request, as sent, scrubbed.
    package var vendor: String?
    package var kind: String?
    /// The stable problem code that was answered.
    package var code: String
    package var detail: String
    /// The document, scrubbed and then cut to a few kilobytes.
    package var document: String?
    package var redactions: [RedactionNote]

    package init(
        vendor: String?,
        kind: String?,
        code: String,
        detail: String,
        document: String?,
        redactions: [RedactionNote]
    ) {
        self.vendor = vendor
        self.kind = kind
        self.code = code
        self.detail = detail
        self.document = document
        self.redactions = redactions
    }
}

/// A record came again under another key: where the events are that it became the first time.
package struct RequestRepeat: Sendable, Hashable, Codable {
    /// Of the first event.
    package var position: Int64
    /// How many events there are.
    package var count: Int

    package init(position: Int64, count: Int) {
        self.position = position
        self.count = count
    }
}

/// An API key was made or withdrawn. The key itself is never recorded.
package struct KeyIssue: Sendable, Hashable, Codable {
    package var key: String
    package var scopes: [String]
    package var expires: Timestamp?

    package init(key: String, scopes: [String], expires: Timestamp? = nil) {
        self.key = key
        self.scopes = scopes
        self.expires = expires
    }
}

/// An anomaly has been dealt with. Who said so stands in the envelope.
package struct AnomalyAcknowledgement: Sendable, Hashable, Codable {
    /// The id of the event that raised the anomaly.
    package var anomaly: String
    /// In the words of whoever dealt with it, without card data.
    package var reason: String

    package init(anomaly: String, reason: String) {
        self.anomaly = anomaly
        self.reason = reason
    }
}

/// Where a merchant's clocks are, and when its business day begins. Who said so stands in the envelope.
package struct MerchantDescription: Sendable, Hashable, Codable {
    /// The merchant, as its documents name it.
    package var merchant: String
    /// A name of the time zone database, `UTC`, or `±hh:mm`.
    package var zone: String
    /// `hh:mm`, by the clocks of the zone.
    package var cutoff: String
    /// In the words of whoever said so, without card data.
    package var reason: String

    package init(merchant: String, zone: String, cutoff: String, reason: String) {
        self.merchant = merchant
        self.zone = zone
        self.cutoff = cutoff
        self.reason = reason
    }
}
