package io.despina.operator;

import io.despina.expr.AggregationPlan;
import io.despina.expr.Compiled;
import io.despina.expr.ExpressionCompiler;
import io.despina.expr.Expressions;
import io.despina.expr.Projection;
import io.despina.expr.WindowNames;
import io.despina.operator.FlowBenchmark.Memory;
import io.despina.operator.keyed.Absence;
import io.despina.operator.keyed.Deduplicate;
import io.despina.operator.keyed.Resample;
import io.despina.operator.order.Keys;
import io.despina.operator.order.OrderedOperator;
import io.despina.operator.window.EachAggregate;
import io.despina.operator.window.SessionAggregate;
import io.despina.packet.Column;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.Points;
import io.despina.state.EventOrder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What an operator takes per packet in event order, in a JVM that has run all of these operators, so that code which they share
 * has seen them all.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class OrderedBenchmark {
    private static final int PACKETS = 2_500;
    private static final int KEYS = 1_000;
    /** How often each operator runs before one is measured. */
    private static final int ROUNDS = 2_000;
    private static final Schema VISITS = Schema.of(new Column("ts", Simple.TIMESTAMP, true),
            new Column("index", Simple.BIGINT, true), new Column("user", Simple.INT, true));
    private static final EventOrder ORDER = EventOrder.by(0, 1);
    private static final Compiled<Projection> ROW = instance -> (inputs, out) -> {
        out.setLong(0, 0);
        out.setLong(1, 0);
        out.setInt(2, 0);
    };

    @Param({"deduplicate", "each", "absence", "resample", "session"})
    public String operator;

    private final ExpressionCompiler compiler = Expressions.compiler(true, "UTC");
    private final byte[] packets = new byte[1 << 17];
    private final PacketWriter writer = new PacketWriter(VISITS.layout(), (w, needed) -> { });
    private final PacketCursor cursor = PacketCursor.reusing(VISITS.layout());
    private OrderedOperator measured;
    private long time;

    @Setup
    public void open() throws Exception {
        measured = opened(operator);
        List<String> all = List.of("deduplicate", "each", "absence", "resample", "session");
        for (String name : all) {
            OrderedOperator other = opened(name);
            for (int k = 0; k < ROUNDS; k++) {
                run(other);
            }
        }
    }

    private OrderedOperator opened(String name) throws Exception {
        Keys keys = Keys.of(compiler.project(io.despina.expr.Scope.of(VISITS), List.of("user")), 256);
        AggregationPlan count = compiler.aggregate(VISITS, List.of("user"), List.of("user", "count(*) AS n"),
                name.equals("each"), WindowNames.NONE, List.of());
        OrderedOperator made = switch (name) {
            case "deduplicate" -> new Deduplicate(ORDER, new Deduplicate.Options(keys, 100 * KEYS, false));
            case "each" -> new EachAggregate(ORDER, Keys.of(count.keys(), 256), count.compiled());
            case "absence" -> new Absence(ORDER, new Absence.Options(keys, KEYS / 2, Long.MAX_VALUE, ROW, List.of()));
            case "resample" -> new Resample(ORDER, new Resample.Options(keys, new Points(2 * KEYS, 0, 4 * KEYS), ROW, List.of()));
            case "session" -> new SessionAggregate(ORDER, KEYS / 2, Keys.of(count.keys(), 256), count.compiled());
            default -> throw new IllegalArgumentException(name);
        };
        made.open(new Memory(VISITS, name.equals("each") || name.equals("session") ? count.result() : VISITS));
        return made;
    }

    /** A packet per microsecond and then the watermark that passes them; each key comes once in a thousand packets. */
    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public boolean inOrder() throws Exception {
        return run(measured);
    }

    private boolean run(OrderedOperator one) throws Exception {
        writer.open(packets, 0, packets.length);
        for (int k = 0; k < PACKETS; k++) {
            writer.begin().setLong(0, ++time);
            writer.setLong(1, time);
            writer.setInt(2, (int) (time * 7919 % KEYS));
            writer.commit();
        }
        cursor.reset(packets, 0, writer.position());
        one.process(0, cursor);
        return one.watermark(time);
    }
}
