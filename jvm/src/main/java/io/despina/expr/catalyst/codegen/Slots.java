package io.despina.expr.catalyst.codegen;

import io.despina.expr.Accumulator;
import java.util.Collection;
import java.util.Iterator;
import org.apache.spark.sql.catalyst.InternalRow$;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.unsafe.types.UTF8String;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The buffers of one group's aggregates: values of fixed width in {@link #bytes} from {@link #at} on, all others as copies in
 * {@link #objects}. Generated code reads and writes them; {@link BufferSlot} gives the place of each. Without objects this may be
 * a view of bytes in keyed state.
 */
public final class Slots implements Accumulator {
    private static final int OBJECT_BYTES = 64;
    private static final int BOXED_BYTES = 16;
    private static final int ENTRY_BYTES = 16;
    private static final int UNKNOWN_BYTES = 256;
    private static final int LOOKED_AT = 4;

    public byte[] bytes;
    public int at;
    public final Object[] objects;

    public Slots(byte[] bytes, Object[] objects) {
        this.bytes = bytes;
        this.objects = objects;
    }

    /** A copy of {@code initial}, which must not be a view. */
    public static Slots like(Slots initial) {
        return new Slots(initial.bytes.clone(), initial.objects.clone());
    }

    /** Copies {@code width} bytes of {@code from}, and the references to its objects. */
    public void copy(Slots from, int width) {
        System.arraycopy(from.bytes, from.at, bytes, at, width);
        System.arraycopy(from.objects, 0, objects, 0, objects.length);
    }

    /** Stores a value that outlives the packet it came from. */
    public void keep(int slot, Object value) {
        if (objects[slot] != value) {
            objects[slot] = InternalRow$.MODULE$.copyValue(value);
        }
    }

    @Override
    public long bytes() {
        long sum = 2L * OBJECT_BYTES + bytes.length + 8L * objects.length;
        for (Object o : objects) {
            sum += size(o);
        }
        return sum;
    }

    /**
     * The memory of a value or buffer of Spark, without the reference to it. A collection is estimated from its first few
     * elements.
     */
    static long size(Object o) {
        if (o == null) {
            return 0;
        }
        if (o instanceof Number || o instanceof Boolean) {
            return BOXED_BYTES;
        }
        if (o instanceof UTF8String s) {
            return OBJECT_BYTES + s.numBytes();
        }
        if (o instanceof byte[] b) {
            return 16L + b.length;
        }
        if (o instanceof Decimal) {
            return OBJECT_BYTES;
        }
        if (o instanceof Distinct d) {
            return d.bytes();
        }
        if (o instanceof CollectedSet s) {
            return size(s.set()) + 8L * s.size();
        }
        if (o instanceof UnsafeRow row) {
            return OBJECT_BYTES + row.getSizeInBytes();
        }
        if (o instanceof CountedValues counts) {
            return OBJECT_BYTES + counts.bytes() + sizeOf(counts.values().iterator(), counts.size());
        }
        if (o instanceof Collection<?> c) {
            return OBJECT_BYTES + sizeOf(c.iterator(), c.size());
        }
        if (o instanceof scala.collection.Iterable<?> c && c.knownSize() >= 0) {
            return OBJECT_BYTES + sizeOf(CollectionConverters.asJava(c.iterator()), c.knownSize());
        }
        return UNKNOWN_BYTES;
    }

    private static long sizeOf(Iterator<?> elements, int count) {
        long sum = 0;
        int looked = 0;
        for (; looked < LOOKED_AT && elements.hasNext(); looked++) {
            sum += ENTRY_BYTES + size(elements.next());
        }
        return looked == 0 ? 0 : sum * count / looked;
    }
}
