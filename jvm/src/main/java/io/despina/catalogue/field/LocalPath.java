package io.despina.catalogue.field;

import io.despina.descriptor.Rule;
import io.despina.descriptor.Text;
import io.despina.plan.PlanningContext;
import io.despina.plan.StandardStreams;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Converts paths of files from the graph's form to the plan's. */
public final class LocalPath {
    /** A single letter is a drive, not a scheme. */
    private static final Pattern URI = Pattern.compile("([a-zA-Z][a-zA-Z0-9+.-]+):/");
    /** The host or bucket must be named. */
    private static final Pattern HADOOP = Pattern.compile("[a-zA-Z][a-zA-Z0-9+.-]+://[^/]");
    private static final Pattern FILE = Pattern.compile("file:(?://([^/]*+))?+(/.*)");
    /** A descriptor of the process that opens the path, which may be the engine or Spark. */
    private static final Pattern DESCRIPTOR = Pattern.compile("/dev/(?:stdin|stdout|stderr|fd(?:/.*)?)"
            + "|/proc/[^/]+/(?:task/[^/]+/)?fd(?:/.*)?");
    private static final Pattern ESCAPED = Pattern.compile("(%[0-9a-fA-F]{2})+");

    private LocalPath() {
    }

    /**
     * Resolves a relative path in the directory of the options. A {@code file:} URI becomes a path for the engine, and an
     * unescaped URI for Spark, which decodes nothing. Other URIs and the path of {@link StandardStreams} stay unchanged.
     *
     * @return null after refusing a file that is not on this machine, or a descriptor
     */
    static String planned(PlanningContext context, Text path) {
        return planned(context, path, false);
    }

    /** The same for what may be on one of Hadoop's file systems. */
    public static String anywhere(PlanningContext context, Text path) {
        return planned(context, path, true);
    }

    private static String planned(PlanningContext context, Text path, boolean hadoop) {
        if (StandardStreams.isMeant(path.value())) {
            return path.value();
        }
        String planned = located(context, path, hadoop);
        if (planned == null || !DESCRIPTOR.matcher(planned.replaceFirst("^file:", "")).matches()) {
            return planned;
        }
        return context.refuse(path.place(), Rule.PATH, "`" + path.value() + "` is a file of the engine's process, not of"
                + " yours", "write - for standard input and standard output, or name a file: <(…) and >(…) do not reach "
                + "the engine");
    }

    private static String located(PlanningContext context, Text path, boolean hadoop) {
        Matcher uri = URI.matcher(path.value());
        if (!uri.lookingAt()) {
            return Path.of(context.planning().options().directory()).resolve(path.value()).normalize().toString();
        }
        boolean forSpark = context.planning().options().target().isSpark();
        if (!uri.group(1).equals("file")) {
            boolean known = forSpark || hadoop && HADOOP.matcher(path.value()).lookingAt();
            return known ? path.value() : context.refuse(path.place(), Rule.PATH,
                    "`" + path.value() + "` is not on this machine",
                    hadoop ? "name the host or the bucket: " + uri.group(1) + "://host/path"
                    : "this file must be local: a path, or a URI that begins with file:/");
        }
        String here = of(path.value());
        if (here == null) {
            return context.refuse(path.place(), Rule.PATH, "`" + path.value() + "` is not on this machine",
                    "after file:// comes a host; file:///data/in.csv has none");
        }
        return forSpark ? "file:" + here : here;
    }

    /**
     * The path that a {@code file:} URI names on this machine, normalised and decoded.
     *
     * @return null if the URI names another machine, or no path
     */
    static String of(String uri) {
        Matcher file = FILE.matcher(uri);
        if (!file.matches() || file.group(1) != null && !file.group(1).isEmpty() && !file.group(1).equals("localhost")) {
            return null;
        }
        String path = ESCAPED.matcher(file.group(2)).replaceAll(found -> Matcher.quoteReplacement(decoded(found.group())));
        return Path.of(path).normalize().toString();
    }

    private static String decoded(String escapes) {
        return new String(HexFormat.of().parseHex(escapes.replace("%", "")), StandardCharsets.UTF_8);
    }

    /** As {@link #anywhere}, of files that are read into memory: not standard input. Null after a refusal. */
    public static String filesAnywhere(PlanningContext context, Text text, String reader) {
        String path = anywhere(context, text);
        return path == null || !StandardStreams.isMeant(path) ? path
                : context.refuse(text.place(), Rule.PATH, reader + " cannot read standard input", "give a path");
    }
}
