import DaybookTestKit
import Foundation
import HTTPRequests

/// The wall clock of one server, which jumps while the server runs. Its monotonic clocks do not jump.
///
/// A library that is loaded before all others adds the number in a mapped file to the wall clock.
struct ProofClock: Sendable {
    private static let source = """
        #define _GNU_SOURCE
        #include <fcntl.h>
        #include <stdatomic.h>
        #include <stdlib.h>
        #include <sys/mman.h>
        #include <sys/syscall.h>
        #include <sys/time.h>
        #include <time.h>
        #include <unistd.h>

        static _Atomic long *seconds;

        __attribute__((constructor)) static void begin(void) {
            const char *path = getenv("PROOF_CLOCK");
            int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
            void *page = file < 0 ? MAP_FAILED : mmap(0, sizeof(long), PROT_READ, MAP_SHARED, file, 0);
            if (page != MAP_FAILED) seconds = page;
        }

        int clock_gettime(clockid_t clock, struct timespec *now) {
            int result = syscall(SYS_clock_gettime, clock, now);
            if (result == 0 && seconds && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
                now->tv_sec += atomic_load(seconds);
            return result;
        }

        int gettimeofday(struct timeval *now, void *zone) {
            struct timespec precise;
            clock_gettime(CLOCK_REALTIME, &precise);
            *now = (struct timeval){precise.tv_sec, precise.tv_nsec / 1000};
            return 0;
        }

        time_t time(time_t *now) {
            struct timespec precise;
            clock_gettime(CLOCK_REALTIME, &precise);
            if (now) *now = precise.tv_sec;
            return precise.tv_sec;
        }
        """

    private let path: String
    private let library: String

    /// - Parameters:
    ///   - path: The file for the difference.
    ///   - library: What `build` returned.
    init(path: String, library: String) throws {
        self.path = path
        self.library = library
        try Self.bytes(0).write(to: URL(filePath: path))
    }

    /// Compiles the library.
    ///
    /// - Returns: Its path.
    static func build(in directory: String) async throws -> String {
        let (source, library) = ("\(directory)/clock.c", "\(directory)/clock.so")
        try Data(Self.source.utf8).write(to: URL(filePath: source))
        var failures: [String] = []
        for compiler in ["cc", "clang"] {
            let result = try await ChildProgram.run(
                "/usr/bin/env",
                [compiler, "-std=gnu11", "-O1", "-shared", "-fPIC", "-o", library, source]
            )
            if result.succeeded { return library }
            failures.append(result.standardError)
        }
        throw TestKitError("the clock cannot be compiled: \(failures)")
    }

    /// The environment of the server's process.
    var environment: [String: String] { ["LD_PRELOAD": library, "PROOF_CLOCK": path] }

    /// - Parameter seconds: The difference to the true time.
    func jump(toSeconds seconds: Int) throws {
        // In place, because the server has mapped the file.
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.write(contentsOf: Self.bytes(seconds))
        try file.close()
    }

    private static func bytes(_ seconds: Int) -> Data { withUnsafeBytes(of: seconds) { Data($0) } }

    /// The difference between the clocks of a server and of the database in seconds, as the server last measured it;
    /// nil while the server does not answer.
    static func difference(at port: Int) async -> Double? {
        let answer = try? await APIClient(port: port, key: nil).send(HTTPRequest(target: "/metrics"))
        let name = "daybook_clock_difference_seconds "
        return answer?.text.split(separator: "\n").first { $0.hasPrefix(name) }
            .flatMap { Double($0.dropFirst(name.count)) }
    }
}
