package io.despina.operator.disk;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How the files of sources and sinks are named. A file of this machine has an absolute path. One of Hadoop's file systems, as
 * {@code hdfs://host/a.csv} or {@code s3a://bucket/a.csv}, has a path within the engine whose first name is the scheme with its
 * colon.
 */
public final class FileAddress {
    /** How names of options begin that are for Hadoop's file systems. */
    public static final String SETTINGS = "fs.";

    private static final Pattern URI = Pattern.compile("([a-zA-Z][a-zA-Z0-9+.-]+:)//?(.*)");

    private FileAddress() {
    }

    /** Whether a path of a graph file is of one of Hadoop's file systems. */
    public static boolean isHadoops(String path) {
        return URI.matcher(path).matches();
    }

    public static boolean isHadoops(Path path) {
        return !path.isAbsolute() && isHadoops(path.toString());
    }

    /** Whether an option is for Hadoop's file systems: its name begins with {@code fs.}, as on Spark. */
    public static boolean isSetting(String name) {
        return name.startsWith(SETTINGS);
    }

    /** The options that say how records are written. */
    public static Map<String, String> withoutSettings(Map<String, String> options) {
        Map<String, String> others = new HashMap<>(options);
        others.keySet().removeIf(FileAddress::isSetting);
        return others;
    }

    /** As Hadoop's paths are written, with nothing escaped: a URI of Hadoop's, or {@code file:} and the path on this machine. */
    public static String uri(Path path) {
        return isHadoops(path) ? text(path) : "file:" + path.toAbsolutePath();
    }

    /** For messages: the path, or the URI of a file of Hadoop's. */
    public static String text(Path path) {
        Matcher parts = URI.matcher(path.toString());
        return isHadoops(path) && parts.matches() ? parts.group(1) + "//" + parts.group(2) : path.toString();
    }
}
