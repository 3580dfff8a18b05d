package io.despina.operator.source.file;

import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A pattern of names, which matches what Hadoop's class of that name matches. Hadoop's loads a library of regular expressions,
 * which takes as long as a tenth of a job's start.
 */
final class GlobPattern {
    private static final String OF_REGEX = ".$()|+&";

    private final Pattern regex;
    private final boolean hasWildcard;

    /** @throws PatternSyntaxException if it is none */
    GlobPattern(String glob) {
        StringBuilder found = new StringBuilder();
        boolean wild = false;
        boolean inClass = false;
        int groups = 0;
        for (int k = 0; k < glob.length(); k++) {
            char c = glob.charAt(k);
            wild |= "*?[{".indexOf(c) >= 0;
            switch (c) {
                case '\\' -> found.append(quoted(glob, ++k));
                case '*' -> found.append(inClass ? "*" : ".*");
                case '?' -> found.append(inClass ? "?" : ".");
                case '{' -> {
                    found.append("(?:");
                    groups++;
                }
                case ',' -> found.append(groups > 0 ? "|" : ",");
                case '}' -> found.append(groups-- > 0 ? ")" : "\\}");
                case '[' -> {
                    if (inClass) {
                        throw new PatternSyntaxException("unclosed class of characters", glob, k);
                    }
                    inClass = true;
                    found.append('[');
                }
                case ']' -> {
                    inClass = false;
                    found.append(']');
                }
                case '^' -> found.append(inClass ? "^" : "\\^");
                case '!' -> found.append(inClass && glob.charAt(k - 1) == '[' ? '^' : '!');
                default -> found.append(OF_REGEX.indexOf(c) < 0 ? "" : "\\").append(c);
            }
            groups = Math.max(0, groups);
        }
        if (inClass || groups > 0) {
            throw new PatternSyntaxException(inClass ? "unclosed class of characters" : "unclosed group", glob, glob.length());
        }
        regex = Pattern.compile(found.toString(), Pattern.DOTALL);
        hasWildcard = wild;
    }

    private static String quoted(String glob, int at) {
        if (at == glob.length()) {
            throw new PatternSyntaxException("nothing behind a \\", glob, at);
        }
        String c = glob.substring(at, at + 1);
        return Character.isLetterOrDigit(c.charAt(0)) ? c : "\\" + c;
    }

    /** Whether it may match another name than itself. */
    boolean hasWildcard() {
        return hasWildcard;
    }

    boolean matches(String name) {
        return regex.matcher(name).matches();
    }
}
