package io.despina.state;

import static io.despina.spec.Never.NEVER;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.DataInputStream;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/**
 * Which keys have come, in a few bits for each: a Bloom filter per bucket of keys, so that another parallelism can share them
 * out. A key that has been added is always found. One that has not is found by chance, {@link Options#rate} says how often.
 *
 * <p>If keys are forgotten, each place has a byte in place of a bit: a bit for each of eight generations. A generation is a
 * seventh of the time that a key stays. A key is in that in which it was added; the oldest makes room for the next. So one look
 * at the places of a key answers for all generations.
 *
 * <p>A bucket's memory is taken when its first key comes. A snapshot shares it until it changes; it is copied then.
 */
public final class KeyFilter implements State {
    /** The most bytes of a bucket. */
    public static final long MAX_BYTES = 1 << 30;
    private static final int GENERATIONS = FilterShape.GENERATIONS;
    private static final int LEAST_PLACES = 64;
    private static final int CHUNK_BYTES = 1 << 15;

    /**
     * How much is remembered.
     *
     * @param keys       how many keys are expected: in all buckets, within the time
     * @param bitsPerKey bits of memory for each; a seventh more if keys are forgotten, for the generation that goes
     * @param within     microseconds that a key is remembered for at least, and at most a seventh longer; {@code NEVER}
     */
    public record Options(long keys, int bitsPerKey, long within) {

        int generations() {
            return within == NEVER ? 1 : GENERATIONS;
        }

        /** How many places a key has: as many as make the least rate. */
        int probes() {
            return Math.max(1, (int) Math.round(bitsPerKey * Math.log(2)));
        }

        /**
         * How many places a bucket has. Buckets get unequal shares of the keys: there are places for three standard deviations
         * more than the mean, so that the rate holds in nearly all.
         */
        double places(int buckets) {
            double mean = (double) keys / buckets / Math.max(1, generations() - 1);
            return Math.max(LEAST_PLACES, Math.ceil((mean + 3 * Math.sqrt(mean)) * bitsPerKey));
        }

        /** Which part of new keys at most is found by chance, while no more than {@link #keys} are remembered. */
        public double rate() {
            return generations() * Math.pow(1 - Math.exp(-(double) probes() / bitsPerKey), probes());
        }

        /** Bytes of all keys in one filter. */
        public double bytesAlone() {
            return places(1) * generations() / Byte.SIZE;
        }

        /** Bytes of a bucket. */
        public double bucketBytes(Schema keySchema, int buckets) {
            return places(new KeyBuckets(keySchema, buckets).count()) * generations() / Byte.SIZE;
        }
    }

    private final String name;
    private final Schema keySchema;
    private final KeyBuckets buckets;
    private final FilterShape shape;
    private final int bucketBytes;
    /** By bucket; null where no key has come. */
    private byte[][] bits;
    /** The newest generation of each bucket. */
    private long[] newest;
    private long held;
    /** What a snapshot has yet to write; or null. */
    private FrozenFilter frozen;

    /** @param count of the graph's buckets; none may take more than {@link #MAX_BYTES} */
    public KeyFilter(String name, Schema keySchema, int count, Options options) {
        this.name = name;
        this.keySchema = keySchema;
        buckets = new KeyBuckets(keySchema, count);
        shape = new FilterShape(options, buckets.count());
        bucketBytes = shape.bytes;
        bits = new byte[buckets.count()][];
        newest = new long[buckets.count()];
    }

    /**
     * Adds a key, unless it is found.
     *
     * @param time of the key in microseconds, not before that of another of its bucket; without meaning if none is forgotten
     * @return false if it was found: it was added within the time, or by chance
     */
    public boolean add(Packet key, long time) {
        int bucket = Math.max(0, buckets.of(key));
        long generation = shape.generation(time);
        advance(bucket, generation);
        long hash = FilterShape.hash(key);
        if (shape.contains(bits[bucket], hash)) {
            return false;
        }
        shape.add(own(bucket), hash, generation);
        return true;
    }

    /** Makes {@code generation} the newest of the bucket, and forgets those that have passed. */
    private void advance(int bucket, long generation) {
        if (bits[bucket] == null) {
            bits[bucket] = new byte[bucketBytes];
            held += bucketBytes;
            newest[bucket] = generation;
        } else if (generation > newest[bucket]) {
            shape.advance(own(bucket), newest[bucket], generation);
            newest[bucket] = generation;
        }
    }

    /** The bits of a bucket, for writing. A snapshot that has yet to write them keeps them, and a copy takes their place. */
    private byte[] own(int bucket) {
        if (frozen != null && frozen.bits[bucket] == bits[bucket]) {
            bits[bucket] = bits[bucket].clone();
            frozen.kept++;
        }
        return bits[bucket];
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public RestoreRule rule() {
        return RestoreRule.BY_BUCKET;
    }

    @Override
    public String schema() {
        return keySchema.sql() + " -> " + shape.text();
    }

    @Override
    public long bytes() {
        return held + (long) bits.length * 2 * Long.BYTES + (frozen == null ? 0 : (long) frozen.kept * bucketBytes);
    }

    @Override
    public Frozen freeze() {
        frozen = new FrozenFilter(bits.clone(), newest.clone());
        return frozen;
    }

    @Override
    public void clear() {
        for (int k = 0; k < bits.length; k++) {
            if (frozen != null && bits[k] != null && frozen.bits[k] == bits[k]) {
                frozen.kept++;
            }
        }
        Arrays.fill(bits, null);
        held = 0;
    }

    @Override
    public void restore(SectionReader entry) throws IOException {
        DataInputStream in = entry.data();
        int bucket = Math.max(0, entry.bucket());
        long generation = in.readLong();
        int at = StateFormat.readCount(in, name, bucketBytes);
        int size = in.available();
        if (bucket >= bits.length || size > bucketBytes - at) {
            throw new SnapshotException("state `" + name + "`: bits " + at + " to " + (at + size) + " of bucket " + bucket
                    + ", of " + bucketBytes + " in " + bits.length);
        }
        if (bits[bucket] == null) {
            bits[bucket] = new byte[bucketBytes];
            held += bucketBytes;
        }
        newest[bucket] = generation;
        in.readFully(bits[bucket], at, size);
    }

    /** The filter at an instant. Entries: the newest generation (8), the place of the bytes (4), and as many as fit a chunk. */
    private final class FrozenFilter implements Frozen {
        /** What is yet to be written. */
        private final byte[][] bits;
        private final long[] newest;
        /** Arrays that only this holds. */
        private int kept;
        private int bucket;
        private int at;

        FrozenFilter(byte[][] bits, long[] newest) {
            this.bits = bits;
            this.newest = newest;
        }

        @Override
        public boolean write(SectionWriter to) throws IOException {
            for (; bucket < bits.length; bucket++, at = 0) {
                if (bits[bucket] == null) {
                    continue;
                }
                for (; at < bucketBytes; at += CHUNK_BYTES) {
                    if (!to.hasRoom()) {
                        return false;
                    }
                    DataOutput out = to.beginEntry(buckets.count() == 1 ? SectionWriter.NO_BUCKET : bucket);
                    out.writeLong(newest[bucket]);
                    out.writeInt(at);
                    out.write(bits[bucket], at, Math.min(CHUNK_BYTES, bucketBytes - at));
                    to.endEntry();
                }
                kept -= bits[bucket] == KeyFilter.this.bits[bucket] ? 0 : 1;
                bits[bucket] = null;
            }
            return true;
        }

        @Override
        public void close() {
            if (frozen == this) {
                frozen = null;
            }
        }
    }
}
