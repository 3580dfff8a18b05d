package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.operator.Operator;
import io.despina.operator.keyed.Delay;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import java.util.List;

/** {@code delay}. */
public final class DelayDefinition extends Definition {
    private static final long MICROS_PER_MS = 1_000;

    private static final OperatorType TYPE = new OperatorType("delay", Family.PACKETS,
            "Passes packets on unchanged and in order, each some time after it came, by the wall clock. Watermarks are held "
            + "back with them, so the delay makes no packet late. Packets that it holds count as memory of the resource, and "
            + "are in its snapshots. After the end of the input, or a stop of the job, it still holds each packet until its "
            + "time; packets that it holds when a stop's `drain_ms` have passed are dropped and counted as `held`. Spark passes "
            + "rows on at once, since it does not know when a row came: the rows are equal.",
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
