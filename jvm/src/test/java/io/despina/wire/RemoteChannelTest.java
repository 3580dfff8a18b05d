package io.despina.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.link.ChannelContract;
import io.despina.link.ChannelId;
import io.despina.link.ChannelOptions;
import io.despina.metrics.LinkCounters;
import io.despina.packet.Bytes;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two resources of one machine over TCP. */
class RemoteChannelTest implements ChannelContract {
    private static final byte[] SECRET = "a secret of sixteen bytes or more".getBytes(java.nio.charset.StandardCharsets.UTF_8);
    private static final int SOCKET = 128 << 10;

    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private SegmentPool pool;
    private Wire here;
    private Wire there;
    private int channels;

    @BeforeEach
    @Override
    public void setUp() throws Exception {
        pool = new SegmentPool(new Budget(16 << 20));
        here = Wire.open(options());
        there = Wire.open(options());
    }

    private WireOptions options() {
        return new WireOptions("127.0.0.1", 0, 1, SECRET, null, pool, System::nanoTime, SOCKET);
    }

    @AfterEach
    @Override
    public void tearDown() throws Exception {
        // a test whose receiver has closed sees no END, and what it sent may still be on its way
        CountDownLatch sent = new CountDownLatch(1);
        here.whenSent(Attempt.first("job"), sent::countDown);
        assertTrue(sent.await(20, TimeUnit.SECONDS), "a channel did not come to its end");
        here.close();
        there.close();
        assertEquals(0, failures.size(), failures::toString);
        assertEquals(Map.of(), pool.leaks());
        assertEquals(0, pool.budget().used());
    }

    @Override
    public Ends open(ChannelOptions options) {
        ChannelId id = new ChannelId(Attempt.first("job"), ++channels);
        LinkCounters counters = new LinkCounters(1);
        FailureListener failure = (channel, reason) -> failures.add(channel + ": " + reason);
        Ends ends = new Ends(here.sender(id, new Network.To("127.0.0.1", there.port(), null), options, counters.wire(0), failure),
                there.receiver(id, options, failure, null), counters);
        return ends;
    }

    @Override
    public long elsewhere() {
        // The kernel doubles what is asked for, for its own bookkeeping; two batches are on their way in Netty.
        return 4 * SOCKET + (512 << 10);
    }

    @Override
    public SegmentPool pool() {
        return pool;
    }

    @Test
    void nettyHoldsAtMostABufferForEachDirectionHoweverMuchGoesThrough() throws Exception {
        Ends ends = open(OPTIONS);
        long before = PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
        long most = 0;
        Semaphore bell = new Semaphore(0);
        ends.sender.setSender(bell::release);
        ends.receiver.setReceiver(bell::release);
        for (int k = 0; k < 2000; k++) {
            Segment segment = pool.take(64 << 10);
            Bytes.putVarint(segment.bytes(), 0, (64 << 10) - 3);
            segment.end = 64 << 10;
            segment.packets = 1;
            ends.sender.send(segment);
            while (!ends.sender.hasRoom()) {
                most = Math.max(most, PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory());
                Segment arrived = ends.receiver.poll();
                if (arrived != null) {
                    ends.receiver.consumed(arrived);
                } else {
                    assertTrue(bell.tryAcquire(20, TimeUnit.SECONDS), "neither room nor anything to take");
                }
            }
        }
        ends.sender.send(pool.signal(SegmentKind.END, 0, false));
        boolean end = false;
        while (!end) {
            Segment arrived = ends.receiver.poll();
            if (arrived == null) {
                assertTrue(bell.tryAcquire(20, TimeUnit.SECONDS), "no end came");
            } else {
                end = arrived.kind == SegmentKind.END;
                ends.receiver.consumed(arrived);
            }
        }
        // Chunks of the allocator, one arena per IO thread; the 125 MB that went through are not among them.
        assertTrue(most - before <= 16 << 20, most - before + " bytes of direct memory");
    }
}
