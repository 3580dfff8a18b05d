package io.despina.operator.source;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/** Finds the files that a source's path means: one file, the files of a folder, or those that match a glob. */
final class InputFiles {
    private static final String GLOB = "*?[{";
    private static final String CHECK = "; check the source's `path`";
    /** No divisor in common with any parallelism, and files that count up are spread well over up to 64 instances. */
    private static final long PRIME = 345_517;
    private static final Set<String> PACKED = Set.of("bz2", "zst", "lz4", "snappy", "deflate", "xz", "zip");

    private InputFiles() {
    }

    /**
     * All files, in path order. Those whose name begins with {@code .} or {@code _} are passed over in folders and globs, as
     * Spark does.
     *
     * @throws IOException if there is none, in words for the user
     */
    static List<Path> find(String text) throws IOException {
        List<Path> files = text.chars().anyMatch(c -> GLOB.indexOf(c) >= 0) && !Files.exists(Path.of(text))
                ? glob(text) : fileOrFolder(Path.of(text));
        for (Path file : files) {
            String name = file.getFileName().toString();
            String ending = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
            if (PACKED.contains(ending)) {
                throw new IOException(file + ": ." + ending + " files cannot be read; unpack it, or use .gz");
            }
        }
        return files;
    }

    /**
     * The files of one instance. Which one reads a file follows from its path alone: each looks for itself, and others may come or
     * go in between.
     */
    static List<Path> dealt(List<Path> all, int instance, int parallelism) {
        return all.stream().filter(file -> instanceOf(file.toString(), parallelism) == instance).toList();
    }

    private static int instanceOf(String path, int parallelism) {
        long hash = 0;
        for (int k = 0; k < path.length(); k++) {
            hash = (hash * PRIME + path.charAt(k)) % parallelism;
        }
        return (int) hash;
    }

    private static List<Path> fileOrFolder(Path path) throws IOException {
        if (!Files.exists(path)) {
            throw new IOException("no such file or folder: " + path + CHECK);
        }
        if (!Files.isDirectory(path)) {
            return List.of(path);
        }
        try (Stream<Path> entries = Files.list(path)) {
            List<Path> files = entries.filter(InputFiles::counts).sorted().toList();
            if (files.isEmpty()) {
                throw new IOException("no file in folder " + path + CHECK);
            }
            return files;
        }
    }

    private static List<Path> glob(String pattern) throws IOException {
        Path fixed = Path.of(pattern).isAbsolute() ? Path.of("/") : Path.of("");
        for (Path part : Path.of(pattern)) {
            if (part.toString().chars().anyMatch(c -> GLOB.indexOf(c) >= 0)) {
                break;
            }
            fixed = fixed.resolve(part);
        }
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern);
        int depth = Path.of(pattern).getNameCount() - fixed.getNameCount();
        try (Stream<Path> below = Files.walk(fixed, Math.max(1, fixed.toString().isEmpty() ? depth + 1 : depth))) {
            List<Path> files = new ArrayList<>();
            for (Path path : below.filter(matcher::matches).sorted().toList()) {
                if (counts(path)) {
                    files.add(path);
                } else if (Files.isDirectory(path)) {
                    files.addAll(fileOrFolder(path));
                }
            }
            if (files.isEmpty()) {
                throw new IOException("no file matches " + pattern + CHECK);
            }
            return files;
        } catch (NoSuchFileException missing) {
            throw new IOException("no file matches " + pattern + ": there is no " + fixed + CHECK, missing);
        }
    }

    private static boolean counts(Path path) {
        String name = path.getFileName().toString();
        return !name.startsWith(".") && !name.startsWith("_") && Files.isRegularFile(path);
    }
}
