package io.despina.descriptor;

import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** "Did you mean": finds the known name that is nearest to an unknown one. */
public final class Nearest {
    private static final int SHOWN = 20;
    /** So many letters are the beginning of one name, where only one begins so. */
    private static final int BEGINNING = 3;

    private Nearest() {
    }

    /** A hint: the nearest name if one is near, else all of them if they are few; null if there are none. */
    public static String hint(String name, Collection<String> known) {
        String guess = guess(name, known);
        List<String> some = known.stream().limit(SHOWN).toList();
        return guess != null || some.isEmpty() ? guess
                : "there are " + String.join(", ", some) + (known.size() > SHOWN ? ", …" : "");
    }

    /** A hint: the nearest name; null if none is near. */
    public static String guess(String name, Collection<String> known) {
        String nearest = of(name, known);
        return nearest == null ? null : "did you mean `" + nearest + "`?";
    }

    /**
     * The nearest name: {@code size_ms} for {@code size}, {@code by} for {@code order_by}, or the only one that begins so; null
     * if none is near.
     */
    static String of(String name, Collection<String> known) {
        String best = known.stream().filter(k -> k.startsWith(name + "_")).findFirst()
                .or(() -> known.stream().filter(k -> name.endsWith("_" + k)).findFirst()).orElse(null);
        if (best != null) {
            return best;
        }
        List<String> longer = name.length() < BEGINNING ? List.of() : known.stream().filter(k -> k.startsWith(name)).toList();
        if (longer.size() == 1) {
            return longer.get(0);
        }
        int least = Integer.MAX_VALUE;
        for (String candidate : known) {
            int distance = distance(name.toLowerCase(Locale.ROOT), candidate.toLowerCase(Locale.ROOT));
            int most = Math.min(name.length() - 1, Math.max(1, (name.length() - sameEnd(name, candidate)) / 3));
            if (distance < least && distance <= most) {
                least = distance;
                best = candidate;
            }
        }
        return best;
    }

    /** How many letters the words have that both names end in: {@code kafka_sink} is not like {@code java_sink}. */
    private static int sameEnd(String a, String b) {
        int same = 0;
        for (int k = 1; k <= Math.min(a.length(), b.length()) && a.charAt(a.length() - k) == b.charAt(b.length() - k); k++) {
            same = a.charAt(a.length() - k) == '_' ? k : same;
        }
        return same;
    }

    /** Insertions, deletions, replacements and swaps of neighbours. */
    private static int distance(String a, String b) {
        int[][] d = new int[a.length() + 1][b.length() + 1];
        for (int i = 0; i <= a.length(); i++) {
            for (int k = 0; k <= b.length(); k++) {
                if (i == 0 || k == 0) {
                    d[i][k] = i + k;
                    continue;
                }
                int same = a.charAt(i - 1) == b.charAt(k - 1) ? 0 : 1;
                d[i][k] = Math.min(Math.min(d[i - 1][k], d[i][k - 1]) + 1, d[i - 1][k - 1] + same);
                if (i > 1 && k > 1 && a.charAt(i - 1) == b.charAt(k - 2) && a.charAt(i - 2) == b.charAt(k - 1)) {
                    d[i][k] = Math.min(d[i][k], d[i - 2][k - 2] + 1);
                }
            }
        }
        return d[a.length()][b.length()];
    }
}
