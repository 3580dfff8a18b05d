package io.despina.operator;

import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type;
import io.despina.state.Sections;
import io.despina.state.Share;
import io.despina.state.Snapshots;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Runs one operator in memory, by hand, as the runtime does: packets and watermarks in, rows and watermarks out. Outputs
 * have small regions and little room, so that operators must yield, and every region is poisoned once it is read. The
 * clock is {@link #now}: it moves when a source says so, or the test.
 */
public final class OperatorHarness implements AutoCloseable {
    private static final byte POISON = (byte) 0xDB;
    /** Regions that may be filled before an operator has looked for room. */
    private static final int SLACK = 8;
    /** Of a snapshot, in bytes. */
    private static final int SLICE = 64;
    private static final int BUCKETS = 256;

    /** What came out of a port: exactly one of a row, a watermark or an idle mark. */
    public record Event(List<Object> row, Long watermark, boolean exact, boolean idle) {
        public static Event of(Object... values) {
            return new Event(Rows.row(values), null, false, false);
        }

        public static Event watermark(long micros, boolean exact) {
            return new Event(null, micros, exact, false);
        }
    }

    /** Of the port that dead letters leave by. */
    public static final Schema LETTERS = Schema.of(new Column("reason", Type.Simple.STRING, false));

    /** How it is set up; {@code inputs} and {@code outputs} by port. */
    public static final class Setup {
        private final Supplier<? extends Operator> operators;
        private List<Schema> inputs = List.of();
        private List<Schema> outputs = List.of();
        private int instance;
        private int parallelism = 1;
        private int regionBytes = 128;
        private int room = 2;
        private long memory = Long.MAX_VALUE;
        private boolean failing = true;
        private boolean writing;
        private boolean restored;
        private Path kept;
        private boolean committed;
        private int attempt;

        private Setup(Supplier<? extends Operator> operators) {
            this.operators = operators;
        }

        public Setup inputs(Schema... schemas) {
            inputs = List.of(schemas);
            return this;
        }

        public Setup outputs(Schema... schemas) {
            outputs = List.of(schemas);
            return this;
        }

        public Setup instance(int number, int of) {
            instance = number;
            parallelism = of;
            return this;
        }

        /** Bytes of an output's regions, and how many may be full before it has no room. */
        public Setup room(int bytes, int regions) {
            regionBytes = bytes;
            room = regions;
            return this;
        }

        /** The bytes of state beyond which the operator fails. */
        public Setup memory(long bytes) {
            memory = bytes;
            return this;
        }

        /** Bad records are collected in {@link OperatorHarness#badRecords} and do not fail. */
        public Setup skippingBadRecords() {
            failing = false;
            return this;
        }

        /** The same, and they leave by the last output port, which is of {@link #LETTERS}. */
        public Setup writingDeadLetters() {
            failing = false;
            writing = true;
            return this;
        }

        /** The job takes snapshots, and this is that attempt. */
        public Setup attempt(int number) {
            attempt = number;
            return this;
        }

        /** Each instance has a folder for its logs, and is an attempt of its own. */
        public Setup keeping(Path folder) {
            kept = folder;
            return this;
        }

        /** What is restored is of an epoch that all sinks have committed. */
        public Setup committed() {
            committed = true;
            return this;
        }

        /** A snapshot is restored into it. */
        public Setup restored() {
            restored = true;
            return this;
        }

        public OperatorHarness open() throws Exception {
            return new OperatorHarness(this);
        }
    }

    private final Setup setup;
    private final List<Port> ports = new ArrayList<>();
    private Operator operator;
    private boolean restored;
    private int attempt = 1;

    /** Nanoseconds of the job's clock. */
    public long now;
    private final List<String> leftBehind = new ArrayList<>();
    public int lateCount;
    private final List<List<Long>> latencies = new ArrayList<>();
    public long stateBytes;
    public final List<String> badRecords = new ArrayList<>();
    /** How often a source has woken itself; read by the test, written by any thread. */
    public final AtomicInteger wakes = new AtomicInteger();
    /** When the operator wants to be called, in microseconds since 1970. */
    public long wakeAt = Long.MAX_VALUE;
    public final List<String> warnings = new ArrayList<>();
    public final Map<String, Long> counts = new TreeMap<>();
    /** What the operator told the user that is no warning, and what his function has counted. */
    public final List<String> told = new ArrayList<>();
    /** Of those whose text an operator gave, only that. */
    public final List<String> badTexts = new ArrayList<>();

    private OperatorHarness(Setup setup) throws Exception {
        this.setup = setup;
        restored = setup.restored;
        setup.outputs.forEach(schema -> ports.add(new Port(schema)));
        operator = setup.operators.get();
        operator.open(new Context());
    }

    /** @param operators makes a fresh instance, once now and once per {@link #restart} */
    public static Setup of(Supplier<? extends Operator> operators) {
        return new Setup(operators);
    }

    public Operator operator() {
        return operator;
    }

    /** One packet, in a region of its own. */
    public OperatorHarness feedRow(int port, Object... values) throws Exception {
        return feed(port, List.of(Rows.row(values)));
    }

    public OperatorHarness feed(int port, List<? extends List<?>> rows) throws Exception {
        Schema schema = setup.inputs.get(port);
        byte[] region = Rows.encode(schema, rows);
        PacketCursor cursor = PacketCursor.reusing(schema.layout());
        cursor.reset(region, 0, region.length);
        while (!cursor.isEmpty()) {
            int before = cursor.position();
            boolean hadRoom = haveRoom();
            operator.process(port, cursor);
            boolean yielded = !haveRoom();
            if (!cursor.isEmpty() && hadRoom && !yielded) {
                throw new AssertionError("stopped at packet " + before + " of " + region.length + " although there was room");
            }
            drain();
        }
        Arrays.fill(region, POISON);
        return this;
    }

    public OperatorHarness watermark(long watermark) throws Exception {
        boolean done = false;
        while (!done) {
            done = tryWatermark(watermark);
        }
        return this;
    }

    /** What the runtime calls before a barrier. */
    public OperatorHarness release() throws Exception {
        while (!operator.release()) {
            drain();
        }
        drain();
        return this;
    }

    /** Passes a watermark on once; false if the operator has more to emit, and wants to be called again. */
    public boolean tryWatermark(long watermark) throws Exception {
        boolean done = operator.watermark(watermark);
        drain();
        if (done && !(operator instanceof Holding)) {
            ports.forEach(port -> port.events.add(Event.watermark(operator.outputWatermark(watermark), false)));
        }
        return done;
    }

    public OperatorHarness inputWatermark(int port, long watermark) {
        operator.inputWatermark(port, watermark);
        return this;
    }

    /** Moves the clock on, and calls the operator at each instant that it has asked for on the way. */
    public OperatorHarness passTo(long wallMicros) throws Exception {
        while (wakeAt <= wallMicros) {
            now = Math.max(now, wakeAt * 1_000);
            long asked = wakeAt;
            wakeAt = Long.MAX_VALUE;
            while (!operator.timer(now / 1_000)) {
                drain();
            }
            drain();
            if (wakeAt <= asked) {
                throw new AssertionError("asks again for " + asked);
            }
        }
        now = Math.max(now, wallMicros * 1_000);
        return this;
    }

    /** The end of all inputs, with the last watermark before it. */
    public OperatorHarness end() throws Exception {
        release();
        watermark(Long.MAX_VALUE);
        while (!operator.end()) {
            drain();
            if (operator instanceof Holding) {
                passTo(wakeAt);
            }
        }
        drain();
        return this;
    }

    /** Calls a source once, and drains. */
    public long produce() throws Exception {
        long next = ((Source) operator).produce(now);
        drain();
        return next;
    }

    /** Calls a source until it ends, moving the clock to when it asks to be called. */
    public OperatorHarness produceAll() throws Exception {
        for (long next = produce(); next != Source.ENDED; next = produce()) {
            now = Math.max(now, next);
        }
        return this;
    }

    /** Takes a snapshot, closes the instance and goes on in a fresh one. */
    public OperatorHarness restart() throws Exception {
        return restart(snapshot());
    }

    /** Goes on in a fresh instance without a snapshot, as when no epoch was complete. */
    public OperatorHarness restartAfresh() throws Exception {
        return reopened(false);
    }

    private OperatorHarness reopened(boolean from) throws Exception {
        operator.close();
        operator = setup.operators.get();
        restored = from;
        attempt++;
        operator.open(new Context());
        return this;
    }

    /** Goes on in a fresh instance from an earlier snapshot. */
    public OperatorHarness restart(Map<String, byte[]> snapshot) throws Exception {
        return restart(snapshot, setup.parallelism);
    }

    /** The same at another parallelism. @param writers how many instances there were, which all wrote this snapshot */
    public OperatorHarness restart(Map<String, byte[]> snapshot, int writers) throws Exception {
        leftBehind.clear();
        wakeAt = Long.MAX_VALUE;
        reopened(true);
        List<Sections> all = Collections.nCopies(writers, Snapshots.sections(snapshot));
        new Share(setup.instance, setup.parallelism, BUCKETS).restore(operator.states(), all);
        operator.restored();
        return this;
    }

    /** What a sink said of rows that no job has committed. */
    public List<String> leftBehind() {
        return leftBehind;
    }

    /** What a sink does elsewhere is done: throws what has gone wrong. */
    public static void done(CompletableFuture<Void> what) throws Exception {
        Throwable failed = what.handle((nothing, failure) -> failure).join();
        if (failed != null) {
            throw (Exception) failed.getCause();
        }
    }

    /** What a snapshot has of the operator, by state. */
    public Map<String, byte[]> snapshot() throws Exception {
        try (Snapshots snapshot = new Snapshots(operator.states(), SLICE)) {
            return snapshot.all();
        }
    }

    /** Begins a snapshot, to be written slice by slice while packets come. @param changes whether of what has changed alone */
    public Snapshots beginSnapshot(boolean changes) {
        return new Snapshots(operator.states(), SLICE, changes);
    }

    /** The rows that came out of a port so far. */
    public List<List<Object>> rows(int port) {
        return ports.get(port).events.stream().map(Event::row).filter(row -> row != null).toList();
    }

    /** Rows and watermarks that came out of a port so far, in order. */
    public List<Event> events(int port) {
        return List.copyOf(ports.get(port).events);
    }

    /** What the operator told of latencies: how much later than the first, in nanoseconds, and how many packets. */
    public List<List<Long>> latencies() {
        return List.copyOf(latencies);
    }

    /** The due time that held for each row of a port. */
    public List<Long> dues(int port) {
        return List.copyOf(ports.get(port).dues);
    }

    private boolean haveRoom() {
        return ports.stream().allMatch(Port::hasRoom);
    }

    public void drain() {
        ports.forEach(Port::drain);
    }

    @Override
    public void close() throws IOException {
        operator.close();
    }

    private final class Context implements OperatorContext {
        @Override
        public String operatorId() {
            return "tested";
        }

        @Override
        public int instance() {
            return setup.instance;
        }

        @Override
        public int parallelism() {
            return setup.parallelism;
        }

        @Override
        public boolean isRestored() {
            return restored;
        }

        @Override
        public boolean isCommitted() {
            return setup.committed;
        }

        @Override
        public Path keptFolder() {
            return setup.kept;
        }

        @Override
        public boolean takesSnapshots() {
            return setup.attempt > 0;
        }

        @Override
        public int attempt() {
            return Math.max(setup.attempt, attempt);
        }

        @Override
        public Schema input(int port) {
            return setup.inputs.get(port);
        }

        @Override
        public Output output(int port) {
            return ports.get(port);
        }

        @Override
        public boolean hasRoom() {
            return ports.get(0).hasRoom() && (!setup.writing || ports.get(ports.size() - 1).hasRoom());
        }

        @Override
        public void wake() {
            wakes.incrementAndGet();
        }

        @Override
        public LongSupplier clock() {
            return () -> now;
        }

        @Override
        public void wakeAt(long micros) {
            wakeAt = micros;
        }

        @Override
        public void latency(long laterNanos, long packets) {
            latencies.add(List.of(laterNanos, packets));
        }

        @Override
        public void countLate() {
            lateCount++;
        }

        @Override
        public void leftBehind(String where) {
            leftBehind.add(where);
        }

        @Override
        public void tell(String what) {
            told.add(what);
        }

        @Override
        public void count(String name, long more) {
            counts.merge(name, more, Long::sum);
        }

        @Override
        public void warn(String what) {
            warnings.add(what);
        }

        @Override
        public boolean failsOnBadRecord() {
            return setup.failing;
        }

        @Override
        public void badRecord(Exception why, Packet packet) throws Exception {
            if (setup.failing) {
                throw why;
            }
            if (setup.inputs.stream().noneMatch(input -> input.layout() == packet.layout())) {
                throw new AssertionError("the bad packet is of no input, so its text cannot be told", why);
            }
            collect(why.getMessage());
        }

        @Override
        public void badRecord(String why, String record) {
            if (setup.failing) {
                throw new IllegalArgumentException(why + ": " + record);
            }
            badTexts.add(record);
            collect(why + ": " + record);
        }

        private void collect(String bad) {
            badRecords.add(bad);
            if (setup.writing) {
                byte[] utf8 = bad.getBytes(StandardCharsets.UTF_8);
                PacketWriter letters = ports.get(ports.size() - 1).writer();
                letters.begin().setBytes(0, utf8, 0, utf8.length);
                letters.commit();
            }
        }

        @Override
        public void stateBytes(long bytes) {
            stateBytes = bytes;
            if (bytes > setup.memory) {
                throw new IllegalStateException("holds " + bytes + " bytes of state");
            }
        }
    }

    private final class Port implements Output, PacketWriter.Regions {
        private final Schema schema;
        private final PacketWriter writer;
        private final List<Event> events = new ArrayList<>();
        private final List<Long> dues = new ArrayList<>();
        private int handedOver;
        private long due;

        Port(Schema schema) {
            this.schema = schema;
            writer = new PacketWriter(schema.layout(), this);
            writer.open(new byte[setup.regionBytes], 0, setup.regionBytes);
        }

        @Override
        public void makeRoom(PacketWriter open, int needed) {
            byte[] full = open.bytes();
            int end = open.position();
            int size = Math.max(needed, setup.regionBytes);
            open.move(new byte[size], 0, size);
            take(full, end);
            if (++handedOver > setup.room + SLACK) {
                throw new AssertionError("writes on although there is no room");
            }
        }

        private void take(byte[] region, int end) {
            List<List<Object>> rows = Rows.decode(schema, region, 0, end);
            rows.forEach(row -> events.add(new Event(row, null, false, false)));
            dues.addAll(Collections.nCopies(rows.size(), due));
            Arrays.fill(region, POISON);
        }

        private void cut() {
            if (writer.position() > 0) {
                take(writer.bytes(), writer.position());
                writer.open(new byte[setup.regionBytes], 0, setup.regionBytes);
            }
        }

        private void drain() {
            cut();
            handedOver = 0;
        }

        @Override
        public PacketWriter writer() {
            return writer;
        }

        @Override
        public boolean hasRoom() {
            return handedOver < setup.room;
        }

        @Override
        public void due(long nanos) {
            cut();
            due = nanos;
        }

        @Override
        public void watermark(long micros, boolean exact) {
            cut();
            events.add(Event.watermark(micros, exact));
        }

        @Override
        public void idle() {
            cut();
            events.add(new Event(null, null, false, true));
        }
    }
}
