package io.despina.control.resource;

import io.despina.descriptor.Nearest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** "Did you mean" for a missing file. Used only after the job has failed. */
final class NearFile {
    /** The most names that are compared in a folder. */
    private static final int MOST_NAMES = 10_000;

    private NearFile() {
    }

    /** A hint: the name nearest to the missing one in its folder; null if none is near, or the folder cannot be read. */
    static String hint(Path missing) {
        Path name = missing.getFileName();
        Path folder = missing.toAbsolutePath().getParent();
        if (name == null || folder == null) {
            return null;
        }
        try (Stream<Path> entries = Files.list(folder)) {
            List<String> names = entries.limit(MOST_NAMES).map(entry -> entry.getFileName().toString())
                    .filter(other -> !other.equals(name.toString())).sorted().toList();     // a link may lead nowhere
            return Nearest.guess(name.toString(), names);
        } catch (IOException | UncheckedIOException unreadable) {
            return null;
        }
    }
}
