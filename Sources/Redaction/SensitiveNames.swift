/// The field names of card data and secrets, for every vendor.
package enum SensitiveNames {
    enum Treatment: Hashable {
        case drop(RedactedPlace.Rule)
        /// Remove it unless it is an object, or a list with an object; their members are then scrubbed.
        case dropScalar(RedactedPlace.Rule)
        /// Remove it if it has the length of a card verification value.
        case dropShortDigits
        /// Show at most the first six and last four digits.
        case maskCardNumber
        /// Show the last four characters.
        case maskAccount
        case digest
        /// Remove it if it is the hexadecimal value of an EMV tag with at least this many digits.
        case dropTag(RedactedPlace.Rule, hexDigits: Int)
        /// The hexadecimal value of EMV tag 5A.
        case maskTag
    }

    /// The name's ASCII letters and digits, in lower case. Names are compared in this form.
    package static func normalized(_ name: String) -> String { lettersAndDigits(name.utf8) }

    /// Not generic, like its twin: a generic function is not specialised in other targets, and costs ten times as much.
    package static func normalized(_ name: Substring) -> String { lettersAndDigits(name.utf8) }

    @inline(__always)
    private static func lettersAndDigits(_ utf8: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: utf8.count) { buffer in
            var count = 0
            for byte in utf8 {
                switch byte {
                case 0x30...0x39, 0x61...0x7A: buffer[count] = byte
                case 0x41...0x5A: buffer[count] = byte + 0x20
                default: continue
                }
                count += 1
            }
            return count
        }
    }

    /// - Parameter name: A normalised name.
    static func treatment(of name: String) -> Treatment? {
        guard name.utf8.count <= 64 else { return nil }
        if let treatment = exact[name] { return treatment }
        if name.hasSuffix("pinblock") { return .drop(.pin) }
        return credentialEndings.contains { name.hasSuffix($0) } ? .drop(.credential) : nil
    }

    /// The endings of names such as `gatewayPassword` and `tls_private_key`.
    private static let credentialEndings = [
        "password", "passwd", "passphrase", "privatekey", "apikey", "secretkey", "accesskey", "accesscode",
        "secret",
    ]

    private static let exact: [String: Treatment] = {
        var names: [String: Treatment] = [:]
        func add(_ treatment: Treatment, _ list: String) {
            for name in list.split(separator: " ") { names[String(name)] = treatment }
        }
        add(
            .drop(.credential),
            """
            pwd passcode authenticationtokenid accesstoken refreshtoken idtoken bearer bearertoken authtoken \
            securitytoken sessiontoken sessionkey signingkey encryptionkey hmackey clientsecret cookie setcookie \
            secrettoken sharedsecret xapikey authkey
            """
        )
        add(.dropScalar(.credential), "authorization proxyauthorization")
        add(
            .drop(.cvv),
            """
            cvv cvv2 cvc cvc2 cav2 csc cvn cvn2 cvnum cvvnum cvvnumber cvvcode cvccode cvvdata cvcdata securitycode \
            cardsecuritycode cardcode cardcvv cardcvc cardverificationvalue cardverificationcode \
            cardverificationnumber verificationvalue pancvvdata
            """
        )
        add(.dropShortDigits, "cid")
        add(
            .drop(.track),
            """
            track track1 track2 track3 trackone tracktwo trackthree trackdata track1data track2data track3data \
            magdata magstripe magstripedata magneticstripe magneticstripedata stripedata swipedata \
            track2equivalentdata track2equivalent track1discretionarydata track2discretionarydata
            """
        )
        add(
            .drop(.pin),
            """
            pin pinblock pindata pinvalue pinnumber encryptedpin encryptedpinblock epb epinblock isopinblock \
            transactionpindata
            """
        )
        add(
            .maskCardNumber,
            """
            pan cardnumber cardno cardnum accountnumber acctnumber acctnum acctno paymentaccountnumber \
            primaryaccountnumber applicationpan creditcardnumber debitcardnumber creditcard ccnumber ccnum ccno fullpan \
            clearpan plainpan cardpan maskedpan
            """
        )
        add(
            .drop(.expiry),
            """
            expirationdate expiration expiry expirydate exp expdate expirydatemmyy expirationdatemmyy expmonth \
            expyear expirymonth expiryyear expirationmonth expirationyear cardexpiry cardexp cardexpirydate \
            cardexpirationdate cardexpiration validthru validthrough applicationexpirationdate
            """
        )
        add(
            .drop(.cardholder),
            "cardholdername cardholder nameoncard cardholderfirstname cardholderlastname accountholdername holdername"
        )
        add(
            .maskAccount,
            """
            bankaccountnumber bankaccount bankaccountnum bankacctnum routingnumber routingnum bankroutingnumber \
            abanumber iban
            """
        )
        add(
            .digest,
            "token cardtoken paymenttoken cardonfiletoken ipostoken purchasetoken walletid walletpaymentmethodid"
        )
        // facts/emv_tags: tags that must never be stored. The minimum lengths exclude list positions named "56" or
        // "99".
        add(.dropTag(.track, hexDigits: 8), "56 57 58 9f1f 9f20 9f6b")
        add(.dropTag(.pin, hexDigits: 8), "99")
        add(.dropTag(.cardholder, hexDigits: 4), "5f20 9f0b")
        add(.dropTag(.expiry, hexDigits: 6), "5f24")
        add(.dropTag(.emv, hexDigits: 4), "5f30")
        add(.dropTag(.cvv, hexDigits: 8), "df5a")
        add(.maskTag, "5a")
        return names
    }()
}
