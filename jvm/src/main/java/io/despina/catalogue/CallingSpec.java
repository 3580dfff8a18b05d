package io.despina.catalogue;

import io.despina.catalogue.field.SocketFields;
import io.despina.expr.Expressions;
import io.despina.operator.Operator;
import io.despina.operator.Probe;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.sink.socket.WebSocketProbe;
import io.despina.operator.sink.socket.WebSocketSinkOptions;
import io.despina.operator.source.socket.SocketSource;
import io.despina.operator.source.socket.SocketSourceOptions;
import io.despina.operator.source.socket.SocketSourceOptions.Bounds;
import io.despina.plan.PlanningResult;
import io.despina.plan.Promise;
import io.despina.plan.Stream;
import io.despina.plan.Target;
import io.despina.plan.UserPromises;
import io.despina.socket.Framing;
import io.despina.socket.TlsFiles;
import io.despina.socket.TokenPlace;
import io.despina.socket.WebSocketCaller;
import io.despina.spec.Blocking;
import io.despina.spec.SourceGuarantee;
import java.util.List;

/** A source that connects to a program over a WebSocket. */
record CallingSpec(Calls calls, RecordFormat.Read records, Bounds bounds) implements ExecutableSpec {

    /**
     * Where to, and what it does there.
     *
     * @param token       null for none
     * @param tls         null for what the system has
     * @param texts       that are sent when it has connected
     * @param idleMillis  0 for never
     * @param retryMillis how long attempts may fail
     */
    record Calls(String url, TokenPlace token, TlsFiles tls, List<String> texts, long idleMillis, long retryMillis) {
    }

    PlanningResult result() {
        return new PlanningResult(this, new Stream(records.schema(), null, true), List.of(), "each instance would get the same");
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
    public Probe probe(InstanceContext making) {
        return new WebSocketProbe(new WebSocketSinkOptions.To(calls.url, calls.token, calls.tls));
    }

    @Override
    public Operator make(InstanceContext making) {
        WebSocketCaller.Target target = WebSocketCaller.Target.of(calls.url, calls.token, calls.tls, calls.texts);
        WebSocketCaller.Options options = new WebSocketCaller.Options(target, bounds.recordBytes(), calls.idleMillis,
                calls.retryMillis);
        return new SocketSource(new SocketSourceOptions(records, making.operator().assigns(), Expressions::parser, Framing.WHOLE,
                bounds, (inflow, context) -> new WebSocketCaller(options, inflow, context::warn, context::wake)));
    }
}
