package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.FLAG;
import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldSpec;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.operator.python.FunctionStarting;
import io.despina.operator.python.FunctionUpkeep;
import io.despina.plan.PlanningContext;

/**
 * How the processes of a Python function are kept.
 *
 * @param openMillis    to import and open the function
 * @param timeoutMillis for a batch
 * @param spare         whether one more is ready
 * @param memoryBytes   of one; {@link FunctionUpkeep#ANY} for any
 */
record PythonUpkeep(long openMillis, long timeoutMillis, boolean spare, long memoryBytes) {
    /** What to do with a function that is of no module, and cannot be read anew. */
    static final String IN_A_MODULE = "put the function in a module: there its file is read anew";
    private static final int MOST_WORKERS = 64;
    private static final long LEAST_MEMORY = 16L << 20;
    private static final long OPEN_MS = 60_000;

    static final FieldSpec OPEN_TIMEOUT = or("open_timeout_ms", POSITIVE_MILLIS, Long.toString(OPEN_MS), "How long it may take "
            + "to be imported and, if it is a class, to be opened: give a large model more. Then its process is ended, and says "
            + "where it was.");
    static final FieldSpec WORKERS = or("workers", new FieldKind.Whole(1, MOST_WORKERS), "1", "How many processes each instance "
            + "has. A batch goes to one that is free, and rows leave in the order in which packets came. For a function without "
            + "`state`: keys are dealt out by `parallelism`.");
    static final FieldSpec SPARE = or("spare", FLAG, "false", "true: each instance has one process more, which has opened the "
            + "function and does nothing, until it takes the place of one that has died or was ended. So rows go on at once.");
    static final FieldSpec MEMORY = optional("memory_bytes", new FieldKind.Whole(LEAST_MEMORY, Long.MAX_VALUE), "any",
            "The memory of a process. Another takes the place of one that uses more, between two batches. One that uses 1.25 "
            + "times as much is killed, and its rows go again as those of any process that dies. On Linux.");

    /** Whether `workers` fits what else is said. */
    static boolean fits(PlanningContext context) {
        Values fields = context.fields();
        if (fields.whole("workers", 1) == 1) {
            return true;
        }
        if (PythonState.isWritten(context)) {
            return refuse(context, "`workers` and `state` exclude each other: the rows of a key go to one process",
                    "leave out `workers`; \"parallelism\" deals keys out to more instances, each with its own process");
        }
        return fields.flag("pure") || refuse(context, "`workers` and \"pure\": false exclude each other: when one of them dies, "
                + "rows of the others go again", "leave out `workers`; \"parallelism\" makes more instances");
    }

    private static boolean refuse(PlanningContext context, String problem, String hint) {
        context.refuse(context.fields().place("workers"), Rule.EXCLUSIVE, problem, hint);
        return false;
    }

    /** How long a process may take to import and open its function. */
    static long openMillis(Values fields) {
        return fields.whole("open_timeout_ms", OPEN_MS);
    }

    static PythonUpkeep of(Values fields) {
        return new PythonUpkeep(openMillis(fields), fields.whole("timeout_ms", PythonDefinition.TIMEOUT_MS),
                fields.isWritten("spare") && fields.flag("spare"),
                fields.isWritten("memory_bytes") ? fields.whole("memory_bytes", 0) : FunctionUpkeep.ANY);
    }

    FunctionUpkeep by(FunctionStarting starting) {
        return starting.upkeep(new FunctionUpkeep(starting, openMillis, timeoutMillis, spare, memoryBytes));
    }
}
