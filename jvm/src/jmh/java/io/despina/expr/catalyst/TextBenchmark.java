package io.despina.expr.catalyst;

import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.expr.Scope;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
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

/** Texts in packets: compiled, and written by hand with Java's strings. */
@org.openjdk.jmh.annotations.State(org.openjdk.jmh.annotations.Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class TextBenchmark {
    private static final int PACKETS = 1 << 11;
    private static final int MOST_BYTES = 80;
    private static final Schema SCHEMA = Schema.of(new Column("name", Simple.STRING, false),
            new Column("place", Simple.STRING, false));
    private static final String WHERE = "name LIKE 'pump%' AND length(place) > 8";
    private static final List<String> SELECT = List.of("upper(name) AS name",
            "concat(substring(name, 1, 3), '-', trim(place)) AS label");

    @Param({"true", "false"})
    private boolean compiled;

    private final PacketCursor cursor = PacketCursor.reusing(SCHEMA.layout());
    private final Packet[] inputs = new Packet[1];
    private final byte[] region = new byte[PACKETS * MOST_BYTES];
    private byte[] packets;
    private int end;
    private Predicate predicate;
    private Projection projection;
    private PacketWriter out;

    @Setup
    public void make() throws Exception {
        packets = new byte[PACKETS * MOST_BYTES];
        PacketWriter writer = new PacketWriter(SCHEMA.layout(), (w, needed) -> { });
        writer.open(packets, 0, packets.length);
        SplittableRandom random = new SplittableRandom(1);
        for (int k = 0; k < PACKETS; k++) {
            set(writer.begin(), 0, (random.nextBoolean() ? "pump-" : "valve-") + random.nextInt(1000));
            set(writer, 1, " hall " + random.nextInt(2000) + " ");
            writer.commit();
        }
        end = writer.position();
        CatalystCompiler compiler = new CatalystCompiler(true, "UTC");
        var plan = compiler.project(Scope.of(SCHEMA), SELECT);
        out = new PacketWriter(plan.result().layout(), (w, needed) -> w.move(region, 0, region.length));
        predicate = compiled ? compiler.predicate(Scope.of(SCHEMA), WHERE).instance(0) : TextBenchmark::isPump;
        projection = compiled ? plan.compiled().instance(0) : TextBenchmark::label;
    }

    private static void set(PacketWriter row, int column, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        row.setBytes(column, bytes, 0, bytes.length);
    }

    private static String text(Packet packet, int column) {
        return new String(packet.copyOfValue(column), StandardCharsets.UTF_8);
    }

    private static boolean isPump(Packet[] in) {
        return text(in[0], 0).startsWith("pump") && text(in[0], 1).length() > 8;
    }

    private static void label(Packet[] in, PacketWriter row) {
        String name = text(in[0], 0);
        set(row, 0, name.toUpperCase(Locale.ROOT));
        set(row, 1, name.substring(0, Math.min(3, name.length())) + "-" + text(in[0], 1).trim());
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
