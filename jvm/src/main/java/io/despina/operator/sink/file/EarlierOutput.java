package io.despina.operator.sink.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The earlier output in a sink's place. The sink inspects it on opening; if it is to be replaced, the first commit removes it.
 * Each instance handles its own parts, the first one also the rest.
 */
final class EarlierOutput {
    private final OutputNames names;
    private final OutputOptions options;
    private final OutputDisk disk;
    private final int parallelism;
    /** Removed by the first commit. */
    private final List<Path> older = new ArrayList<>();
    /** The identity of the earlier single file, or null. */
    private Object single;

    EarlierOutput(OutputNames names, OutputOptions options, int parallelism) {
        this.names = names;
        this.options = options;
        disk = options.disk();
        this.parallelism = parallelism;
    }

    /**
     * Inspects the folder. Removes only empty and auxiliary files of dead sinks.
     *
     * @param entries the entries of the folder
     * @param left    called with files of rows that a dead job did not commit
     * @throws IOException if this sink must not write here, in words for the user
     */
    void look(List<Path> entries, Consumer<Path> left) throws IOException {
        if (options.single()) {
            if (disk.isFolder(options.path())) {
                throw new IOException(options.text() + " is a folder, and single_file needs a file");
            }
            if (disk.exists(options.path())) {
                refuseUnlessReplaced(options.path());
                single = identity(options.path());
            }
        }
        for (Path file : entries) {
            lookAt(file);
        }
        // only now that nothing was refused
        for (Path file : entries) {
            String name = file.getFileName().toString();
            if (name.startsWith(".") && names.isMine(names.instanceOf(name), parallelism)) {
                tidy(file, name, left);
            }
        }
    }

    private void lookAt(Path file) throws IOException {
        String name = file.getFileName().toString();
        if (name.startsWith(".") || options.single()) {
            return;
        }
        int of = names.instanceOf(name);
        if (names.isMine(of, parallelism) || names.isFirst() && name.equals(OutputNames.SUCCESS)) {
            refuseUnlessReplaced(file);
            older.add(file);
        } else if (names.isFirst() && of < 0) {
            throw new IOException(disk.text(names.folder()) + " holds `" + name + "`, which is not an output file; "
                    + "choose another folder");
        }
    }

    private void refuseUnlessReplaced(Path file) throws IOException {
        if (!options.replace()) {
            throw new IOException(options.text() + (options.single() ? " exists" : " holds output of an earlier run (`"
                    + file.getFileName() + "`"
                    + (isCutShort() ? ", and older output that a killed run was about to replace" : "") + ")")
                    + "; choose another path to keep both, or say \"if_exists\": \"replace\"");
        }
    }

    /** Whether a run was killed between its first commit and the removal of the output that it replaced. */
    private boolean isCutShort() throws IOException {
        for (Path file : disk.list(names.folder())) {
            if (file.getFileName().toString().endsWith(OutputNames.REPLACES)) {
                return true;
            }
        }
        return false;
    }

    private void tidy(Path file, String name, Consumer<Path> left) throws IOException {
        if (!OutputNames.holdsRows(name)) {
            boolean own = names.isOwners(name);
            boolean ours = name.endsWith(OutputNames.LOCK) || name.endsWith(OutputNames.MADE)
                    || name.endsWith(OutputNames.REPLACES) || name.endsWith(".done");
            if (!own && ours) {
                disk.delete(file);
            }
        } else if (disk.size(file) == 0 || names.isOfEarlierAttempt(name)) {      // whose rows come again
            disk.delete(file);
        } else {
            Path kept = names.leftOf(file);
            disk.move(file, kept);
            if (options.replace()) {
                older.add(kept);
            } else {
                left.accept(kept);
            }
        }
    }

    /** Whether the file is earlier output to be replaced. */
    boolean isReplaced(Path visible) throws IOException {
        return options.single() ? single != null && single.equals(identity(visible)) : older.contains(visible);
    }

    private static Object identity(Path file) throws IOException {
        return List.of(String.valueOf(Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes.class).fileKey()),
                Files.getLastModifiedTime(file), Files.size(file));
    }

    /**
     * Called before the first epoch becomes visible. Records what will be removed after it, so that a later run that finds both
     * can tell; removes an earlier success mark at once.
     */
    void announce() throws IOException {
        single = null;
        if (!older.isEmpty()) {
            disk.write(names.mark(OutputNames.REPLACES),
                    older.stream().map(file -> file.getFileName() + "\n").collect(Collectors.joining()));
            disk.delete(names.folder().resolve(OutputNames.SUCCESS));
        }
    }

    /** Called after the first epoch has become visible. @param shown the file that is in its place now, and stays; or null */
    void remove(Path shown) throws IOException {
        if (older.isEmpty()) {
            return;
        }
        for (Path file : older) {
            if (!file.equals(shown)) {
                disk.delete(file);
            }
        }
        older.clear();
        disk.delete(names.mark(OutputNames.REPLACES));
    }
}
