package io.despina.control.folder;

import io.despina.snapshot.Manifest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The golden snapshots of the newest format: each is a chain of files and the manifest that names them. */
final class Goldens {
    private static final Path ALL = Path.of("tests", "golden", "snapshot-" + Manifest.FORMAT);

    private Goldens() {
    }

    static List<String> names() throws IOException {
        try (Stream<Path> folders = Files.list(ALL)) {
            return folders.map(folder -> folder.getFileName().toString()).sorted().toList();
        }
    }

    /** Copies the files of a snapshot to where its manifest says they lie. */
    static void copyFiles(String golden, Path root) throws IOException {
        Files.createDirectories(root.resolve(golden));
        for (Path each : files(ALL, golden)) {
            Files.copy(each, root.resolve(golden).resolve(each.getFileName()));
        }
    }

    static void copyManifest(String golden, Path to) throws IOException {
        Files.createDirectories(to.getParent());
        Files.copy(ALL.resolve(golden).resolve("manifest.json"), to);
    }

    /** The first file of a snapshot that lies below {@code root}. */
    static Path base(String golden, Path root) throws IOException {
        return files(root, golden).stream().filter(each -> each.toString().endsWith(".base")).findFirst().orElseThrow();
    }

    private static List<Path> files(Path root, String golden) throws IOException {
        try (Stream<Path> files = Files.list(root.resolve(golden))) {
            return files.filter(each -> each.toString().matches(".*\\.(base|delta)")).sorted().toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }
}
