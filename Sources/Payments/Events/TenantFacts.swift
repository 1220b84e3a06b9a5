package import Canonical

/// A document that could not be read. It is kept so that every submitted document leaves a trace.
package struct IntakeRefusal: Sendable, Hashable, Codable {
    /// The vendor named in the request, as sent, scrubbed.
    package var vendor: String?
    package var kind: String?
    /// The stable problem code of the response.
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

/// A record was resubmitted under another key. This is the place of the events from its first submission.
package struct RequestRepeat: Sendable, Hashable, Codable {
    /// The position of the first event.
    package var position: Int64
    /// The number of events.
    package var count: Int

    package init(position: Int64, count: Int) {
        self.position = position
        self.count = count
    }
}

/// An API key was created or revoked. The key itself is never recorded.
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

/// An anomaly was acknowledged. The operator is in the envelope.
package struct AnomalyAcknowledgement: Sendable, Hashable, Codable {
    /// The id of the event that raised the anomaly.
    package var anomaly: String
    /// The operator's words, without card data.
    package var reason: String

    package init(anomaly: String, reason: String) {
        self.anomaly = anomaly
        self.reason = reason
    }
}

/// A merchant's time zone and the start of its business day. The operator is in the envelope.
package struct MerchantDescription: Sendable, Hashable, Codable {
    /// The merchant, as its documents name it.
    package var merchant: String
    /// A name from the time zone database, `UTC`, or `±hh:mm`.
    package var zone: String
    /// `hh:mm`, local time in the zone.
    package var cutoff: String
    /// The operator's words, without card data.
    package var reason: String

    package init(merchant: String, zone: String, cutoff: String, reason: String) {
        self.merchant = merchant
        self.zone = zone
        self.cutoff = cutoff
        self.reason = reason
    }
}
