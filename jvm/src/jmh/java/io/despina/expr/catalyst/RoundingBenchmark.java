package io.despina.expr.catalyst;

import io.despina.expr.Projection;
import io.despina.expr.Scope;
import io.despina.expr.catalyst.analysis.Analysis;
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

/** {@code round} and {@code bround} of a DOUBLE: with our arithmetic, and with the decimals of Spark's own code. */
@org.openjdk.jmh.annotations.State(org.openjdk.jmh.annotations.Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class RoundingBenchmark {
    private static final int PACKETS = 1 << 11;
    private static final int MOST_BYTES = 32;
    private static final Schema SCHEMA = Schema.of(new Column("celsius", Simple.DOUBLE, false));

    /** Whose code rounds. */
    public enum Form {
        OURS, SPARKS
    }

    @Param
    private Form form;
    @Param({"round(celsius)", "bround(celsius)", "round(celsius, 2)"})
    private String text;

    private final Packet[] inputs = new Packet[1];
    private final byte[] region = new byte[PACKETS * MOST_BYTES];
    private PacketCursor cursor;
    private byte[] packets;
    private int end;
    private Projection projection;
    private PacketWriter out;

    @Setup
    public void make() throws Exception {
        packets = new byte[PACKETS * MOST_BYTES];
        cursor = PacketCursor.reusing(SCHEMA.layout());
        PacketWriter writer = new PacketWriter(SCHEMA.layout(), (w, needed) -> { });
        writer.open(packets, 0, packets.length);
        SplittableRandom random = new SplittableRandom(1);
        for (int k = 0; k < PACKETS; k++) {
            writer.begin().setDouble(0, random.nextDouble() * 100);
            writer.commit();
        }
        end = writer.position();
        Analysis analysis = new Analysis(true, "UTC");
        var plan = new CatalystCompiler(form == Form.OURS ? analysis : analysis.without("Rounding"))
                .project(Scope.of(SCHEMA), List.of(text + " AS r"));
        out = new PacketWriter(plan.result().layout(), (w, needed) -> w.move(region, 0, region.length));
        projection = plan.compiled().instance(0);
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public int round() {
        out.open(region, 0, region.length);
        cursor.reset(packets, 0, end);
        for (inputs[0] = cursor.next(); inputs[0] != null; inputs[0] = cursor.next()) {
            projection.apply(inputs, out.begin());
            out.commit();
        }
        return out.position();
    }
}
