package io.despina.operator.lookup;

import java.util.Arrays;
import java.util.Comparator;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * The keys of {@link PlaceNames} within an edit distance (Levenshtein's) of a name. The keys are sorted, so that those which
 * begin alike share the rows of the distance's table, and all that begin too differently are passed over at once.
 */
final class NearNames {
    private final PlaceNames names;
    private final int most;
    private final int[] sorted;
    /** How many letters a sorted key shares with the one before it. */
    private final short[] shared;
    /** A row for each letter of a key. */
    private final int[][] rows;

    /** @param most the distance */
    NearNames(PlaceNames names, int most) {
        this.names = names;
        this.most = most;
        sorted = IntStream.range(0, names.keys()).boxed().sorted(Comparator.comparing(Integer::intValue, this::compare))
                .mapToInt(Integer::intValue).toArray();
        shared = new short[sorted.length];
        int longest = 0;
        for (int k = 0; k < sorted.length; k++) {
            longest = Math.max(longest, names.keyLength(sorted[k]));
            shared[k] = (short) (k == 0 ? 0 : alike(sorted[k - 1], sorted[k]));
        }
        rows = new int[longest + 1][];
    }

    private int compare(int a, int b) {
        char[] letters = names.letters();
        return Arrays.compare(letters, names.keyStart(a), names.keyStart(a) + names.keyLength(a), letters, names.keyStart(b),
                names.keyStart(b) + names.keyLength(b));
    }

    private int alike(int a, int b) {
        int end = Math.min(names.keyLength(a), names.keyLength(b));
        int same = 0;
        while (same < end && names.letters()[names.keyStart(a) + same] == names.letters()[names.keyStart(b) + same]) {
            same++;
        }
        return same;
    }

    /** Gives the keys at {@code distance} exactly, which is at most the one of the constructor. */
    void each(FoldedName name, int distance, IntConsumer keys) {
        int width = name.length() + 1;
        if (width > rows.length + most) {
            return;
        }
        row(0, width);
        for (int k = 0; k < width; k++) {
            rows[0][k] = k;
        }
        int done = 0;
        for (int k = 0; k < sorted.length; k++) {
            if (shared[k] > done) {
                continue; // it begins as one that was given up
            }
            int key = sorted[k];
            int length = names.keyLength(key);
            done = shared[k];
            boolean near = true;
            while (near && done < length) {
                near = letter(done, names.letters()[names.keyStart(key) + done], name, distance);
                done += near ? 1 : 0;
            }
            if (near && rows[length][width - 1] == distance) {
                keys.accept(key);
            }
        }
    }

    private void row(int depth, int width) {
        if (rows[depth] == null || rows[depth].length < width) {
            rows[depth] = new int[width];
        }
    }

    /** The row behind one more letter. @return whether a key that goes on so may be near */
    private boolean letter(int depth, char letter, FoldedName name, int distance) {
        int width = name.length() + 1;
        row(depth + 1, width);
        int[] above = rows[depth];
        int[] row = rows[depth + 1];
        row[0] = depth + 1;
        int least = row[0];
        for (int k = 1; k < width; k++) {
            int changed = above[k - 1] + (name.chars()[k - 1] == letter ? 0 : 1);
            row[k] = Math.min(changed, Math.min(above[k], row[k - 1]) + 1);
            least = Math.min(least, row[k]);
        }
        return least <= distance;
    }

    /** Memory held. */
    long bytes() {
        return 6L * sorted.length + (long) rows.length * rows.length * 4;
    }
}
