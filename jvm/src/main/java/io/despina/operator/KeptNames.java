package io.despina.operator;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The names under which servers know an instance, in files of its folder. They stay there for ever, and who gives the job up
 * finds by them what it has left.
 */
public final class KeptNames {
    /** With which the name of a session begins; {@link #session} has it whole. */
    public static final String SESSION = "name";
    /** Of the outbox of a sink. */
    public static final String OUTBOX = "outbox";

    private KeptNames() {
    }

    /** @param begin what the file {@link #SESSION} has */
    public static String session(String begin, String operator, int instance) {
        return begin + "." + operator + "." + instance;
    }

    /** What the file has; null if there is none. */
    public static String read(Path folder, String file) throws IOException {
        Path at = folder.resolve(file);
        return Files.exists(at) ? Files.readString(at) : null;
    }

    /** Writes the file, if it is not there: whole, or not at all. */
    public static void write(Path folder, String file, String name) throws IOException {
        if (read(folder, file) != null) {
            return;
        }
        Files.createDirectories(folder);
        Path unfinished = folder.resolve(file + ".new");
        Files.writeString(unfinished, name);
        Files.move(unfinished, folder.resolve(file), StandardCopyOption.ATOMIC_MOVE);
    }
}
