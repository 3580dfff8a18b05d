package io.despina.plan;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Files of this machine, as graphs name them. */
public final class LocalPath {
    private static final Pattern SCHEME = Pattern.compile("^file:(//(localhost)?)?(?=/)");
    private static final Pattern ESCAPED = Pattern.compile("(%[0-9a-fA-F]{2})+");

    private LocalPath() {
    }

    /** Of a path, or of a URI that begins with {@code file:/}, in which {@code %20} is a space. */
    public static String of(String pathOrUri) {
        Matcher scheme = SCHEME.matcher(pathOrUri);
        return scheme.find() ? ESCAPED.matcher(pathOrUri.substring(scheme.end())).replaceAll(
                found -> Matcher.quoteReplacement(decoded(found.group()))) : pathOrUri;
    }

    private static String decoded(String escapes) {
        return new String(HexFormat.of().parseHex(escapes.replace("%", "")), StandardCharsets.UTF_8);
    }
}
