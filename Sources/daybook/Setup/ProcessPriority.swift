#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How much of the processors this process gets while others want them, too.
enum ProcessPriority {
    /// For long work that a service on the same machine must not wait for. What the database does for it is not
    /// concerned.
    static func giveWay() {
        let nice: Int32 = 10
        #if os(Linux)
        // Each thread has its own, and hands it on to those it starts.
        guard let tasks = opendir("/proc/self/task") else { return }
        defer { closedir(tasks) }
        while let entry = readdir(tasks) {
            let thread = withUnsafePointer(to: &entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { id_t(String(cString: $0)) }
            }
            if let thread { _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), thread, nice) }
        }
        #else
        _ = setpriority(PRIO_PROCESS, 0, nice)
        #endif
    }
}
