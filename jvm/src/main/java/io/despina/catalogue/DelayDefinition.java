package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.OperatorType;
import io.despina.operator.Operator;
import io.despina.operator.keyed.Delay;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import java.util.List;

/** {@code delay}. */
public final class DelayDefinition extends Definition {
    private static final long MICROS_PER_MS = 1_000;

    private static final OperatorType TYPE = new OperatorType("delay",
            "Passes packets on as they are, each some time after it came, by the wall clock and in order. Watermarks wait "
            + "with them, so what is late behind it is what was late before. What it holds counts against the memory of the "
            + "resource, and is in its snapshots. When the input ends, and when the job is stopped, packets leave as they "
            + "become due; what is left of them `drain_ms` after a stop is dropped and counted. On Spark, where rows have no "
            + "instant at which they come, they are passed on at once: the rows are equal.",
            List.of("in"), List.of("out", "errors"), List.of(
                    required("hold_ms", POSITIVE_MILLIS, "How long a packet is held.")), """
                "later": {"type": "delay", "hold_ms": 300000}
                """);

    DelayDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        return PlanningResult.of(new DelaySpec(context.fields().whole("hold_ms", 0) * MICROS_PER_MS), context.input());
    }

    /** @param hold in microseconds */
    public record DelaySpec(long hold) implements ExecutableSpec {
        @Override
        public boolean holdsBack() {
            return true;
        }

        @Override
        public Operator make(InstanceContext making) {
            return new Delay(hold);
        }
    }
}
