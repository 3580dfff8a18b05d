package io.despina.spec;

import java.util.Arrays;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which instance of an operator has which bucket of keys. At the start of a job the buckets are dealt out evenly; each move makes
 * a map of the next version. Immutable.
 */
public final class BucketMap {
    private static final Pattern WHOLE = Pattern.compile("version (\\d+), (\\d+) of (\\d+) at the start:(( \\d+(-\\d+)?=\\d+)+)");
    private static final Pattern RANGE = Pattern.compile(" (\\d+)(?:-(\\d+))?=(\\d+)");

    private final int version;
    private final int start;
    private final int instances;
    /** By bucket. */
    private final int[] owners;

    private BucketMap(int version, int start, int instances, int[] owners) {
        this.version = version;
        this.start = start;
        this.instances = instances;
        this.owners = owners;
    }

    /**
     * The map with which a job starts. Ranges are contiguous, so another number of instances moves few buckets.
     *
     * @param start     how many instances, from the first on, have buckets
     * @param instances of the operator, at least as many
     */
    public static BucketMap even(int buckets, int start, int instances) {
        int[] owners = new int[buckets];
        for (int bucket = 0; bucket < buckets; bucket++) {
            owners[bucket] = owner(bucket, buckets, start);
        }
        return new BucketMap(0, start, instances, owners);
    }

    /** Who of so many has a bucket before any has moved. */
    public static int owner(int bucket, int buckets, int instances) {
        return (int) ((long) bucket * instances / buckets);
    }

    /** The same for an operator whose instances all have buckets. */
    public static BucketMap even(int buckets, int instances) {
        return even(buckets, instances, instances);
    }

    /**
     * Reads what {@link #text} has written.
     *
     * @throws IllegalArgumentException if it is no map
     */
    public static BucketMap parse(String text) {
        Matcher whole = WHOLE.matcher(text);
        if (!whole.matches()) {
            throw new IllegalArgumentException("no map of buckets: " + text);
        }
        int instances = Integer.parseInt(whole.group(3));
        int[] owners = new int[0];
        for (Matcher range = RANGE.matcher(whole.group(4)); range.find();) {
            int from = Integer.parseInt(range.group(1));
            int to = range.group(2) == null ? from : Integer.parseInt(range.group(2));
            int owner = Integer.parseInt(range.group(3));
            if (from != owners.length || to < from || owner >= instances) {
                throw new IllegalArgumentException("no map of buckets: " + text);
            }
            owners = Arrays.copyOf(owners, to + 1);
            Arrays.fill(owners, from, to + 1, owner);
        }
        return new BucketMap(Integer.parseInt(whole.group(1)), Integer.parseInt(whole.group(2)), instances, owners);
    }

    /** The instance that has a bucket. */
    public int owner(int bucket) {
        return owners[bucket];
    }

    /** Whether an instance has any. */
    public boolean takesPart(int instance) {
        return Arrays.stream(owners).anyMatch(owner -> owner == instance);
    }

    /** How many moves have led to it. */
    public int version() {
        return version;
    }

    public int instances() {
        return instances;
    }

    public int buckets() {
        return owners.length;
    }

    /** The map after a move. @param to by bucket, the instance that gets it */
    public BucketMap moved(Map<Integer, Integer> to) {
        int[] next = owners.clone();
        to.forEach((bucket, instance) -> next[bucket] = instance);
        return new BucketMap(version + 1, start, instances, next);
    }

    /** Whether all buckets are where they are in the other one. */
    public boolean hasOwnersOf(BucketMap other) {
        return instances == other.instances && Arrays.equals(owners, other.owners);
    }

    /** What a job that would start with this map begins with if it goes on from a state. @param before null if none had moved */
    public BucketMap goingOn(BucketMap before) {
        return before != null && start == before.start && instances == before.instances
                && owners.length == before.owners.length ? before : this;
    }

    /** The buckets of an instance, as {@code 0-63, 70}; empty if it has none. */
    public String bucketsOf(int instance) {
        StringJoiner all = new StringJoiner(", ");
        for (int from = 0, to; from < owners.length; from = to) {
            to = endOfRange(from);
            if (owners[from] == instance) {
                all.add(range(from, to));
            }
        }
        return all.toString();
    }

    /** The instances that give buckets to that one if {@code this} becomes {@code next}. */
    public TreeSet<Integer> givers(BucketMap next, int instance) {
        TreeSet<Integer> all = new TreeSet<>();
        for (int bucket = 0; bucket < owners.length; bucket++) {
            if (next.owners[bucket] == instance && owners[bucket] != instance) {
                all.add(owners[bucket]);
            }
        }
        return all;
    }

    /** The instances that get buckets from that one if {@code this} becomes {@code next}. */
    public TreeSet<Integer> takers(BucketMap next, int instance) {
        return next.givers(this, instance);
    }

    /** As in {@code version 3, 2 of 4 at the start: 0-99=0 100=2 101-255=1}. */
    public String text() {
        StringBuilder text = new StringBuilder("version " + version + ", " + start + " of " + instances + " at the start:");
        for (int from = 0, to; from < owners.length; from = to) {
            to = endOfRange(from);
            text.append(' ').append(range(from, to)).append('=').append(owners[from]);
        }
        return text.toString();
    }

    private int endOfRange(int from) {
        int to = from + 1;
        while (to < owners.length && owners[to] == owners[from]) {
            to++;
        }
        return to;
    }

    private static String range(int from, int to) {
        return to - from == 1 ? Integer.toString(from) : from + "-" + (to - 1);
    }

    @Override
    public String toString() {
        return text();
    }
}
