package io.despina.expr.catalyst;

import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.expr.catalyst.codegen.Codegen;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.Warmup;

/** Arithmetic over packets: compiled, interpreted by Spark, and written by hand in Java. */
@org.openjdk.jmh.annotations.State(org.openjdk.jmh.annotations.Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ExpressionBenchmark {
    private static final int PACKETS = 1 << 11;
    private static final Schema SCHEMA = Schema.of(new Column("id", Simple.BIGINT, false),
            new Column("celsius", Simple.DOUBLE, false), new Column("pascal", Simple.DOUBLE, true));
    private static final String WHERE = "celsius > 20.0D AND pascal BETWEEN 100.0D AND 1400.0D";
    private static final List<String> SELECT = List.of("id", "celsius * 1.8D + 32.0D AS fahrenheit",
            "pascal / 1000.0D AS kilopascal");

    /** How the expressions run. */
    public enum Form {
        COMPILED, INTERPRETED, BY_HAND
    }

    @Param
    private Form form;

    private final PacketCursor cursor = PacketCursor.reusing(SCHEMA.layout());
    private final Packet[] inputs = new Packet[1];
    private final byte[] region = new byte[PACKETS * 64];
    private byte[] packets;
    private int end;
    private Predicate predicate;
    private Projection projection;
    private PacketWriter out;

    @Setup
    public void make() throws Exception {
        packets = new byte[PACKETS * 64];
        PacketWriter writer = new PacketWriter(SCHEMA.layout(), (w, needed) -> { });
        writer.open(packets, 0, packets.length);
        SplittableRandom random = new SplittableRandom(1);
        for (int k = 0; k < PACKETS; k++) {
            writer.begin().setLong(0, k);
            writer.setDouble(1, random.nextDouble() * 100);
            writer.setDouble(2, random.nextDouble() * 1500);
            writer.commit();
        }
        end = writer.position();
        CatalystCompiler compiler = new CatalystCompiler(true, "UTC");
        ProjectionPlan plan = compiler.project(Scope.of(SCHEMA), SELECT);
        out = new PacketWriter(plan.result().layout(), (w, needed) -> w.move(region, 0, region.length));
        Codegen.REFUSES.set(form == Form.INTERPRETED);
        predicate = form == Form.BY_HAND ? ExpressionBenchmark::isWarm
                : compiler.predicate(Scope.of(SCHEMA), WHERE).instance(0);
        projection = form == Form.BY_HAND ? ExpressionBenchmark::scale
                : compiler.project(Scope.of(SCHEMA), SELECT).compiled().instance(0);
        Codegen.REFUSES.remove();
    }

    private static boolean isWarm(Packet[] in) {
        double pascal = in[0].getDouble(2);
        return in[0].getDouble(1) > 20 && !in[0].isNull(2) && pascal >= 100 && pascal <= 1400;
    }

    private static void scale(Packet[] in, PacketWriter row) {
        row.setLong(0, in[0].getLong(0));
        row.setDouble(1, in[0].getDouble(1) * 1.8 + 32);
        if (in[0].isNull(2)) {
            row.setNull(2);
        } else {
            row.setDouble(2, in[0].getDouble(2) / 1000);
        }
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public int filter() {
        int passed = 0;
        cursor.reset(packets, 0, end);
        for (inputs[0] = cursor.next(); inputs[0] != null; inputs[0] = cursor.next()) {
            passed += predicate.test(inputs) ? 1 : 0;
        }
        return passed;
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public int project() {
        out.open(region, 0, region.length);
        cursor.reset(packets, 0, end);
        for (inputs[0] = cursor.next(); inputs[0] != null; inputs[0] = cursor.next()) {
            projection.apply(inputs, out.begin());
            out.commit();
        }
        return out.position();
    }
}
