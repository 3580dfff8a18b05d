package io.despina.python;

import io.despina.arrow.BatchReader;
import io.despina.arrow.BatchWriter;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Microseconds for a batch of readings (a time, a number, a name, two values): to write it, to read it back, and the round
 * trip of its two values through a function {@code a * 1.8 + 32} of rows or of numpy arrays. The interpreter is that of
 * {@code .venv}.
 */
@State(Scope.Thread)
@BenchmarkMode({Mode.AverageTime, Mode.SampleTime})
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class WorkerBenchmark {
    private static final Schema READINGS = Schema.of(new Column("ts", Simple.TIMESTAMP, false),
            new Column("id", Simple.BIGINT, false), new Column("device", Simple.STRING, true),
            new Column("a", Simple.DOUBLE, true), new Column("b", Simple.DOUBLE, true));
    private static final Schema SCORE = Schema.of(new Column("score", Simple.DOUBLE, true));
    private static final int ROW_BYTES = 64;

    @Param({"1", "1000", "10000"})
    public int rows;

    @Param({"row", "numpy"})
    public String takes;

    private final Semaphore woken = new Semaphore(0);
    private final PacketCursor cursor = PacketCursor.reusing(READINGS.layout());
    private final BatchWriter all = new BatchWriter(READINGS, 0, 1, 2, 3, 4);
    private final BatchWriter values = new BatchWriter(READINGS, 3, 4);
    private final BatchReader readings = new BatchReader(READINGS);
    private final BatchReader answers = new BatchReader(SCORE);
    private final byte[] answered = new byte[1 << 20];
    private PacketWriter target;
    private byte[] packets;
    private int length;
    private byte[] message;
    private PythonWorker worker;
    private Path modules;
    private long number;

    /** Makes the packets, and starts the worker. */
    @Setup
    public void setUp() throws IOException, InterruptedException {
        packets = new byte[ROW_BYTES * rows];
        PacketWriter writer = new PacketWriter(READINGS.layout(), (full, needed) -> {
            throw new IllegalStateException("readings are larger");
        });
        writer.open(packets, 0, packets.length);
        for (int k = 0; k < rows; k++) {
            byte[] device = ("device-" + k % 100).getBytes(StandardCharsets.UTF_8);
            writer.begin().setLong(0, k);
            writer.setLong(1, k);
            writer.setBytes(2, device, 0, device.length);
            writer.setDouble(3, k * 0.5);
            writer.setDouble(4, 7);
            writer.commit();
        }
        length = writer.position();
        message = write();
        target = new PacketWriter(READINGS.layout(), (full, needed) -> full.move(answered, 0, answered.length));
        target.open(answered, 0, answered.length);
        modules = Files.createTempDirectory("dspbench");
        Files.writeString(modules.resolve("mine.py"), "def f(a, b):\n    return a * 1.8 + 32\n");
        String command = Path.of(".venv/bin/python").toAbsolutePath().toString();
        worker = PythonWorker.start(Interpreter.of(command, List.of(modules.toString())),
                FunctionSpec.of("mine:f", takes, List.of(), new FunctionSpec.Calls(true, true, 1, Map.of()), READINGS, SCORE),
                System.err::println, woken::release);
        next();
    }

    @TearDown
    public void tearDown() throws IOException {
        worker.close();
        Files.delete(modules.resolve("mine.py"));
        try (var left = Files.walk(modules)) {
            for (Path path : left.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private WorkerEvent next() throws InterruptedException {
        WorkerEvent event = worker.poll();
        while (event == null) {
            woken.acquire();
            event = worker.poll();
        }
        return event;
    }

    private void fill(BatchWriter writer) {
        cursor.reset(packets, 0, length);
        for (Packet packet = cursor.next(); packet != null; packet = cursor.next()) {
            writer.add(packet);
        }
    }

    /** Five columns of packets to a batch. */
    @Benchmark
    public byte[] write() {
        fill(all);
        return all.take();
    }

    /** The batch to packets. */
    @Benchmark
    public int read() {
        int count = readings.wrap(message);
        for (int k = 0; k < count; k++) {
            target.begin();
            readings.write(k, target, 0);
            target.commit();
        }
        return target.position();
    }

    /** Two columns there, one back, one batch at a time. */
    @Benchmark
    public int roundTrip() throws InterruptedException {
        fill(values);
        worker.send(++number, values.take());
        return answers.wrap(((WorkerEvent.Rows) next()).message());
    }
}
