package io.despina.expr.catalyst;

import io.despina.expr.Predicate;
import io.despina.expr.Projection;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.expr.catalyst.codegen.Codegen;
import io.despina.packet.Column;
import io.despina.packet.Packet;
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

/** Arithmetic and texts over packets: compiled, interpreted by Spark, and written by hand in Java. */
@org.openjdk.jmh.annotations.State(org.openjdk.jmh.annotations.Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ExpressionBenchmark {
    /** How the expressions run. */
    public enum Form {
        COMPILED, INTERPRETED, BY_HAND
    }

    /** What the packets hold. */
    public enum Subject {
        NUMBERS(Schema.of(new Column("id", Simple.BIGINT, false), new Column("celsius", Simple.DOUBLE, false),
                new Column("pascal", Simple.DOUBLE, true)),
                "celsius > 20.0D AND pascal BETWEEN 100.0D AND 1400.0D",
                List.of("id", "celsius * 1.8D + 32.0D AS fahrenheit", "pascal / 1000.0D AS kilopascal")) {
            @Override
            void write(PacketWriter packet, SplittableRandom random, int k) {
                packet.setLong(0, k);
                packet.setDouble(1, random.nextDouble() * 100);
                packet.setDouble(2, random.nextDouble() * 1500);
            }

            @Override
            boolean passes(Packet packet) {
                double pascal = packet.getDouble(2);
                return packet.getDouble(1) > 20 && !packet.isNull(2) && pascal >= 100 && pascal <= 1400;
            }

            @Override
            void project(Packet packet, PacketWriter row) {
                row.setLong(0, packet.getLong(0));
                row.setDouble(1, packet.getDouble(1) * 1.8 + 32);
                if (packet.isNull(2)) {
                    row.setNull(2);
                } else {
                    row.setDouble(2, packet.getDouble(2) / 1000);
                }
            }
        },

        TEXTS(Schema.of(new Column("name", Simple.STRING, false), new Column("place", Simple.STRING, false)),
                "name LIKE 'pump%' AND length(place) > 8",
                List.of("upper(name) AS name", "concat(substring(name, 1, 3), '-', trim(place)) AS label")) {
            @Override
            void write(PacketWriter packet, SplittableRandom random, int k) {
                set(packet, 0, (random.nextBoolean() ? "pump-" : "valve-") + random.nextInt(1000));
                set(packet, 1, " hall " + random.nextInt(2000) + " ");
            }

            @Override
            boolean passes(Packet packet) {
                return text(packet, 0).startsWith("pump") && text(packet, 1).length() > 8;
            }

            @Override
            void project(Packet packet, PacketWriter row) {
                String name = text(packet, 0);
                set(row, 0, name.toUpperCase(Locale.ROOT));
                set(row, 1, name.substring(0, Math.min(3, name.length())) + "-" + text(packet, 1).trim());
            }
        };

        private final Schema schema;
        private final String where;
        private final List<String> select;

        Subject(Schema schema, String where, List<String> select) {
            this.schema = schema;
            this.where = where;
            this.select = select;
        }

        abstract void write(PacketWriter packet, SplittableRandom random, int k);

        /** {@link #where} by hand. */
        abstract boolean passes(Packet packet);

        /** {@link #select} by hand. */
        abstract void project(Packet packet, PacketWriter row);

        static void set(PacketWriter row, int column, String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            row.setBytes(column, bytes, 0, bytes.length);
        }

        static String text(Packet packet, int column) {
            return new String(packet.copyOfValue(column), StandardCharsets.UTF_8);
        }
    }

    @Param
    private Form form;
    @Param
    private Subject subject;

    private PacketLoop packets;
    private Predicate predicate;
    private Projection projection;
    private PacketWriter out;

    @Setup
    public void make() throws Exception {
        packets = new PacketLoop(subject.schema, subject::write);
        CatalystCompiler compiler = new CatalystCompiler(true, "UTC");
        Scope scope = Scope.of(subject.schema);
        ProjectionPlan plan = compiler.project(scope, subject.select);
        out = packets.writer(plan.result());
        Codegen.REFUSES.set(form == Form.INTERPRETED);
        Subject of = subject;
        predicate = form == Form.BY_HAND ? in -> of.passes(in[0]) : compiler.predicate(scope, subject.where).instance(0);
        projection = form == Form.BY_HAND ? (in, row) -> of.project(in[0], row)
                : compiler.project(scope, subject.select).compiled().instance(0);
        Codegen.REFUSES.remove();
    }

    @Benchmark
    @OperationsPerInvocation(PacketLoop.PACKETS)
    public int filter() {
        return packets.filter(predicate);
    }

    @Benchmark
    @OperationsPerInvocation(PacketLoop.PACKETS)
    public int project() {
        return packets.project(projection, out);
    }
}
