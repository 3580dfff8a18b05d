package io.despina.operator.source.file;

import io.despina.operator.FileKind;
import io.despina.operator.MissingFileException;
import java.io.FileNotFoundException;
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

/** Finds the files of a source's path: one file, the files of a folder, or those that match a glob. */
final class InputFiles {
    private static final String GLOB = "*?[{";
    private static final String CHECK = "; check `path`";
    /** Shares no divisor with any parallelism, and spreads numbered files well over up to 64 instances. */
    private static final long PRIME = 345_517;
    /** Packed files that Spark does not unpack. */
    private static final Set<String> FOREIGN = Set.of("xz", "zip", "br", "lzo", "7z");

    private final String text;
    private final int instance;
    private final int parallelism;
    /** Whether there is a file for any instance. */
    private boolean found;

    private InputFiles(String text, int instance, int parallelism) {
        this.text = text;
        this.instance = instance;
        this.parallelism = parallelism;
    }

    /**
     * The files of one instance, in path order. In folders and globs it skips names that begin with {@code .} or {@code _}, and
     * everything but regular files. The path alone determines the instance that reads a file, because each instance lists on its
     * own and files may appear or vanish in between. An instance keeps only its own files of a large folder.
     *
     * @throws FileNotFoundException if there is none for any instance, in words for the user
     */
    static List<Path> find(String text, int instance, int parallelism) throws IOException {
        InputFiles files = new InputFiles(text, instance, parallelism);
        return files.isGlob() ? files.glob() : files.fileOrFolder(Path.of(text));
    }

    /** The files of one instance among all. */
    static List<Path> share(List<Path> all, int instance, int parallelism) throws IOException {
        InputFiles files = new InputFiles("", instance, parallelism);
        List<Path> mine = new ArrayList<>();
        for (Path each : all) {
            files.take(each, mine);
        }
        return mine;
    }

    /** The same for all instances together. */
    static List<Path> all(String text) throws IOException {
        return find(text, 0, 1);
    }

    /** The folder in which files appear and vanish; for a glob, the last folder before the pattern. */
    static Path base(String text) {
        InputFiles files = new InputFiles(text, 0, 1);
        Path path = files.isGlob() ? files.fixed() : Path.of(text);
        return Files.isDirectory(path) ? path : path.toAbsolutePath().getParent();
    }

    private boolean isGlob() {
        return text.chars().anyMatch(c -> GLOB.indexOf(c) >= 0) && !Files.exists(Path.of(text));
    }

    /** The instance that reads it. */
    static int instanceOf(String path, int parallelism) {
        long hash = 0;
        for (int k = 0; k < path.length(); k++) {
            hash = (hash * PRIME + path.charAt(k)) % parallelism;
        }
        return (int) hash;
    }

    private List<Path> fileOrFolder(Path path) throws IOException {
        if (!Files.exists(path)) {
            throw new MissingFileException(path, CHECK);
        }
        refuseSpecial(path);
        List<Path> mine = new ArrayList<>();
        if (!Files.isDirectory(path)) {
            take(path, mine);
            return mine;
        }
        found = false;
        try (Stream<Path> entries = Files.list(path)) {
            for (Path entry : (Iterable<Path>) entries.filter(InputFiles::counts)::iterator) {
                take(entry, mine);
            }
        }
        if (!found) {
            throw new FileNotFoundException("no file in folder " + path + CHECK);
        }
        mine.sort(null);
        return mine;
    }

    private void take(Path file, List<Path> mine) throws IOException {
        found = true;
        String name = file.getFileName().toString();
        String ending = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        if (FOREIGN.contains(ending)) {
            throw new IOException(file + ": ." + ending + " files cannot be read; unpack it, or use .gz or .zst");
        }
        if (instanceOf(file.toString(), parallelism) == instance) {
            mine.add(file);
        }
    }

    /** @throws IOException if it is a pipe, a device or a socket: opening or reading it may block for ever */
    static void refuseSpecial(Path path) throws IOException {
        if (FileKind.isSpecial(path)) {
            throw new IOException(path + " is a pipe, a device or a socket, and a file_source reads only regular files;"
                    + " write its output to a file and read that");
        }
    }

    private List<Path> glob() throws IOException {
        Path pattern = Path.of(text);
        Path fixed = fixed();
        PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + text);
        int depth = pattern.getNameCount() - fixed.getNameCount();
        try (Stream<Path> below = Files.walk(fixed, Math.max(1, fixed.toString().isEmpty() ? depth + 1 : depth))) {
            List<Path> matches = new ArrayList<>();
            for (Path match : (Iterable<Path>) below.filter(matcher::matches)::iterator) {
                if (counts(match)) {
                    take(match, matches);
                } else if (Files.isDirectory(match)) {
                    matches.add(match);
                }
            }
            matches.sort(null);
            List<Path> mine = new ArrayList<>();
            for (Path match : matches) {
                mine.addAll(Files.isDirectory(match) ? fileOrFolder(match) : List.of(match));
            }
            if (!found) {
                throw new FileNotFoundException("no file matches " + text + CHECK);
            }
            return mine;
        } catch (NoSuchFileException missing) {
            throw new FileNotFoundException("no file matches " + text + ": there is no " + fixed + CHECK);
        }
    }

    /** The folder that a glob begins with. */
    private Path fixed() {
        Path pattern = Path.of(text);
        Path fixed = pattern.isAbsolute() ? Path.of("/") : Path.of("");
        for (Path part : pattern) {
            if (part.toString().chars().anyMatch(c -> GLOB.indexOf(c) >= 0)) {
                break;
            }
            fixed = fixed.resolve(part);
        }
        return fixed;
    }

    private static boolean counts(Path path) {
        String name = path.getFileName().toString();
        return !name.startsWith(".") && !name.startsWith("_") && Files.isRegularFile(path);
    }
}
