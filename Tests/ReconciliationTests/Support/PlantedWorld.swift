import DaybookTestKit
import Matching

/// A ledger and its processor's lines with planted discrepancies, and the truth about each.
struct PlantedWorld {
    /// A movement of the ledger.
    struct Movement {
        var transaction: Int
        var line = "capture:sale"
        var type = "sale"
        var status = "settled"
        var currency = "USD"
        var amount: Int64
        var day: Int
        var keys: [String: String]
    }

    /// A statement line; its reference holds its name.
    struct Line {
        var name: String
        var type = "sale"
        var currency = "USD"
        var gross: Int64
        var fee: Int64?
        var day: Int
        var role = "own"
        var keys: [String: String]
    }

    /// Names a link or exception without generated ids.
    struct Finding: Hashable, CustomStringConvertible {
        var what: String
        var line: String?
        var transaction: Int?

        var description: String { "\(what) \(line ?? "-") \(transaction.map { String($0) } ?? "-")" }
    }

    /// The last day of the processor's lines.
    static let lastDay = 40

    private(set) var movements: [Movement] = []
    private(set) var lines: [Line] = []
    /// More files, which report some of the lines again in a different way: totals with their parts, and sales
    /// without fees among others without fees.
    private(set) var others: [[Line]] = []
    /// A file that is completely wrong: it lists parts of totals that have none, and invents lines.
    private(set) var slip: [Line] = []
    private(set) var links: Set<Finding> = []
    private(set) var exceptions: Set<Finding> = []
    private var random: SeededGenerator
    private var count = 0

    /// - Parameters:
    ///   - clean: The number of correct payments.
    ///   - faults: The number of discrepancies of each kind.
    ///   - batches: The number of totals that are without their parts here and with them in another file; every other
    ///     one is wrong.
    init(clean: Int, faults: Int, batches: Int = 0, seed: UInt64) {
        random = SeededGenerator(seed: seed)
        // The processor's lines reach this day.
        let (first, line) = pair(day: Self.lastDay)
        link(first, line, rule: "gateway-id")
        for _ in 0..<clean { plantClean() }
        for _ in 0..<faults { plantFaults() }
        for place in 0..<batches { plantBatch(isRight: place.isMultiple(of: 2)) }
        if batches > 0 { plantOthers() }
        lines.shuffle(using: &random)
        movements.shuffle(using: &random)
    }

    // MARK: Pieces

    private mutating func next() -> Int {
        count += 1
        return count
    }

    private mutating func amount() -> Int64 { Int64.random(in: 100...99_999, using: &random) }
    private mutating func day() -> Int { Int.random(in: 31...35, using: &random) }

    /// A movement and its line with the same gateway id, not yet added.
    private mutating func pair(day: Int? = nil) -> (Movement, Line) {
        let number = next()
        let (amount, day) = (amount(), day ?? self.day())
        return (
            Movement(transaction: number, amount: amount, day: day, keys: ["gateway_id": "g-\(number)"]),
            Line(name: "n-\(number)", gross: amount, day: day, keys: ["processor_id": "g-\(number)"])
        )
    }

    private mutating func add(_ movement: Movement) { movements.append(movement) }
    /// Adds a line, with the agreed fee if it has none.
    private mutating func add(_ line: Line, isFree: Bool = false) {
        var line = line
        let isSale = line.type == "sale" && line.role != "total" && line.gross > 0
        if isSale, !isFree { line.fee = line.fee ?? -((line.gross * 200 + 5000) / 10_000) }
        lines.append(line)
    }

    private mutating func link(_ movement: Movement, _ line: Line, rule: String, isFree: Bool = false) {
        add(movement)
        add(line, isFree: isFree)
        links.insert(Finding(what: rule, line: line.name, transaction: movement.transaction))
    }

    private mutating func except(_ what: ExceptionClass, _ line: Line?, _ movement: Movement?) {
        exceptions.insert(Finding(what: what.rawValue, line: line?.name, transaction: movement?.transaction))
    }

    // MARK: Correct payments

    private mutating func plantClean() {
        var (movement, line) = pair()
        switch Int.random(in: 0..<10, using: &random) {
        case 0:
            movement.keys = ["rrn": "r-\(movement.transaction)"]
            line.keys = ["rrn": "r-\(movement.transaction)"]
            link(movement, line, rule: "rrn")
        case 1:
            movement.keys = ["auth_code": "A\(movement.transaction)", "last_four": "4242"]
            line.keys = movement.keys
            line.day += 1
            link(movement, line, rule: "auth-code")
        case 2:
            movement.keys = ["invoice": "i-\(movement.transaction)"]
            line.keys = movement.keys
            link(movement, line, rule: "invoice")
        case 3:
            movement.type = "refund"
            movement.line = "refund:1"
            movement.amount.negate()
            line.type = "refund"
            line.gross.negate()
            movement.keys = ["origin_id": "o-\(movement.transaction)"]
            line.keys = ["related_id": "o-\(movement.transaction)"]
            link(movement, line, rule: "origin-id")
        case 4:
            // Two captures, and one line for both.
            var second = movement
            second.line = "capture:2"
            second.amount = amount()
            line.gross += second.amount
            add(second)
            link(movement, line, rule: "gateway-id-sum")
        case 5:
            // One capture, and a line for each half.
            var second = line
            second.name += "b"
            second.gross = amount()
            movement.amount += second.gross
            add(second)
            links.insert(Finding(what: "gateway-id-sum", line: second.name, transaction: movement.transaction))
            link(movement, line, rule: "gateway-id-sum")
        default: link(movement, line, rule: "gateway-id")
        }
    }

    /// A total and its parts, each matched separately.
    private mutating func plantBatch(isRight: Bool) {
        let number = next()
        var total = Line(
            name: "n-\(number)",
            type: "batch",
            gross: isRight ? 0 : 1,
            day: day(),
            role: "total",
            keys: ["terminal": "t-\(number)", "batch": "9"]
        )
        var parts: [Line] = []
        for _ in 0..<3 {
            let (movement, reported) = pair()
            var line = reported
            line.role = "part"
            line.keys["group"] = "g"
            total.gross += line.gross
            link(movement, line, rule: "gateway-id")
            parts.append(lines.removeLast())
        }
        add(total)
        if !isRight { except(.batchOutOfBalance, total, nil) }
        total.keys["group"] = "g"
        // A repeat with a wrong part: the sum nearest to the total counts.
        if isRight { others.append([parts[0], total]) }
        others.append(parts + [total])
    }

    private mutating func plantOthers() {
        let free = lines.filter { $0.type == "sale" && $0.role == "own" && $0.fee == nil && $0.gross > 0 }
        others.append(free)
        for (place, total) in lines.filter({ $0.role == "total" }).enumerated() {
            var (listed, (_, part)) = (total, pair())
            listed.keys["group"] = "s-\(place)"
            part.role = "part"
            part.keys["group"] = "s-\(place)"
            slip += [listed, part]
        }
        slip += lines.filter { $0.role == "own" }.prefix(20)
        slip.append(pair(day: Self.lastDay + 9).1)
    }

    // MARK: Discrepancies, one each

    private mutating func plantFaults() {
        var (movement, line) = pair()
        add(line)
        except(.missingInLedger, line, nil)

        (movement, line) = pair()
        add(movement)
        except(.missingAtProcessor, nil, movement)

        (movement, line) = pair()
        line.gross += 1 + amount()
        add(movement)
        add(line)
        except(.amountDiffers, line, movement)

        (movement, line) = pair()
        line.currency = "EUR"
        add(movement)
        add(line)
        except(.currencyDiffers, line, movement)

        (movement, line) = pair()
        movement.type = "none"
        movement.line = ""
        movement.status = "declined"
        add(movement)
        add(line)
        except(.statusDiffers, line, movement)

        (movement, line) = pair()
        line.type = "void"
        add(movement)
        add(line)
        except(.statusDiffers, line, movement)

        (movement, line) = pair()
        movement.type = "none"
        movement.line = ""
        movement.status = "in-doubt"
        add(movement)
        add(line)
        except(.inDoubtResolved, line, movement)

        // The later of two equal lines is the duplicate.
        (movement, line) = pair()
        link(movement, line, rule: "gateway-id")
        line.name += "b"
        line.day += 1
        add(line)
        except(.duplicateAtProcessor, line, movement)

        (movement, line) = pair()
        link(movement, line, rule: "gateway-id")
        movement.transaction = next()
        movement.day += 1
        add(movement)
        except(.duplicateInLedger, line, movement)

        (movement, line) = pair()
        line.day += 9
        link(movement, line, rule: "gateway-id")
        except(.late, line, movement)

        (movement, line) = pair()
        line.fee = -(line.gross / 50) - 100
        link(movement, line, rule: "gateway-id")
        except(.feeDiffers, line, movement)

        // No fee was charged for it.
        (movement, line) = pair()
        link(movement, line, rule: "gateway-id", isFree: true)
        except(.feeDiffers, line, movement)

        (movement, line) = pair()
        line.type = "chargeback"
        line.gross.negate()
        line.keys = ["related_id": "g-\(movement.transaction)"]
        add(line)
        except(.chargebackWithoutSale, line, nil)

        (movement, line) = pair()
        link(movement, line, rule: "gateway-id")
        line.name += "-b"
        line.type = "chargeback"
        line.gross.negate()
        line.fee = nil
        add(line)
        except(.chargebackNotRecorded, line, movement)

        (movement, line) = pair()
        line.type = "adjustment"
        line.gross = -5000
        add(line)
        except(.unexplainedLine, line, nil)

        (movement, line) = pair(day: 1)
        movement.type = "none"
        movement.line = ""
        movement.status = "authorized"
        add(movement)
        except(.expiredAuthorization, nil, movement)

        // A batch with only a total from the processor, and another one whose total differs from the ledger.
        for isRight in [true, false] {
            (movement, line) = pair()
            movement.keys = ["terminal": "t-\(movement.transaction)", "batch": "7"]
            line = Line(
                name: line.name,
                type: "batch",
                gross: 0,
                day: line.day,
                role: "total",
                keys: movement.keys
            )
            let batch = movement.transaction
            for _ in 0..<3 {
                movement.transaction = next()
                movement.amount = amount()
                line.gross += movement.amount
                movement.keys["terminal"] = "t-\(batch)"
                add(movement)
                if isRight {
                    links.insert(
                        Finding(what: "terminal-batch", line: line.name, transaction: movement.transaction)
                    )
                }
            }
            if !isRight {
                line.gross += 1
                except(.batchOutOfBalance, line, nil)
            }
            add(line)
        }
    }
}
