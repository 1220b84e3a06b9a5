#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The scheduling priority of this process.
enum ProcessPriority {
    /// Lowers the priority for long work, so that a service on the same machine does not wait for it. The work of the
    /// database server keeps its priority.
    static func giveWay() {
        let nice: Int32 = 10
        #if os(Linux)
        // Each thread has its own priority, and new threads inherit it.
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
