package io.despina.nats;

import java.util.regex.Pattern;

/** Subjects, and patterns of them, in which {@code *} is any token, and {@code >} at the end any rest. */
final class Subjects {
    private static final Pattern DOT = Pattern.compile("\\.");

    private Subjects() {
    }

    /** Whether a subject fits both patterns; each may be a subject itself. */
    static boolean overlap(String pattern, String other) {
        String[] one = DOT.split(pattern, -1);
        String[] two = DOT.split(other, -1);
        for (int k = 0; k < one.length && k < two.length; k++) {
            if (one[k].equals(">") || two[k].equals(">")) {
                return true;
            }
            if (!one[k].equals(two[k]) && !one[k].equals("*") && !two[k].equals("*")) {
                return false;
            }
        }
        return one.length == two.length;
    }

    /** Whether a message can be sent to it: no token is empty or a wildcard, and nothing in it is blank. */
    static boolean isSubject(String text) {
        int from = 0;
        for (int k = 0; k <= text.length(); k++) {
            char at = k == text.length() ? '.' : text.charAt(k);
            if (at == '.') {
                char first = k == from ? '*' : text.charAt(from);
                if (k == from || k == from + 1 && (first == '*' || first == '>')) {
                    return false;
                }
                from = k + 1;
            } else if (at <= ' ' || at == '\u007f') {
                return false;
            }
        }
        return true;
    }
}
