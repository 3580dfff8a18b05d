package io.despina.catalogue;

import static io.despina.descriptor.CommonFields.words;
import static io.despina.descriptor.FieldSpec.or;

import io.despina.catalogue.field.SinkMode;
import io.despina.descriptor.Diagnostics;
import io.despina.descriptor.Family;
import io.despina.descriptor.Graph;
import io.despina.descriptor.OperatorType;
import io.despina.descriptor.Rule;
import io.despina.operator.Operator;
import io.despina.operator.experiment.RelayPackets;
import io.despina.operator.experiment.VerifyingSink;
import io.despina.operator.sink.DiscardSink;
import io.despina.operator.source.GeneratedRows;
import io.despina.plan.OperatorSpec;
import io.despina.plan.PlannedOperator;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Upstream;
import io.despina.plan.UserPromises;
import io.despina.spec.SinkGuarantee;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** {@code discard_sink}. */
public final class DiscardSinkDefinition extends Definition {
    private static final OperatorType TYPE = new OperatorType("discard_sink", Family.EXPERIMENTS,
            "Counts packets and drops them.",
            List.of("in"), List.of("errors"), List.of(
                    or("verify", words("none", "nothing", "sampled", "relay packets' sequence, and every 16th payload",
                            "all", "relay packets' sequence and payload"), "\"none\"", "What is verified first. Where several "
                            + "instances shared packets out on their way, nothing is known of their sequence. What is verified "
                            + "is also "
                            + "timed packet by packet, by each one's `due`: the report's `packet_latency_ms`."),
                    SinkMode.APPEND_ONLY), """
                "dropped": {"type": "discard_sink"}
                """);

    DiscardSinkDefinition() {
        super(TYPE);
    }

    @Override
    public PlanningResult plan(PlanningContext context) {
        if (!SinkMode.isAppend(context)) {
            return null;
        }
        Verify verify = context.fields().constant("verify", Verify.class);
        if (verify != Verify.NONE && !context.input().schema().equals(RelayPackets.SCHEMA)) {
            return context.refuse(context.fields().place("verify"), Rule.COLUMN_TYPE,
                    "`verify` is for relay packets, and the stream"
                    + " has " + context.input().schema().sql(), "relay packets have columns " + RelayPackets.SCHEMA.sql());
        }
        return PlanningResult.of(new DiscardSinkSpec(verify), null);
    }

    /** Whether it verifies relay packets: every sequence number, and the payload of every 16th or of all. */
    public enum Verify {
        NONE, SAMPLED, ALL
    }

    public record DiscardSinkSpec(Verify verify) implements ExecutableSpec {

        /** It can only verify unchanged packets of one generator. */
        @Override
        public void checkSources(Graph.Operator written, Supplier<Map<String, OperatorSpec>> sources, Diagnostics diagnostics) {
            if (verify == Verify.NONE) {
                return;
            }
            Map<String, OperatorSpec> all = sources.get();
            if (all.size() != 1 || packets(all.values().iterator().next()) == null) {
                diagnostics.error(written.fields().place("verify"), Rule.EXCLUSIVE, "`verify` needs the relay packets of one"
                        + " generator_source, and these come from " + String.join(", ", all.keySet().stream()
                        .map(id -> "`" + id + "`").sorted().toList()), "give each source a sink of its own");
            }
        }

        /** The relay packets of the source; null if it makes none. */
        private static RelayPackets.Options packets(OperatorSpec source) {
            return source instanceof GeneratorSourceDefinition.GeneratorSourceSpec made
                    && made.rows() instanceof GeneratedRows.Packets packets ? packets.options() : null;
        }

        @Override
        public Promise<SinkGuarantee> leaves(UserPromises user) {
            return Promise.of(SinkGuarantee.IDEMPOTENT);
        }

        @Override
        public Operator make(InstanceContext making) {
            if (verify == Verify.NONE) {
                return new DiscardSink();
            }
            Upstream upstream = Upstream.of(making.id(), making.plan()::operator, making.plan().links());
            PlannedOperator source = making.plan().operator(upstream.sources().iterator().next());
            VerifyingSink.Sequence sequence = !upstream.ordered() ? VerifyingSink.Sequence.ANY
                    : upstream.whole() ? VerifyingSink.Sequence.WHOLE : VerifyingSink.Sequence.RISING;
            return new VerifyingSink(new VerifyingSink.Options(packets(source.spec()), source.parallelism(), verify == Verify.ALL,
                    sequence));
        }
    }
}
