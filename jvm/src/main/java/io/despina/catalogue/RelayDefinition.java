package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.POSITIVE_MILLIS;
import static io.despina.descriptor.FieldSpec.optional;
import static io.despina.descriptor.FieldSpec.or;
import static io.despina.descriptor.FieldSpec.required;

import io.despina.descriptor.Family;
import io.despina.descriptor.FieldKind;
import io.despina.descriptor.FieldKind.Section;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.descriptor.Values;
import io.despina.operator.Operator;
import io.despina.operator.experiment.DelayingRelay;
import io.despina.operator.stateless.Relay;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import java.util.List;

/** {@code relay}. */
public final class RelayDefinition extends Definition {
    private static final FieldKind RATE_OR_ZERO = new FieldKind.Real(0, false);

    private static final OperatorType TYPE = new OperatorType("relay", Family.EXPERIMENTS,
            "Passes packets on as they are. Its fields slow it down, for experiments.",
            List.of("in"), List.of("out", "errors"), List.of(
                    or("sleep_ms", RATE_OR_ZERO, "0", "How long it sleeps for each packet."),
                    or("work_us", RATE_OR_ZERO, "0", "How long it is busy for each packet."),
                    optional("steps", new FieldKind.ListOf(new FieldKind.Fields(Section.of("sleep_step",
                            "A sleep for each packet, and "
                            + "how long that lasts.",
                            required("for_ms", POSITIVE_MILLIS, "How long."),
                            required("sleep_ms", RATE_OR_ZERO, "The sleep."))), 1), "none",
                            "Sleeps that change with time, in place of `sleep_ms`; the last one stays.")), """
                "slow": {"type": "relay", "sleep_ms": 0.5, "parallelism": 4}
                """);

    RelayDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        Values fields = context.fields();
        List<DelayingRelay.Step> steps = fields.list("steps").stream()
                .map(s -> new DelayingRelay.Step(s.whole("for_ms", 0), s.real("sleep_ms", 0))).toList();
        if (!steps.isEmpty() && fields.isWritten("sleep_ms")) {
            return context.refuse(fields.place("steps"), Rule.EXCLUSIVE, "`steps` and `sleep_ms` exclude each other",
                    "leave one of them out");
        }
        return PlanningResult.of(new RelaySpec(new DelayingRelay.Options(fields.real("sleep_ms", 0), fields.real("work_us", 0),
                steps)),
                context.input());
    }

    public record RelaySpec(DelayingRelay.Options delays) implements ExecutableSpec {
        @Override
        public boolean blocks() {
            return delays.sleepMs() > 0 || delays.steps().stream().anyMatch(s -> s.sleepMs() > 0);
        }

        @Override
        public boolean passesOn() {
            return true;
        }

        @Override
        public Operator make(InstanceContext making) {
            return blocks() || delays.workUs() > 0 ? new DelayingRelay(delays) : new Relay();
        }
    }
}
