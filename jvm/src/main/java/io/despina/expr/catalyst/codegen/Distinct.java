package io.despina.expr.catalyst.codegen;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;

/** The values that a DISTINCT aggregate has seen, in order of arrival. */
public final class Distinct {
    /** The memory of a row of values and its places in set and list. */
    private static final int ENTRY_BYTES = 96;

    private final Set<GenericInternalRow> known = new HashSet<>();
    private final List<GenericInternalRow> seen = new ArrayList<>();
    private long bytes;

    /** In order of arrival. */
    public List<GenericInternalRow> seen() {
        return Collections.unmodifiableList(seen);
    }

    /** @return whether they are new */
    public boolean add(GenericInternalRow values) {
        boolean added = known.add(values);
        if (added) {
            seen.add(values);
            bytes += size(values);
        }
        return added;
    }

    /** Removes the values that were added last. */
    public void removeLast() {
        GenericInternalRow last = seen.remove(seen.size() - 1);
        known.remove(last);
        bytes -= size(last);
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
