package io.despina.expr.catalyst;

import io.despina.expr.Projection;
import io.despina.expr.Scope;
import io.despina.expr.catalyst.analysis.Analysis;
import io.despina.packet.Column;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.nio.charset.StandardCharsets;
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

/**
 * What rules for speed put in place of Spark's code, and that code: {@code round} of a DOUBLE, {@code split_part}, a product of
 * decimals.
 */
@org.openjdk.jmh.annotations.State(org.openjdk.jmh.annotations.Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class RulesBenchmark {
    private static final Schema SCHEMA = Schema.of(new Column("celsius", Simple.DOUBLE, false),
            new Column("topic", Simple.STRING, false), new Column("price", Simple.BIGINT, false));

    /** Whose code it is. */
    public enum Form {
        OURS, SPARKS
    }

    @Param
    private Form form;
    @Param({"round(celsius)", "bround(celsius)", "round(celsius, 2)", "split_part(topic, '/', 4)", "0.908 * price"})
    private String text;

    private PacketLoop packets;
    private Projection projection;
    private PacketWriter out;

    @Setup
    public void make() throws Exception {
        packets = new PacketLoop(SCHEMA, RulesBenchmark::write);
        Analysis analysis = new Analysis(true, "UTC");
        var plan = new CatalystCompiler(form == Form.OURS ? analysis : analysis.without("Rounding").without("Splitting")
                .without("Products"))
                .project(Scope.of(SCHEMA), List.of(text + " AS r"));
        out = packets.writer(plan.result());
        projection = plan.compiled().instance(0);
    }

    private static void write(PacketWriter row, SplittableRandom random, int k) {
        row.setDouble(0, random.nextDouble() * 100);
        byte[] topic = "plant/%d/machine/%d/temperature".formatted(random.nextInt(10), random.nextInt(1000))
                .getBytes(StandardCharsets.UTF_8);
        row.setBytes(1, topic, 0, topic.length);
        row.setLong(2, random.nextLong(100_000_000));
    }

    @Benchmark
    @OperationsPerInvocation(PacketLoop.PACKETS)
    public int project() {
        return packets.project(projection, out);
    }
}
