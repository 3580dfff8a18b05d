package io.despina.descriptor;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Fills in the values of a graph's parameters where a string names them: {@code ${name}}, and {@code $${} for a plain {@code ${}.
 */
final class Parameters {
    /** The most characters of a text with parameters, once these are filled in. */
    static final int MOST_CHARACTERS = 1 << 20;

    /** An error at an index of the string. */
    record Problem(int index, String message, String hint) {
    }

    /** @param origin by character, the index in the string as written; null if nothing was filled in */
    record Filled(String value, int[] origin, List<Problem> problems) {
    }

    private final Set<String> declared;
    private final Map<String, String> values;
    private final String undeclared;

    /** Those of a graph. @param values given ones and defaults */
    Parameters(Set<String> declared, Map<String, String> values) {
        this(declared, values, "declare it under \"parameters\"");
    }

    /** @param undeclared what to do about one that is not declared and like none that is */
    Parameters(Set<String> declared, Map<String, String> values, String undeclared) {
        this.declared = declared;
        this.values = values;
        this.undeclared = undeclared;
    }

    Filled fill(String written) {
        if (!written.contains("${")) {
            return new Filled(written, null, List.of());
        }
        StringBuilder value = new StringBuilder();
        List<Integer> origin = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        int at = 0;
        while (at < written.length()) {
            String piece;
            int next;
            if (written.startsWith("$${", at)) {
                piece = "${";
                next = at + 3;
            } else if (written.startsWith("${", at)) {
                int close = written.indexOf('}', at);
                next = close < 0 ? written.length() : close + 1;
                piece = close < 0 ? unclosed(at, problems) : valueOf(written.substring(at + 2, close), at, problems);
            } else {
                piece = written.substring(at, at + 1);
                next = at + 1;
            }
            if (value.length() + piece.length() > MOST_CHARACTERS) {
                problems.add(new Problem(at, "with its parameters the text has more than " + MOST_CHARACTERS + " characters",
                        null));
                break;
            }
            for (int k = 0; k < piece.length(); k++) {
                origin.add(at);
            }
            value.append(piece);
            at = next;
        }
        return new Filled(value.toString(), origin.stream().mapToInt(Integer::intValue).toArray(), problems);
    }

    private static String unclosed(int at, List<Problem> problems) {
        problems.add(new Problem(at, "`${` without `}`", "write `$${` for a plain `${`"));
        return "";
    }

    private String valueOf(String name, int at, List<Problem> problems) {
        String value = values.get(name);
        if (value != null) {
            return value;
        }
        if (declared.contains(name)) {
            problems.add(new Problem(at, "parameter `" + name + "` has no value", "give it: --set " + name + "=…"));
        } else {
            String nearest = Nearest.hint(name, declared);
            problems.add(new Problem(at, "parameter `" + name + "` is not declared", nearest == null ? undeclared : nearest));
        }
        return "";
    }
}
