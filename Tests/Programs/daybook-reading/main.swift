import DaybookTestKit
import Foundation
import FuzzTargets

// Prints what this build reads of damaged documents, for `ops/same-reading`:
// daybook-reading FIXTURES READING SECONDS [BLOCKS]   the number and the digest of one block after the other
// daybook-reading FIXTURES READING show BLOCK         each input of a block with its outcome

private let arguments = CommandLine.arguments

guard arguments.count >= 4, let reading = Reading.all.first(where: { $0.name == arguments[2] }) else {
    print("daybook-reading FIXTURES \(Reading.all.map(\.name).joined(separator: "|")) SECONDS [BLOCKS] | show BLOCK")
    exit(64)
}
private let inputs = reading.inputs(FuzzExample.all(below: arguments[1]))
private let last = arguments.count > 4 ? Int(arguments[4]) : nil

private func digest(of block: Int, noting note: ([UInt8], String) -> Void = { _, _ in }) -> String {
    reading.digest(ofBlock: block, of: inputs, SeededGenerator(seed: UInt64(block)), noting: note)
}

if arguments[3] == "show" {
    _ = digest(of: last ?? 0) { print("\(Data($0).base64EncodedString())\t\($1.debugDescription)") }
} else {
    let end = ContinuousClock.now.advanced(by: .seconds(Int(arguments[3]) ?? 60))
    var block = 0
    while block < last ?? .max, ContinuousClock.now < end {
        FileHandle.standardOutput.write(Data("\(block) \(digest(of: block))\n".utf8))
        block += 1
    }
}
