package io.despina.plan;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import java.util.regex.PatternSyntaxException;

/** Whether a sink would write where a source of the same job reads. It would replace its input, or read its own output. */
public final class Overlap {
    /** What to do about it. */
    public static final String HINT = "the sink would replace that input, or feed the source: give the file_sink a path that "
            + "differs from every file_source's";
    /** Spark's files may be on another system; their URIs are compared as paths under one root. */
    private static final Path ROOT = Path.of("/");
    private static final String GLOB = "*?[{";

    private Overlap() {
    }

    /** The same for the plan's paths, without access to files, so symbolic links are not resolved. */
    static String words(String source, ReadsFiles reads, WritesFiles writes) {
        return words(source, reads, writes, UnaryOperator.identity());
    }

    /**
     * The effect of the sink on the source, as words that follow the sink's name.
     *
     * @param source  the source's id
     * @param located resolves a path
     * @return null if they do not overlap
     */
    public static String words(String source, ReadsFiles reads, WritesFiles writes,
            UnaryOperator<Path> located) {
        if (StandardStreams.isMeant(reads.path()) || StandardStreams.isMeant(writes.path())) {
            return null;
        }
        Path pattern = path(reads.path());
        Path sink = located.apply(path(writes.path()));
        Path whole = located.apply(pattern);
        if (sink.equals(whole)) {
            return "writes what `" + source + "` reads";
        }
        if (whole.startsWith(sink)) {
            return "writes to a folder that holds what `" + source + "` reads";
        }
        if (sink.startsWith(whole)) {
            return "writes into the folder that `" + source + "` reads";
        }
        int fixed = 0;
        while (fixed < pattern.getNameCount() && !isGlob(pattern.getName(fixed))) {
            fixed++;
        }
        return fixed < pattern.getNameCount() && meets(located, pattern, fixed, sink, writes.singleFile())
                ? "writes where the glob of `" + source + "` can match" : null;
    }

    /**
     * Whether one of two paths of sources is within the other, as far as neither has a pattern: then files that one has may be
     * those of the other.
     */
    public static boolean nested(String one, String other) {
        Path first = fixed(path(one));
        Path second = fixed(path(other));
        return first.startsWith(second) || second.startsWith(first);
    }

    /** What comes before the first name that is a pattern. */
    private static Path fixed(Path pattern) {
        Path fixed = ROOT;
        for (Path name : pattern) {
            if (isGlob(name)) {
                break;
            }
            fixed = fixed.resolve(name);
        }
        return fixed;
    }

    private static Path path(String text) {
        return ROOT.resolve(text.replaceFirst("^file:/+", "/")).normalize();
    }

    private static boolean isGlob(Path name) {
        return name.toString().chars().anyMatch(c -> GLOB.indexOf(c) >= 0);
    }

    /**
     * Whether the glob, whose first {@code fixed} names have no pattern, can match the sink, a folder above it, or a file in its
     * folder.
     */
    private static boolean meets(UnaryOperator<Path> located, Path pattern, int fixed, Path sink, boolean singleFile) {
        Path folder = located.apply(fixed == 0 ? ROOT : ROOT.resolve(pattern.subpath(0, fixed)));
        if (!sink.startsWith(folder)) {
            return folder.startsWith(sink);
        }
        Path below = folder.relativize(sink);
        Path rest = pattern.subpath(fixed, pattern.getNameCount());
        for (int k = 0; k < Math.min(rest.getNameCount(), below.getNameCount()); k++) {
            String glob = rest.getName(k).toString();
            if (glob.contains("**")) {
                return true;
            }
            if (!matches(glob, below.getName(k))) {
                return false;
            }
        }
        return rest.getNameCount() <= below.getNameCount() || !singleFile;
    }

    private static boolean matches(String glob, Path name) {
        try {
            // Hadoop has two signs for characters that must not be there, Java one
            return FileSystems.getDefault().getPathMatcher("glob:" + glob.replace("[^", "[!")).matches(name);
        } catch (PatternSyntaxException ofSeveralNames) {   // {a/b,c} is cut at its slash
            return true;
        }
    }
}
