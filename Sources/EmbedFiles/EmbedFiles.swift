import Foundation
import PackagePlugin

/// Makes the text files of a target, templates, SQL and the like, members of its enum `EmbeddedFiles`. Every file that
/// is neither Swift nor excluded in `Package.swift` is embedded; there is no list to keep.
@main
struct EmbedFilesPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let module = target as? any SourceModuleTarget else { return [] }
        let files = module.sourceFiles.filter { $0.type == .unknown }.map(\.url).sorted { $0.path < $1.path }
        guard !files.isEmpty else { return [] }
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding \(files.count) files of \(target.name)",
                executable: try context.tool(named: "embed-files").url,
                arguments: [output.path] + files.map(\.path),
                inputFiles: files,
                outputFiles: [output]
            )
        ]
    }
}
