package io.despina.catalogue;

import io.despina.catalogue.field.SinkMode;
import io.despina.descriptor.Family;
import io.despina.descriptor.OperatorType;
import io.despina.operator.Operator;
import io.despina.operator.program.ConsoleSink;
import io.despina.plan.PlannedOperator;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.UserPromises;
import io.despina.spec.Blocking;
import io.despina.spec.SinkGuarantee;
import java.util.List;

/** {@code console_sink}. */
public final class ConsoleSinkDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("console_sink", Family.SINKS,
            "Prints the first 10,000 packets of each instance, and counts the others. It "
            + "cuts values to 40 characters. On Spark it prints the first 1000, with whole values.",
            List.of("in"), List.of("errors"), List.of(SinkMode.APPEND_ONLY), """
                "shown": {"type": "console_sink"}
                """);

    ConsoleSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        return SinkMode.isAppend(context) ? PlanningResult.of(new ConsoleSinkSpec(), null) : null;
    }

    public record ConsoleSinkSpec() implements ExecutableSpec {
        /** It blocks while Python does not take lines. */
        @Override
        public Blocking blocking() {
            return Blocking.ALWAYS;
        }

        @Override
        public Promise<SinkGuarantee> leaves(UserPromises user) {
            return new Promise<>(SinkGuarantee.AT_LEAST_ONCE, "what was printed after the last epoch is printed again",
                    "write to a file_sink");
        }

        @Override
        public Operator make(InstanceContext making) {
            return new ConsoleSink(lines(making), ConsoleSink.MOST);
        }

        /**
         * With several console sinks, each line begins with its sink's name, because their tables may be printed at the same
         * time.
         */
        private static ConsoleSink.Lines lines(InstanceContext making) {
            List<String> sinks = making.plan().operators().stream().filter(o -> o.spec() instanceof ConsoleSinkSpec)
                    .map(PlannedOperator::id).toList();
            ConsoleSink.Lines lines = making.around().python().lines(making.id());
            int width = sinks.stream().mapToInt(String::length).max().orElse(0);
            String name = making.id() + " ".repeat(width - making.id().length()) + " | ";
            return sinks.size() == 1 ? lines : own -> lines.print(own.stream().map(name::concat).toList());
        }
    }
}
