package io.despina.state;

import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.PacketArray;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * The bucket of a key: {@code pmod(hash(key columns), buckets)} as Spark computes it (Murmur3, seed 42). Buckets distribute keyed
 * state over the instances of an operator.
 */
public final class KeyBuckets {
    private static final int SEED = 42;

    /** The columns that are hashed, and their types. */
    private final int[] columns;
    private final Type[] types;
    private final int buckets;
    /** False if the key has a map: Spark does not hash maps, so such keys have no bucket. */
    private final boolean dealt;

    public KeyBuckets(Schema keySchema, int buckets) {
        this(keySchema, buckets, IntStream.range(0, keySchema.size()).boxed().toList());
    }

    /** @param by the ordinals of the columns that are hashed, in this order */
    public KeyBuckets(Schema keySchema, int buckets, List<Integer> by) {
        columns = by.stream().mapToInt(Integer::intValue).toArray();
        types = by.stream().map(k -> keySchema.column(k).type().stored()).toArray(Type[]::new);
        this.buckets = buckets;
        dealt = Arrays.stream(types).noneMatch(KeyBuckets::hasMap);
    }

    private static boolean hasMap(Type type) {
        return type instanceof Type.MapOf || type instanceof Type.Array array && hasMap(array.element())
                || type instanceof Type.Struct struct && struct.fields().stream().anyMatch(c -> hasMap(c.type()));
    }

    /** The bucket of {@code key}, or {@link SectionWriter#NO_BUCKET} if it has a map. */
    public int of(Packet key) {
        return dealt ? Math.floorMod(hash(key), buckets) : SectionWriter.NO_BUCKET;
    }

    /** How many buckets there are for keys: 1, which has no number, if they have a map. */
    int count() {
        return dealt ? buckets : 1;
    }

    int hash(Packet key) {
        int hash = SEED;
        for (int k = 0; k < types.length; k++) {
            hash = hash(key, columns[k], types[k], hash);
        }
        return hash;
    }

    private static int hash(Packet packet, int column, Type type, int seed) {
        if (packet.isNull(column)) {
            return seed;
        }
        int from = type.width() == Type.VARIABLE ? packet.valueStart(column) : packet.fixedStart(column);
        return hash(packet.bytes(), from, packet.valueEnd(), type, seed);
    }

    /** @param to where the value ends, if its width is variable */
    private static int hash(byte[] bytes, int from, int to, Type type, int seed) {
        if (type instanceof Type.Array array) {
            return hashArray(new PacketArray(array.element().stored(), array.containsNull()).wrap(bytes, from, to), seed);
        }
        if (type instanceof Type.Struct struct) {
            Packet fields = new Packet(new Schema(struct.fields()).layout()).wrapBody(bytes, from, to);
            int hash = seed;
            for (int k = 0; k < struct.fields().size(); k++) {
                hash = hash(fields, k, struct.fields().get(k).type().stored(), hash);
            }
            return hash;
        }
        if (!(type instanceof Type.Simple simple)) {
            return type.width() == Type.VARIABLE ? hashBytes(bytes, from, to, seed) : hashLong(Bytes.getLong(bytes, from), seed);
        }
        return switch (simple) {
            case BOOLEAN -> hashInt(bytes[from] != 0 ? 1 : 0, seed);
            case TINYINT -> hashInt(bytes[from], seed);
            case SMALLINT -> hashInt(Bytes.getShort(bytes, from), seed);
            case INT, DATE -> hashInt(Bytes.getInt(bytes, from), seed);
            case BIGINT, TIMESTAMP, TIMESTAMP_NTZ -> hashLong(Bytes.getLong(bytes, from), seed);
            case FLOAT -> {
                float value = Float.intBitsToFloat(Bytes.getInt(bytes, from));
                yield hashInt(value == 0f ? 0 : Float.floatToIntBits(value), seed);
            }
            case DOUBLE -> {
                double value = Double.longBitsToDouble(Bytes.getLong(bytes, from));
                yield hashLong(value == 0d ? 0L : Double.doubleToLongBits(value), seed);
            }
            case STRING, BINARY -> hashBytes(bytes, from, to, seed);
        };
    }

    private static int hashArray(PacketArray array, int seed) {
        boolean variable = array.element().width() == Type.VARIABLE;
        int hash = seed;
        for (int k = 0; k < array.count(); k++) {
            if (!array.isNull(k)) {
                int from = variable ? array.valueStart(k) : array.fixedStart(k);
                hash = hash(array.bytes(), from, array.valueEnd(), array.element(), hash);
            }
        }
        return hash;
    }

    private static int hashInt(int value, int seed) {
        return finish(mix(seed, mixed(value)), Integer.BYTES);
    }

    private static int hashLong(long value, int seed) {
        return finish(mix(mix(seed, mixed((int) value)), mixed((int) (value >>> Integer.SIZE))), Long.BYTES);
    }

    /** Hashes whole words first, then each remaining byte as a word of its own, as Spark does. */
    private static int hashBytes(byte[] bytes, int from, int to, int seed) {
        int hash = seed;
        int k = from;
        for (; k <= to - Integer.BYTES; k += Integer.BYTES) {
            hash = mix(hash, mixed(Bytes.getInt(bytes, k)));
        }
        for (; k < to; k++) {
            hash = mix(hash, mixed(bytes[k]));
        }
        return finish(hash, to - from);
    }

    private static int mixed(int word) {
        return Integer.rotateLeft(word * 0xcc9e2d51, 15) * 0x1b873593;
    }

    private static int mix(int hash, int word) {
        return Integer.rotateLeft(hash ^ word, 13) * 5 + 0xe6546b64;
    }

    private static int finish(int hash, int length) {
        int h = hash ^ length;
        h = (h ^ h >>> 16) * 0x85ebca6b;
        h = (h ^ h >>> 13) * 0xc2b2ae35;
        return h ^ h >>> 16;
    }
}
