package io.despina.operator;

import static io.despina.spec.Never.NEVER;

import io.despina.expr.AggregationPlan;
import io.despina.expr.ExpressionCompiler;
import io.despina.expr.Expressions;
import io.despina.expr.ProjectionPlan;
import io.despina.expr.Scope;
import io.despina.expr.WindowNames;
import io.despina.operator.experiment.RelayPackets;
import io.despina.operator.experiment.VerifyingSink;
import io.despina.operator.order.Keys;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.source.GeneratedRows;
import io.despina.operator.source.Generator;
import io.despina.operator.source.file.FileSource;
import io.despina.operator.source.file.FileSourceOptions;
import io.despina.operator.source.file.FileSourceOptions.Reading;
import io.despina.operator.stateless.Explode;
import io.despina.operator.stateless.Relay;
import io.despina.operator.window.EachAggregate;
import io.despina.operator.window.Scan;
import io.despina.operator.window.WindowAggregate;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.spec.EventTime;
import io.despina.spec.FileFormat;
import io.despina.spec.Follow;
import io.despina.spec.Rate;
import io.despina.spec.Replay;
import io.despina.spec.Windows;
import io.despina.state.EventOrder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What an operator takes per packet with nothing around it: each writes into one segment over and over. */
@State(org.openjdk.jmh.annotations.Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class FlowBenchmark {
    private static final int PACKETS = 65_536 / 50;
    private static final RelayPackets.Options MADE = new RelayPackets.Options(50, RelayPackets.Content.RANDOM, 1);
    private static final int LINES = 10_000;
    private static final Schema READINGS = Schema.of(new Column("ts", Simple.TIMESTAMP, true),
            new Column("index", Simple.BIGINT, true), new Column("state", Simple.INT, true));
    private static final Schema CHANGES = Schema.of(new Column("ts", Simple.TIMESTAMP, true),
            new Column("index", Simple.BIGINT, true), new Column("edge", Simple.INT, true));
    private static final int VISITS = 10_000;
    private static final Schema VISIT = Schema.of(new Column("address", Simple.BIGINT, true),
            new Column("ts", Simple.TIMESTAMP, true));

    private static final int WORDS = 10_000;
    private static final int VOCABULARY = 5_000;
    private static final Schema LINE = Schema.of(new Column("value", Simple.STRING, true));
    private static final Schema WORD = LINE.plus(Schema.of(new Column("word", Simple.STRING, false)));

    private final Generator generator = new Generator(new Generator.Options(new GeneratedRows.Packets(MADE), Generator.UNBOUNDED,
            Rate.FLAT_OUT, null));
    private final Relay relay = new Relay();
    private final Memory generated = new Memory(RelayPackets.SCHEMA);
    private final VerifyingSink sink = new VerifyingSink(new VerifyingSink.Options(MADE, 1, false, VerifyingSink.Sequence.WHOLE));
    private final Memory relayed = new Memory(RelayPackets.SCHEMA);
    private final PacketCursor cursor = PacketCursor.reusing(RelayPackets.SCHEMA.layout());
    private final PacketCursor verified = PacketCursor.reusing(RelayPackets.SCHEMA.layout());
    private byte[] segment;
    private int segmentEnd;
    private FileSource readings;
    /** The same lines read by Spark's parser: an option that says another word than NaN leaves all to it. */
    private FileSource bySpark;
    private final Memory changes = new Memory(READINGS, CHANGES);
    private final PacketCursor waiting = PacketCursor.reusing(READINGS.layout());
    private final byte[] states = new byte[1 << 17];
    private Scan ordered;
    private Scan asTheyCome;
    private long scanned;
    private final byte[] visits = new byte[1 << 18];
    private int visitsEnd;
    private final PacketCursor visited = PacketCursor.reusing(VISIT.layout());
    private WindowAggregate windows;
    private Generator visitors;
    private final byte[] lines = new byte[1 << 17];
    private int linesEnd;
    private final PacketCursor split = PacketCursor.reusing(LINE.layout());
    private Explode words;
    private final byte[] counted = new byte[1 << 18];
    private int countedEnd;
    private final PacketCursor counting = PacketCursor.reusing(WORD.layout());
    private EachAggregate counts;

    @Setup
    public void open() throws Exception {
        generator.open(generated);
        sink.open(generated);
        generateAndVerify();
        relay.open(relayed);
        segment = generated.writer.bytes().clone();
        segmentEnd = generated.writer.position();
        readings = readings(Map.of("sep", "\t"));
        bySpark = readings(Map.of("sep", "\t", "nanValue", "nan"));
        ordered = changes(EventOrder.by(0, 1));
        asTheyCome = changes(null);
        windows = windows();
        visitors = visitors();
        words();
    }

    /** HiBench's word count: lines of ten words, the k-th word with a weight of 1/k. */
    private void words() throws Exception {
        double[] weights = IntStream.range(0, VOCABULARY).mapToDouble(k -> 1.0 / (k + 1)).toArray();
        Arrays.parallelPrefix(weights, Double::sum);
        SplittableRandom chance = new SplittableRandom(1);
        PacketWriter line = new PacketWriter(LINE.layout(), (w, needed) -> { });
        PacketWriter word = new PacketWriter(WORD.layout(), (w, needed) -> { });
        line.open(lines, 0, lines.length);
        word.open(counted, 0, counted.length);
        for (int k = 0; k < WORDS / 10; k++) {
            StringJoiner text = new StringJoiner(" ");
            for (int each = 0; each < 10; each++) {
                int at = Arrays.binarySearch(weights, chance.nextDouble() * weights[VOCABULARY - 1]);
                byte[] one = String.format("word%04d", at < 0 ? -at - 1 : at).getBytes(StandardCharsets.UTF_8);
                word.begin().setNull(0);
                word.setBytes(1, one, 0, one.length);
                word.commit();
                text.add(new String(one, StandardCharsets.UTF_8));
            }
            byte[] whole = text.toString().getBytes(StandardCharsets.UTF_8);
            line.begin().setBytes(0, whole, 0, whole.length);
            line.commit();
        }
        linesEnd = line.position();
        countedEnd = word.position();
        ExpressionCompiler compiler = Expressions.compiler(true, "UTC");
        ProjectionPlan array = compiler.project(Scope.of(LINE), List.of("split(value, ' ') AS word"));
        words = new Explode(new Explode.Options(array.compiled(), array.result(), List.of(Explode.UNREAD)));
        words.open(new Memory(LINE, WORD));
        AggregationPlan each = compiler.aggregate(WORD, List.of("word"), List.of("word", "count(*) AS n"), true,
                WindowNames.NONE, List.of());
        counts = new EachAggregate(null, Keys.of(each.keys(), 256), each.compiled());
        counts.open(new Memory(WORD, each.result()));
    }

    /** The visits of HiBench's fixed window, without end. */
    private static Generator visitors() throws Exception {
        ProjectionPlan plan = Expressions.compiler(true, "UTC").project(Scope.of(GeneratedRows.Select.INPUT),
                List.of("id * 7919 % 10000 AS address", "timestamp_micros(id * 100) AS ts"));
        Generator made = new Generator(new Generator.Options(new GeneratedRows.Select(plan.compiled(), plan.result(), 1),
                Generator.UNBOUNDED, Rate.FLAT_OUT, new EventTime(1, List.of(), 0, NEVER)));
        made.open(new Memory(plan.result()));
        return made;
    }

    /** HiBench's fixed window, and a visit by each of its addresses, all within one window. */
    private WindowAggregate windows() throws Exception {
        PacketWriter writer = new PacketWriter(VISIT.layout(), (w, needed) -> { });
        writer.open(visits, 0, visits.length);
        for (long k = 0; k < VISITS; k++) {
            writer.begin().setLong(0, k * 7919 % VISITS);
            writer.setLong(1, k * 100);
            writer.commit();
        }
        visitsEnd = writer.position();
        AggregationPlan plan = Expressions.compiler(true, "UTC").aggregate(VISIT, List.of("address"),
                List.of("address", "min(ts) AS first", "count(*) AS n"), false, WindowNames.BOUNDS, List.of());
        WindowAggregate made = new WindowAggregate(1, Windows.tumbling(30_000_000, 0), Keys.of(plan.keys(), 256),
                plan.compiled());
        made.open(new Memory(VISIT, plan.result()));
        return made;
    }

    /** Each change of a state, as the manufacturing graph has it. */
    private Scan changes(EventOrder order) throws Exception {
        ExpressionCompiler compiler = Expressions.compiler(true, "UTC");
        Schema last = Schema.of(new Column("last", Simple.INT, true));
        Scope before = Scope.of(READINGS).and(null, last);
        Scope after = before.and("next", last);
        Scan scan = new Scan(order, new Scan.Fold(Keys.none(), last,
                compiler.project(Scope.of(READINGS), List.of("state AS last")).compiled(),
                compiler.project(before, List.of("coalesce(state, last) AS last")).compiled(),
                compiler.predicate(after, "state <> last"),
                compiler.project(after, List.of("ts", "index", "state AS edge")).compiled(), null));
        scan.open(changes);
        return scan;
    }

    private static FileSource readings(Map<String, String> options) throws IOException {
        Path file = Files.createTempFile("readings", ".csv");
        file.toFile().deleteOnExit();
        StringBuilder text = new StringBuilder();
        for (int k = 0; k < LINES; k++) {
            text.append(String.format("2012-02-22T16:46:%02d.%07d+00:00\t%d\t13056\t14406\t8119\t0071\t0193\t0150\t0000",
                    k / 1000, k % 1000 * 10_000, 2_556_001 + k));
            text.append("\t0".repeat(47)).append("\r\n");
        }
        Files.writeString(file, text);
        List<Column> columns = new ArrayList<>(List.of(new Column("ts", Simple.TIMESTAMP, true),
                new Column("index", Simple.BIGINT, true)));
        for (int k = 2; k < 18; k++) {
            columns.add(new Column("c" + k, Simple.INT, true));
        }
        Schema schema = new Schema(columns);
        FileSource source = new FileSource(new FileSourceOptions(file.toString(), new RecordFormat.Read(FileFormat.CSV,
                options, schema, 56, true, Set.of(), "UTC", true), new Reading(Follow.NO,
                Replay.AS_FAST_AS_POSSIBLE, false, 0), null, Expressions::parser));
        source.open(new Memory(schema));
        return source;
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public long generate() throws Exception {
        return generator.produce(0);
    }

    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public boolean relay() {
        cursor.reset(segment, 0, segmentEnd);
        relay.process(0, cursor);
        return cursor.isEmpty();
    }

    /** What a source and its sink take of a packet. */
    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public boolean generateAndVerify() throws Exception {
        generated.writer.open(generated.region, 0, generated.region.length);
        generator.produce(0);
        verified.reset(generated.region, 0, generated.writer.position());
        sink.process(0, verified);
        return verified.isEmpty();
    }

    /** Per call, about 64 KB of text: 350 lines of 56 columns, 18 of them read. */
    @Benchmark
    @OperationsPerInvocation(350)
    public long readCsv() throws Exception {
        return readings.produce(0);
    }

    /** Readings in event order, and then the watermark that passes them; the state changes once in all of them. */
    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public boolean scanInOrder() throws Exception {
        read();
        ordered.process(0, waiting);
        return ordered.watermark(scanned);
    }

    /** The same without an event time, so that no packet waits. */
    @Benchmark
    @OperationsPerInvocation(PACKETS)
    public boolean scanAsTheyCome() throws Exception {
        read();
        asTheyCome.process(0, waiting);
        return waiting.isEmpty();
    }

    /** Rows of a select list with an event time. */
    @Benchmark
    @OperationsPerInvocation(512)
    public long rows() throws Exception {
        return visitors.produce(0);
    }

    /** Packets into the groups of an open window. */
    @Benchmark
    @OperationsPerInvocation(VISITS)
    public boolean window() throws Exception {
        visited.reset(visits, 0, visitsEnd);
        windows.process(0, visited);
        return visited.isEmpty();
    }

    /** Lines into words. */
    @Benchmark
    @OperationsPerInvocation(WORDS)
    public boolean split() throws Exception {
        split.reset(lines, 0, linesEnd);
        words.process(0, split);
        return split.isEmpty();
    }

    /** Each word with its new count. */
    @Benchmark
    @OperationsPerInvocation(WORDS)
    public boolean count() throws Exception {
        counting.reset(counted, 0, countedEnd);
        counts.process(0, counting);
        return counting.isEmpty();
    }

    private void read() {
        PacketWriter writer = new PacketWriter(READINGS.layout(), (w, needed) -> { });
        writer.open(states, 0, states.length);
        for (int k = 0; k < PACKETS; k++) {
            writer.begin().setLong(0, ++scanned);
            writer.setLong(1, scanned);
            writer.setInt(2, k == 0 ? 1 : 0);
            writer.commit();
        }
        waiting.reset(states, 0, writer.position());
    }

    @Benchmark
    @OperationsPerInvocation(350)
    public long readCsvBySpark() throws Exception {
        return bySpark.produce(0);
    }

    /** Context and output in one: a segment that is written over and over. */
    static final class Memory implements OperatorContext, Output, PacketWriter.Regions {
        private final PacketWriter writer;
        private final byte[] region = new byte[1 << 17];
        private final Schema input;

        Memory(Schema schema) {
            this(RelayPackets.SCHEMA, schema);
        }

        Memory(Schema input, Schema output) {
            this.input = input;
            writer = new PacketWriter(output.layout(), this);
            writer.open(region, 0, region.length);
        }

        @Override
        public void makeRoom(PacketWriter open, int needed) {
            open.move(region, 0, region.length);
        }

        @Override
        public PacketWriter writer() {
            return writer;
        }

        @Override
        public boolean hasRoom() {
            return true;
        }

        @Override
        public void due(long nanos) {
        }

        @Override
        public void watermark(long micros, boolean exact) {
        }

        @Override
        public void idle() {
        }

        @Override
        public String operatorId() {
            return "bench";
        }

        @Override
        public int instance() {
            return 0;
        }

        @Override
        public int parallelism() {
            return 1;
        }

        @Override
        public Schema input(int port) {
            return input;
        }

        @Override
        public Output output(int port) {
            return this;
        }

        @Override
        public LongSupplier clock() {
            return () -> 0;
        }

        @Override
        public void countLate() {
        }

        @Override
        public void badRecord(Exception why, Packet packet) throws Exception {
            throw why;
        }

        @Override
        public void badRecord(String why, String record) {
            throw new IllegalStateException(why);
        }

        @Override
        public void stateBytes(long bytes) {
        }
    }
}
