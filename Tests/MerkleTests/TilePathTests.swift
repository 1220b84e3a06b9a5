import Merkle
import Testing

@Suite("Paths of tiles")
struct TilePathTests {
    @Test(
        "The two forms of a path",
        arguments: [
            ("0/000", 0, 0, 256), ("0/001.p/1", 0, 1, 1), ("1/x001/x234/067", 1, 1_234_067, 256),
            ("0/x001/x234/067.p/255", 0, 1_234_067, 255), ("7/999", 7, 999, 256), ("2/x001/000", 2, 1000, 256),
        ] as [(String, Int, Int64, Int)]
    )
    func paths(text: String, level: Int, index: Int64, width: Int) throws {
        let path = TilePath(id: TileID(level: level, index: index), width: width)
        #expect(path.text == text)
        #expect(TilePath(text) == path)
        #expect(path.isPartial == (width < 256))
    }

    @Test("The last possible tile")
    func last() {
        let path = TilePath(id: TileID(level: 0, index: .max >> 8))
        #expect(path.text == "0/x036/x028/x797/x018/x963/967")
        #expect(TilePath(path.text) == path)
    }

    @Test(
        "Every other spelling is refused",
        arguments: [
            "", "0", "0/", "0/0", "0/00", "0/0000", "0/x001", "0/x000/001", "0/001/002", "00/000", "01/000", "-1/000",
            "+0/000", "8/000", "0/000.p", "0/000.p/", "0/000.p/0", "0/000.p/01", "0/000.p/256", "0/000.p/-1",
            "0/000.p/1/2", "0/000/p/1", "0/000/", "/0/000", "0//000", "0/x01/000", "0/y001/000", "0/ 00", "0/٠٠٠",
            "0/x001/x000/x000/x000/x000/x000/000", "0/.p/1", "0/000.P/1", "data/000", "0/000?",
        ]
    )
    func malformed(_ text: String) {
        #expect(TilePath(text) == nil)
    }

    @Test("The width of a tile in a tree")
    func widths() {
        func width(_ level: Int, _ index: Int64, _ size: Int64) -> Int {
            TileID(level: level, index: index).width(size: size)
        }
        // The example of the specification: 70,000 leaves.
        #expect(width(0, 272, 70_000) == 256)
        #expect(width(0, 273, 70_000) == 112)
        #expect(width(0, 274, 70_000) == 0)
        #expect(width(1, 0, 70_000) == 256)
        #expect(width(1, 1, 70_000) == 17)
        #expect(width(2, 0, 70_000) == 1)
        #expect(width(3, 0, 70_000) == 0)
        #expect(width(0, 0, 0) == 0)
        #expect(width(0, -1, 70_000) == 0)
        #expect(width(0, .max, 70_000) == 0)
        #expect(width(8, 0, .max) == 0)
    }
}
