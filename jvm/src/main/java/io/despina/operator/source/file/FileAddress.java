package io.despina.operator.source.file;

import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a source's files are named. A file of this machine has an absolute path. One of Hadoop's file systems, as
 * {@code hdfs://host/a.csv} or {@code s3a://bucket/a.csv}, has a path within the source whose first name is the scheme with its
 * colon.
 */
final class FileAddress {
    private static final Pattern URI = Pattern.compile("([a-zA-Z][a-zA-Z0-9+.-]+:)//?(.*)");

    private FileAddress() {
    }

    /** Whether a source's path is of one of Hadoop's file systems. */
    static boolean isHadoops(String path) {
        return URI.matcher(path).matches();
    }

    static boolean isHadoops(Path path) {
        return !path.isAbsolute() && isHadoops(path.toString());
    }

    /** As URI: one of Hadoop's, or {@code file:} on this machine. */
    static String uri(Path path) {
        return isHadoops(path) ? text(path) : path.toUri().toString();
    }

    /** For messages: the path, or the URI of a file of Hadoop's. */
    static String text(Path path) {
        Matcher parts = URI.matcher(path.toString());
        return isHadoops(path) && parts.matches() ? parts.group(1) + "//" + parts.group(2) : path.toString();
    }
}
