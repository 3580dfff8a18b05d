package io.despina.operator.source.file;

import io.despina.operator.disk.FileKind;
import io.despina.operator.disk.MissingFileException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Finds the files of a source's path on this machine: one file, the files of a folder, or those that match a glob of Hadoop's.
 * {@link FileTree} says which files of a folder those are.
 */
public final class InputFiles {
    private static final String CHECK = "; check `path`";
    /** Shares no divisor with any parallelism, and spreads numbered files well over up to 64 instances. */
    private static final long PRIME = 345_517;
    /** Packed files that Spark does not unpack. */
    private static final Set<String> FOREIGN = Set.of("xz", "zip", "br", "lzo", "7z");
    private static final LocalTree TREE = new LocalTree();

    private final String text;
    private final int instance;
    private final int parallelism;
    /** Those of the instance. */
    private final List<Path> mine = new ArrayList<>();
    /** Whether there is a file for any instance. */
    private boolean found;

    private InputFiles(String text, int instance, int parallelism) {
        this.text = text;
        this.instance = instance;
        this.parallelism = parallelism;
    }

    /**
     * The files of one instance, in path order. A path that exists is no glob, and the file that it names is read whatever its
     * name. The path alone determines the instance that reads a file, because each instance lists on its own and files may appear
     * or vanish in between. An instance keeps only its own files of a large folder.
     *
     * @throws FileNotFoundException if there is none for any instance, in words for the user
     */
    static List<Path> find(String text, int instance, int parallelism) throws IOException {
        InputFiles files = new InputFiles(text, instance, parallelism);
        if (isGlob(text)) {
            files.glob();
        } else {
            files.fileOrFolder(Path.of(text));
        }
        return files.mine.stream().sorted().distinct().toList();
    }

    /** The files of one instance among all. */
    static List<Path> share(List<Path> all, int instance, int parallelism) throws IOException {
        InputFiles files = new InputFiles("", instance, parallelism);
        for (Path each : all) {
            files.take(each);
        }
        return files.mine;
    }

    /** The same as {@link #find} for all instances together. */
    public static List<Path> all(String text) throws IOException {
        return find(text, 0, 1);
    }

    /**
     * The folder in which files appear and vanish; for a glob, the last folder before the pattern. Folders below it may give
     * their files columns.
     */
    public static Path base(String text) {
        if (isGlob(text)) {
            return fixed(text);
        }
        Path path = Path.of(text);
        return Files.isDirectory(path) ? path : path.toAbsolutePath().getParent();
    }

    /** Whether a file of that name is read only if the path names it. */
    public static boolean isHidden(String name) {
        return FileTree.isHidden(name);
    }

    private static boolean isGlob(String text) {
        return hasPattern(text) && !Files.exists(Path.of(text));
    }

    static boolean hasPattern(String text) {
        return text.chars().anyMatch(c -> LocalTree.GLOB.indexOf(c) >= 0);
    }

    /** The part of a path before its first pattern. */
    static Path fixed(String text) {
        Path path = Path.of(text);
        Path fixed = path.isAbsolute() ? path.getRoot() : Path.of("");
        for (Path name : path) {
            if (hasPattern(name.toString())) {
                break;
            }
            fixed = fixed.resolve(name);
        }
        return fixed;
    }

    /** The instance that reads it. */
    static int instanceOf(String path, int parallelism) {
        long hash = 0;
        for (int k = 0; k < path.length(); k++) {
            hash = (hash * PRIME + path.charAt(k)) % parallelism;
        }
        return (int) hash;
    }

    private void fileOrFolder(Path path) throws IOException {
        if (!Files.exists(path)) {
            throw new MissingFileException(path, Files.isSymbolicLink(path) ? ": it is a link to " + Files.readSymbolicLink(path)
                    : CHECK);
        }
        refuseSpecial(path);
        if (!Files.isDirectory(path)) {
            take(path);
            return;
        }
        TREE.ofFolder(path, this::take);
        if (!found) {
            throw new FileNotFoundException("no file in folder " + path + (hasFolder(path)
                    ? "; those of the folders in it are read by a glob: " + path + "/*" : CHECK));
        }
    }

    private static boolean hasFolder(Path folder) throws IOException {
        List<Path> folders = new ArrayList<>();
        TREE.entries(folder, entry -> {
            if (TREE.isFolder(entry) && !FileTree.isHidden(TREE.name(entry)) && TREE.name(entry).indexOf('=') < 0) {
                folders.add(entry);
            }
        });
        return !folders.isEmpty();
    }

    private void take(Path file) throws IOException {
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

    private void glob() throws IOException {
        for (Path match : TREE.matches(text)) {
            TREE.ofMatch(match, this::take);
        }
        if (!found) {
            Path fixed = fixed(text);
            throw new FileNotFoundException("no file matches " + text
                    + (Files.exists(fixed) || fixed.toString().isEmpty() ? "" : ": there is no " + fixed) + CHECK);
        }
    }
}
