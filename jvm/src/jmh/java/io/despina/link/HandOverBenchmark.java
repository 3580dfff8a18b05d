package io.despina.link;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;
import java.util.concurrent.TimeUnit;
import org.jctools.queues.atomic.SpscAtomicArrayQueue;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Group;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Control;

/**
 * How many segments a second one thread hands to another: taken, offered, polled, consumed. The plain twin is the bare queue with
 * one object over and over: no pool, no bounds, nobody to wake. A group's own figure counts both ends: half of it is meant.
 */
@State(Scope.Group)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class HandOverBenchmark {
    private static final Object PLAIN = new Object();
    /** As many as the inbox holds of such segments. */
    private static final int PLAIN_LENGTH = 96;

    private final SpscAtomicArrayQueue<Object> plain = new SpscAtomicArrayQueue<>(PLAIN_LENGTH);
    private final SegmentPool pool = new SegmentPool(new Budget(64 << 20));
    private final Inbox inbox = new Inbox(new QueueBounds(192 << 10, 384 << 10), 100_000_000, System::nanoTime);

    @Benchmark
    @Group("handOver")
    public void send(Control control) {
        while (!inbox.hasRoom()) {
            if (control.stopMeasurement) {
                return;
            }
            Thread.onSpinWait();
        }
        inbox.send(pool.take(4096));
    }

    @Benchmark
    @Group("handOver")
    public Segment receive(Control control) {
        Segment segment;
        while ((segment = inbox.poll()) == null) {
            if (control.stopMeasurement) {
                return null;
            }
            Thread.onSpinWait();
        }
        inbox.consumed(segment);
        return segment;
    }

    @Benchmark
    @Group("plainHandOver")
    public void plainSend(Control control) {
        while (!plain.offer(PLAIN)) {
            if (control.stopMeasurement) {
                return;
            }
            Thread.onSpinWait();
        }
    }

    @Benchmark
    @Group("plainHandOver")
    public Object plainReceive(Control control) {
        Object taken;
        while ((taken = plain.poll()) == null) {
            if (control.stopMeasurement) {
                return null;
            }
            Thread.onSpinWait();
        }
        return taken;
    }

    @TearDown
    public void close() {
        inbox.close();
    }
}
