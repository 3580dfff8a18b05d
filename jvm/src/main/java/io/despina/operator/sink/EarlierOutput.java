package io.despina.operator.sink;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What was in a sink's place before it: looked at when the sink opens, and removed, where it is to be replaced, by the first
 * commit. Each instance looks after its own parts, the first one also after the rest.
 */
final class EarlierOutput {
    private final OutputNames names;
    private final OutputOptions options;
    private final int parallelism;
    /** To go at the first commit. */
    private final List<Path> older = new ArrayList<>();
    /** The single file as it was, or null. */
    private Object single;

    EarlierOutput(OutputNames names, OutputOptions options, int parallelism) {
        this.names = names;
        this.options = options;
        this.parallelism = parallelism;
    }

    /**
     * Looks, and removes nothing but what dead sinks have left empty or for their own use.
     *
     * @param entries what the folder holds
     * @param left    told of rows that a dead job did not commit
     * @throws IOException in words for the user: this sink must not write here
     */
    void look(List<Path> entries, Consumer<Path> left) throws IOException {
        if (options.single()) {
            if (Files.isDirectory(options.path())) {
                throw new IOException(options.path() + " is a folder, and single_file needs a file");
            }
            if (Files.exists(options.path())) {
                refuseUnlessReplaced(options.path());
                single = identity(options.path());
            }
        }
        for (Path file : entries) {
            lookAt(file);
        }
        // only now, when nothing is refused
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
            throw new IOException(names.folder() + " holds `" + name + "`, which is not an output file; choose another folder");
        }
    }

    private void refuseUnlessReplaced(Path file) throws IOException {
        if (!options.replace()) {
            throw new IOException(options.path() + (options.single() ? " exists" : " holds output of an earlier run (`"
                    + file.getFileName() + "`"
                    + (isCutShort() ? ", and older output that a killed run was about to replace" : "") + ")")
                    + "; remove it, or say \"if_exists\": \"replace\"");
        }
    }

    /** A run was killed between its first commit and the removal of what it replaced: both are there. */
    private boolean isCutShort() throws IOException {
        for (Path file : CreatedFolder.list(names.folder())) {
            if (file.getFileName().toString().endsWith(OutputNames.REPLACES)) {
                return true;
            }
        }
        return false;
    }

    private void tidy(Path file, String name, Consumer<Path> left) throws IOException {
        if (!OutputNames.holdsRows(name)) {
            boolean own = names.isOwners(name, OutputNames.LOCK) || names.isOwners(name, OutputNames.MADE);
            boolean ours = name.endsWith(OutputNames.LOCK) || name.endsWith(OutputNames.MADE)
                    || name.endsWith(OutputNames.REPLACES) || name.endsWith(".done");
            if (!own && ours) {
                Files.deleteIfExists(file);
            }
        } else if (Files.size(file) == 0) {
            Files.deleteIfExists(file);
        } else {
            Path kept = OutputNames.leftOf(file);
            Files.move(file, kept);
            if (options.replace()) {
                older.add(kept);
            } else {
                left.accept(kept);
            }
        }
    }

    /** Whether what is there now was there before this sink, and is to be replaced. */
    boolean isReplaced(Path visible) throws IOException {
        return options.single() ? single != null && single.equals(identity(visible)) : older.contains(visible);
    }

    private static Object identity(Path file) throws IOException {
        return List.of(String.valueOf(Files.readAttributes(file, java.nio.file.attribute.BasicFileAttributes.class).fileKey()),
                Files.getLastModifiedTime(file), Files.size(file));
    }

    /** Before the first epoch is shown: says what goes after it, so that a run that finds both knows; a mark goes at once. */
    void announce() throws IOException {
        single = null;
        if (!older.isEmpty()) {
            Files.write(names.hidden(OutputNames.REPLACES),
                    older.stream().map(file -> file.getFileName().toString()).toList());
            Files.deleteIfExists(names.folder().resolve(OutputNames.SUCCESS));
        }
    }

    /** After the first epoch is shown. @param shown the file that is in its place now, and stays; or null */
    void remove(Path shown) throws IOException {
        if (older.isEmpty()) {
            return;
        }
        for (Path file : older) {
            if (!file.equals(shown)) {
                delete(file);
            }
        }
        older.clear();
        delete(names.hidden(OutputNames.REPLACES));
    }

    private static void delete(Path file) throws IOException {
        try {
            Files.delete(file);
        } catch (NoSuchFileException alreadyGone) {
            return;
        }
    }
}
