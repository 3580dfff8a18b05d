package io.despina.catalogue;

import io.despina.catalogue.field.SocketFields;
import io.despina.expr.Expressions;
import io.despina.operator.Operator;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.socket.SocketSourceOptions;
import io.despina.operator.source.socket.SocketSourceOptions.Bounds;
import io.despina.plan.PlanningContext;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.socket.Framing;
import io.despina.socket.HttpOptions;
import io.despina.socket.Protocol;
import io.despina.socket.SocketListener;
import io.despina.spec.Blocking;
import io.despina.spec.SourceGuarantee;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A source that listens on a port.
 *
 * @param framing of what {@code speaks} receives
 */
record ListeningSpec(SocketListener.Options listening, RecordFormat.Read records, Framing framing, Bounds bounds, Speaks speaks)
        implements ExecutableSpec {

    /**
     * What it speaks.
     *
     * @param protocol makes the protocol, where the source runs
     * @param source   makes the source
     */
    record Speaks(Supplier<Protocol> protocol, Function<SocketSourceOptions, Operator> source) {
    }

    /** The plan of such a source. */
    PlanningResult result(PlanningContext context) {
        return new PlanningResult(this, new Stream(records.schema(), null, true), List.of(), SocketFields.ONE);
    }

    /** The fields of requests. @param most bytes of a body or message */
    static HttpOptions http(PlanningContext context, int most) {
        return new HttpOptions(context.fields().string("path", ""), most, SocketFields.token(context));
    }

    @Override
    public Blocking blocking() {
        return Blocking.OPENING;
    }

    @Override
    public Promise<SourceGuarantee> comesAgain(UserPromises user) {
        return Promise.of(SourceGuarantee.SPOOLED);
    }

    @Override
    public List<SparkGap> sparkGaps(Target target) {
        return SocketFields.SOURCE_GAPS;
    }

    @Override
    public Operator make(InstanceContext making) {
        return speaks.source().apply(new SocketSourceOptions(records, making.operator().assigns(), Expressions::parser, framing,
                bounds, (inflow, context) -> new SocketListener(listening, speaks.protocol().get(), inflow, context::warn)));
    }
}
