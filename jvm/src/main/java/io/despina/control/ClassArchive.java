package io.despina.control;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * The class-data archive that makes JVMs start sooner: classes of engine and Catalyst, parsed once. It lies in the user's cache
 * folder, under a name made from the Java and every jar's size and time, so another jar never meets an old archive. Made by
 * {@code despina doctor --archive}; a JVM that cannot use it starts without.
 */
public final class ClassArchive {

    private ClassArchive() {
    }

    /** Prints where the archive is, or would be, of the JVM that runs this: Python looks for the same file. */
    public static void main(String[] arguments) {
        System.out.println(file());
    }

    /** The flags that use the archive; none if there is none yet. */
    static List<String> flags() {
        Path file = file();
        return file != null && Files.isReadable(file) ? List.of("-XX:SharedArchiveFile=" + file) : List.of();
    }

    /** Where the archive of this Java and class path is, or would be; null if that cannot be told. */
    static Path file() {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            add(digest, Runtime.version().toString());
            for (String entry : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
                Path jar = Path.of(entry);
                if (Files.isDirectory(jar)) {
                    return null;
                }
                if (Files.exists(jar)) {
                    add(digest, entry + " " + Files.size(jar) + " " + Files.getLastModifiedTime(jar).toMillis());
                }
            }
            return folder().resolve("classes-" + HexFormat.of().formatHex(digest.digest(), 0, 12) + ".jsa");
        } catch (IOException | NoSuchAlgorithmException e) {
            return null;
        }
    }

    private static Path folder() {
        String cache = System.getenv("XDG_CACHE_HOME");
        return cache == null || cache.isEmpty() ? Path.of(System.getProperty("user.home"), ".cache", "despina")
                : Path.of(cache, "despina");
    }

    private static void add(MessageDigest digest, String text) {
        digest.update((text + "\n").getBytes(StandardCharsets.UTF_8));
    }
}
