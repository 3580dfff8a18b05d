package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.operator.python.BatchLimits;
import io.despina.plan.PlanningContext;

/** How many packets a Python function gets at a time. */
final class PythonBatches {
    private static final int MOST_ROWS = 4_096;
    private static final int MOST = 1 << 20;
    private static final int MOST_BYTES = 1 << 20;
    private static final int MOST_BATCH_BYTES = 1 << 26;
    private static final long WAIT_MS = 1_000;

    static final FieldSpec ROWS = or("batch_rows", new FieldKind.Whole(1, MOST), Integer.toString(MOST_ROWS),
            "The most packets that cross together. Fewer do while the function keeps up. If this is not written, 20 ms of work "
            + "end a batch too.");
    static final FieldSpec BYTES = or("batch_bytes", new FieldKind.Whole(1 << 10, MOST_BATCH_BYTES),
            Integer.toString(MOST_BYTES), "The same in bytes.");
    static final FieldSpec FIXED = optional("fixed_rows", new FieldKind.Whole(1, MOST), "what has come, up to `batch_rows`",
            "For a function that takes batches, as a model that wants just so many: it is called with exactly that many rows. It "
            + "gets fewer when the oldest has waited for `max_wait_ms`, when they have `batch_bytes`, at the end of the stream, "
            + "and where the row is looked for that it fails for.");
    static final FieldSpec WAIT = or("max_wait_ms", POSITIVE_MILLIS, Long.toString(WAIT_MS),
            "With `fixed_rows`: how long a packet may wait for others. On Spark none waits.");

    private PythonBatches() {
    }

    /** Whether `fixed_rows` fits what else is said. */
    static boolean fits(PlanningContext context) {
        Values fields = context.fields();
        if (!fields.isWritten("fixed_rows")) {
            return !fields.isWritten("max_wait_ms") || refuse(context, "max_wait_ms", "`max_wait_ms` without `fixed_rows`: a "
                    + "batch is what has come, and waits for nothing", "write `fixed_rows`, or leave out `max_wait_ms`");
        }
        if (fields.string("takes", PythonDefinition.ROW).equals(PythonDefinition.ROW)) {
            return refuse(context, "fixed_rows", "`fixed_rows` is of a function that takes batches, and this one takes single "
                    + "packets", PythonState.isWritten(context) ? "leave out `fixed_rows`"
                    : "leave out `fixed_rows`, or say what it takes: \"takes\": \"numpy\"");
        }
        if (fields.isWritten("batch_rows")) {
            return refuse(context, "batch_rows", "`batch_rows` and `fixed_rows` exclude each other", "leave out one of them");
        }
        return !fields.isWritten("schema") || context.input().time() == null || refuse(context, "fixed_rows",
                "with `schema` a batch ends where the watermark moves, so it cannot have just so many rows",
                "let it return more columns of the same rows, with `adds`; or leave out `fixed_rows`");
    }

    private static boolean refuse(PlanningContext context, String field, String problem, String hint) {
        context.refuse(context.fields().place(field), Rule.EXCLUSIVE, problem, hint);
        return false;
    }

    static BatchLimits of(Values fields) {
        boolean fixed = fields.isWritten("fixed_rows");
        return new BatchLimits((int) (fixed ? fields.whole("fixed_rows", 1) : fields.whole("batch_rows", MOST_ROWS)),
                (int) fields.whole("batch_bytes", MOST_BYTES),
                fixed ? fields.whole("max_wait_ms", WAIT_MS) : BatchLimits.AT_ONCE,
                fields.isWritten("workers") ? (int) fields.whole("workers", 1) : 1,
                !fixed && !fields.isWritten("batch_rows"));
    }
}
