package io.despina.link;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.buffer.Budget;
import io.despina.buffer.SegmentPool;
import io.despina.metrics.LinkCounters;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Segments handed over within one resource. */
class LocalChannelTest implements ChannelContract {
    private SegmentPool pool;

    @BeforeEach
    @Override
    public void setUp() {
        pool = new SegmentPool(new Budget(16 << 20));
    }

    @AfterEach
    @Override
    public void tearDown() {
        assertEquals(Map.of(), pool.leaks());
        assertEquals(0, pool.budget().used());
    }

    @Override
    public Ends open(ChannelOptions options) {
        Inbox inbox = new Inbox(options.bounds(), options.queueTargetNanos(), System::nanoTime);
        return new Ends(inbox, inbox, new LinkCounters(1));
    }

    @Override
    public long elsewhere() {
        return 0;
    }

    @Override
    public SegmentPool pool() {
        return pool;
    }
}
