package io.despina.expr.catalyst;

import java.util.LinkedHashSet;
import java.util.Set;
import org.apache.spark.sql.catalyst.InternalRow;

/** The values that a DISTINCT aggregate has seen, in the order of their coming. */
final class Distinct {
    private static final int ENTRY_BYTES = 96;

    final Set<InternalRow> seen = new LinkedHashSet<>();

    long bytes() {
        return (long) seen.size() * ENTRY_BYTES;
    }
}
