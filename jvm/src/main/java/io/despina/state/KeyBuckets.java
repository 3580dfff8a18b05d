package io.despina.state;

import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import java.util.Arrays;

/**
 * The bucket of a key: {@code pmod(hash(key columns), buckets)} as Spark computes it (Murmur3, seed 42). Buckets are how
 * keyed state is dealt out among the instances of an operator.
 */
public final class KeyBuckets {
    /** The bucket of keys with arrays, maps or structs, which are not dealt out. */
    public static final int UNKNOWN = -1;
    private static final int SEED = 42;

    private final Type[] types;
    private final int buckets;
    private final boolean nested;

    public KeyBuckets(Schema keySchema, int buckets) {
        types = keySchema.columns().stream().map(c -> c.type().stored()).toArray(Type[]::new);
        this.buckets = buckets;
        nested = Arrays.stream(types)
                .anyMatch(t -> t instanceof Type.Array || t instanceof Type.MapOf || t instanceof Type.Struct);
    }

    public int of(Packet key) {
        return nested ? UNKNOWN : Math.floorMod(hash(key), buckets);
    }

    int hash(Packet key) {
        int hash = SEED;
        for (int k = 0; k < types.length; k++) {
            if (!key.isNull(k)) {
                hash = hash(key, k, hash);
            }
        }
        return hash;
    }

    private int hash(Packet key, int column, int seed) {
        if (!(types[column] instanceof Type.Simple simple)) {
            return types[column].width() == Type.VARIABLE ? hashBytes(key, column, seed)
                    : hashLong(key.getLong(column), seed);
        }
        return switch (simple) {
            case BOOLEAN -> hashInt(key.getBoolean(column) ? 1 : 0, seed);
            case TINYINT -> hashInt(key.getByte(column), seed);
            case SMALLINT -> hashInt(key.getShort(column), seed);
            case INT, DATE -> hashInt(key.getInt(column), seed);
            case BIGINT, TIMESTAMP, TIMESTAMP_NTZ -> hashLong(key.getLong(column), seed);
            case FLOAT -> {
                float value = key.getFloat(column);
                yield hashInt(value == 0f ? 0 : Float.floatToIntBits(value), seed);
            }
            case DOUBLE -> {
                double value = key.getDouble(column);
                yield hashLong(value == 0d ? 0L : Double.doubleToLongBits(value), seed);
            }
            case STRING, BINARY -> hashBytes(key, column, seed);
        };
    }

    private static int hashInt(int value, int seed) {
        return finish(mix(seed, mixed(value)), Integer.BYTES);
    }

    private static int hashLong(long value, int seed) {
        return finish(mix(mix(seed, mixed((int) value)), mixed((int) (value >>> Integer.SIZE))), Long.BYTES);
    }

    /** Whole words first, then each byte left over as a word of its own, as Spark does it. */
    private static int hashBytes(Packet key, int column, int seed) {
        int from = key.valueStart(column);
        int end = key.valueEnd();
        byte[] bytes = key.bytes();
        int hash = seed;
        int k = from;
        for (; k <= end - Integer.BYTES; k += Integer.BYTES) {
            hash = mix(hash, mixed(Bytes.getInt(bytes, k)));
        }
        for (; k < end; k++) {
            hash = mix(hash, mixed(bytes[k]));
        }
        return finish(hash, end - from);
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
