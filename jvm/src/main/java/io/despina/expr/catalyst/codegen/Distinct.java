package io.despina.expr.catalyst.codegen;

import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;

/** The values that a DISTINCT aggregate has seen, in order of arrival. */
public final class Distinct {
    /** The memory of a row of values and its place in the set. */
    private static final int ENTRY_BYTES = 96;

    private final Set<GenericInternalRow> seen = new LinkedHashSet<>();
    private long bytes;

    public Set<GenericInternalRow> seen() {
        return Collections.unmodifiableSet(seen);
    }

    /** @return whether they are new */
    public boolean add(GenericInternalRow values) {
        boolean added = seen.add(values);
        if (added) {
            bytes += size(values);
        }
        return added;
    }

    public void remove(GenericInternalRow values) {
        if (seen.remove(values)) {
            bytes -= size(values);
        }
    }

    private static long size(GenericInternalRow values) {
        long sum = ENTRY_BYTES;
        for (Object value : values.values()) {
            sum += Slots.size(value);
        }
        return sum;
    }

    long bytes() {
        return bytes;
    }
}
