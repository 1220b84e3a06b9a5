import EMV

/// Chip data: whatever is read can be written and read again, and no decoder fails on it.
enum TLVFuzzing {
    static func run(_ input: [UInt8]) -> String? {
        for quirks in [TagQuirks.none, .numberedBeyond9F7F] {
            for opens in [true, false] {
                let reader = TLVReader(quirks: quirks, opensTemplates: opens)
                guard let objects = try? reader.read(input).objects else { continue }
                if let problem = check(objects, reader) { return problem }
            }
        }
        let text = String(decoding: input, as: UTF8.self)
        if let pairs = TagPairs.read(text) { decode(ChipData(pairs)) }
        return nil
    }

    private static func check(_ objects: [TLVObject], _ reader: TLVReader) -> String? {
        let again = try? reader.read(TLVWriter.bytes(objects))
        guard again?.objects == objects else { return "what was written is not read back" }
        let (kept, _) = SensitiveTags.removing(from: objects)
        guard SensitiveTags.removing(from: kept).removed.isEmpty else { return "a forbidden tag survived" }
        for object in objects.primitives {
            let value = object.value ?? []
            _ = (VerificationResults(value)?.receiptLine, VerificationMethodList(value)?.rules.map(\.method))
            _ = (CardScheme(applicationIdentifier: value), BinaryCodedDecimal.digits(value))
            _ = AdditionalTerminalCapabilities(value)?.reserved
        }
        decode(ChipData(objects))
        return nil
    }

    private static func decode(_ chip: ChipData) {
        _ = (chip.terminalVerificationResults?.reserved, chip.transactionStatusInformation?.flags)
        _ = (chip.verificationResults, chip.verificationMethods, chip.cryptogramInformation, chip.interchangeProfile)
        _ = (chip.usageControl, chip.terminalCapabilities, chip.responseCode, chip.scheme, chip.applicationLabel)
        _ = AmountCheck.disagreements(chip, with: .init(total: 0, cashback: 0, currencyNumeric: 978, exponent: 2))
    }

    static func seeds(_ examples: [FuzzExample]) -> [[UInt8]] {
        [
            "6F2F840E325041592E5359532E4444463031A51DBF0C1A61184F07A0000000041010500A4D617374657263617264870101",
            "703857104761340000000050D1712201125234515F20104341524420352F5649534120544553549F1F1031323532333034353130"
                + "303030303030309000",
            "9F02060000000012509F03060000000000005F2A0209785F3601029C0100950500000080009B02E8009F34030203009F270140",
            "8A0230308E0E000000C80000000002071E008202398F8A8100", "9F84100C9291EA7DB1EA276A8C96999DF512A6",
            "C308333134323030373730EA0401020003FF8101039A0101",
        ].compactMap { Hexadecimal.bytes($0) } + [Array("4F:A0000000031010;95:8080008000;9B:6800;91:;8A:".utf8)]
    }
}
