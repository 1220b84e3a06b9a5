import Foundation
import FuzzTargets

/// The target of this run, named by the environment: libFuzzer owns the arguments.
private let target: FuzzTarget? = setting("TARGET").flatMap { FuzzTarget.named($0) }

private func setting(_ name: String) -> String? { ProcessInfo.processInfo.environment["DAYBOOK_FUZZ_\(name)"] }

/// Called by libFuzzer before it reads the corpus: lists the targets, or writes the seeds of one.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>?,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>?
) -> CInt {
    guard let target else {
        for target in FuzzTarget.all { print(target.name) }
        exit(setting("TARGET") == "list" ? 0 : 64)
    }
    if let fixtures = setting("FIXTURES"), let seeds = setting("SEEDS") {
        do {
            try FuzzExample.write(target.seeds(FuzzExample.all(below: fixtures)), into: seeds)
        } catch {
            print("The seeds could not be written to \(seeds).")
            exit(74)
        }
    }
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    if let problem = target?.run(input) { fatalError(problem) }
    return 0
}
