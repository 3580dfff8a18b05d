package io.despina.plan;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a {@code file:} URI names. */
final class LocalPath {
    private static final Pattern FILE = Pattern.compile("file:(?://([^/]*+))?+(/.*)");
    private static final Pattern ESCAPED = Pattern.compile("(%[0-9a-fA-F]{2})+");

    private LocalPath() {
    }

    /**
     * The path on this machine, normalised, {@code %20} a space.
     *
     * @return null if the URI names another machine, or none
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
}
