package io.despina.log;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** A log in the folder {@code -Ddespina.log.folder}, or in the temporary one: megabytes a second, and how long a force takes. */
@State(Scope.Thread)
@Fork(value = 1, jvmArgsAppend = {"-Xmx1g"})
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class LogBenchmark {
    private static final long MOST_BYTES = 256 << 20;
    private static final int MEGABYTE = 1_000_000;

    /** Of a record. */
    @Param({"100", "1000", "50000"})
    private int bytes;

    private final ByteBuffer head = ByteBuffer.allocate(0);
    private ByteBuffer body;
    private Path folder;
    private Log log;
    private volatile Thread waiting;

    /** What all threads of the process took. */
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    @State(Scope.Thread)
    public static class Processor {
        public long micros;
    }

    @Setup(Level.Iteration)
    public void open() throws IOException {
        body = ByteBuffer.allocate(bytes);
        String place = System.getProperty("despina.log.folder");
        folder = place == null ? Files.createTempDirectory("despina-log") : Files.createTempDirectory(Path.of(place), "log");
        log = Log.open(LogPlace.of(folder, 1, "a benchmark"), LogOptions.of(MOST_BYTES), LogRange.ALL, new LogOwner() {
            @Override
            public void room() {
                LockSupport.unpark(waiting);
            }

            @Override
            public void warn(String words) {
                throw new IllegalStateException(words);
            }
        });
        waiting = Thread.currentThread();
    }

    @TearDown(Level.Iteration)
    public void delete() throws IOException {
        log.force().join();
        log.close();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                Files.deleteIfExists(file);       // a cut may be under way
            }
        }
        Files.delete(folder);
    }

    /** A megabyte; what is durable is cut. The disk sets the pace. */
    @Benchmark
    @BenchmarkMode(Mode.Throughput)
    @OutputTimeUnit(TimeUnit.SECONDS)
    public void megabyte(Processor processor) throws IOException {
        long before = processor();
        for (int k = 0; k < MEGABYTE; k += bytes) {
            while (log.append(head, body, 1) == Log.FULL) {
                LockSupport.parkNanos(MEGABYTE);
            }
        }
        log.cut(log.durable());
        processor.micros += TimeUnit.NANOSECONDS.toMicros(processor() - before);
    }

    private static long processor() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** From a record's append until it is durable. */
    @Benchmark
    @BenchmarkMode(Mode.SampleTime)
    @OutputTimeUnit(TimeUnit.MICROSECONDS)
    public void durable() throws IOException {
        log.append(head, body, 1);
        log.force().join();
        log.cut(log.durable());
    }
}
