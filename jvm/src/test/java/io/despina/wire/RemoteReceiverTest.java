package io.despina.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.link.ChannelId;
import io.despina.link.ChannelOptions;
import io.despina.link.Inbox;
import io.despina.link.QueueBounds;
import io.despina.metrics.LinkCounters;
import io.despina.packet.Bytes;
import io.despina.spec.BufferSpec;
import io.despina.spec.CompressionSpec;
import io.despina.wire.compress.Compressor;
import io.despina.wire.frame.FrameHeader;
import io.despina.wire.frame.FrameWriter;
import io.despina.wire.frame.WholeFrames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.unix.Errors;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The receiving end, stepped through by hand. */
class RemoteReceiverTest {
    private static final ChannelId ID = new ChannelId(Attempt.first("job"), 7);
    private static final byte[] SECRET = new byte[16];
    private static final int FULL = 5;
    /** Linux's ETIMEDOUT. */
    private static final int TIMED_OUT = -110;
    /** Of a body: more than a receiver owns. */
    private static final int LARGE = 100_000;
    /** {@link #FULL} signals fill the inbox. */
    private static final ChannelOptions OPTIONS = new ChannelOptions(BufferSpec.DEFAULT, new QueueBounds(300, 600),
            new CompressionSpec(CompressionSpec.Mode.NEVER, 6), 1_000_000_000_000L, 1 << 20, 1);

    private final SegmentPool pool = new SegmentPool(new Budget(8 << 20));
    private final List<String> failures = new ArrayList<>();
    private final RemoteReceiver receiver = receiver();
    private final Inbox inbox = receiver.inbox();
    private final Exhaustible memory = new Exhaustible();
    private final EmbeddedChannel channel = new EmbeddedChannel(receiver);

    private RemoteReceiver receiver() {
        return new RemoteReceiver(ID, OPTIONS, new WireOptions("127.0.0.1", 0, 1, SECRET, null, pool, () -> 0, 64 << 10),
                new RemoteReceiver.Ends(null, (id, reason) -> failures.add(reason), () -> { }));
    }

    @AfterEach
    void nothingLeaks() {
        receiver.release();
        channel.runPendingTasks();
        inbox.close();
        channel.releaseOutbound();
        assertEquals(Map.of(), pool.leaks());
        assertEquals(0, pool.budget().used());
    }

    private FrameWriter writer() {
        return new FrameWriter(ID.number(), ID.attempt().number(), new Compressor(OPTIONS.compression(), pool, () -> 0),
                new LinkCounters.WireCounters());
    }

    private ByteBuf signals(int count) {
        FrameWriter writer = writer();
        ByteBuf frames = Unpooled.buffer(count * WholeFrames.SIGNAL_BYTES);
        for (int k = 0; k < count; k++) {
            writer.begin(pool.signal(SegmentKind.WATERMARK, k, false));
            writer.fill(frames).release();
        }
        return frames;
    }

    @Test
    void aFailureWhileItReadsOnIsTold() {
        channel.config().setAllocator(memory);
        channel.writeInbound(signals(FULL + 1));
        memory.exhausted = true;
        for (int k = 0; k < FULL; k++) {
            inbox.consumed(inbox.poll());
        }
        channel.runPendingTasks();
        assertEquals(List.of("cannot read: " + Exhaustible.SAYS), failures);
        assertFalse(channel.isOpen());
    }

    private void end() {
        FrameWriter writer = writer();
        ByteBuf frame = Unpooled.buffer();
        frame.ensureWritable(WholeFrames.SIGNAL_BYTES);
        writer.begin(pool.signal(SegmentKind.END, Segment.COMPLETE, false));
        writer.fill(frame).release();
        channel.writeInbound(frame);
        inbox.consumed(inbox.poll());
    }

    private void breaks(IOException how) {
        channel.pipeline().fireExceptionCaught(how);
    }

    @Test
    void aChannelWhoseEndWasReadIsWatchedUntilItsSenderCloses() {
        end();
        assertTrue(channel.isOpen());
        channel.close();
        assertEquals(List.of(), failures);
    }

    @Test
    void aSenderThatMayNotKnowOfTheEndIsAFailure() {
        end();
        breaks(new Errors.NativeIoException("read", TIMED_OUT));
        assertEquals(1, failures.size());
        assertTrue(failures.get(0).startsWith("the sending resource may not know that the channel has ended"),
                failures::toString);
        assertFalse(channel.isOpen());
    }

    @Test
    void aResetByTheSenderBehindTheEndIsAnEndToo() {
        end();
        breaks(new Errors.NativeIoException("read", Errors.ERRNO_ECONNRESET_NEGATIVE));
        assertEquals(List.of(), failures);
        assertFalse(channel.isOpen());
    }

    private ByteBuf largePacket() {
        Segment segment = pool.take(LARGE + Bytes.MAX_VARINT);
        Bytes.putVarint(segment.bytes(), 0, LARGE);
        segment.end = Bytes.varintBytes(LARGE) + LARGE;
        segment.packets = 1;
        FrameWriter writer = writer();
        ByteBuf frame = Unpooled.buffer(FrameHeader.BYTES + segment.end);
        writer.begin(segment);
        writer.fill(frame).release();
        return frame;
    }

    /** However long: it waits for what is of a higher rank only, so it need not be let in beside another. */
    @Test
    void anArrivalBeyondTheBudgetWaitsForTheOneBefore() {
        ByteBuf first = largePacket();
        ByteBuf second = largePacket();
        RemoteReceiver other = receiver();
        EmbeddedChannel otherChannel = new EmbeddedChannel(other);
        long floating = pool.budget().floating() - pool.budget().used();
        pool.budget().take(floating);
        channel.writeInbound(first);
        otherChannel.writeInbound(second);
        assertTrue(inbox.hasNext());
        assertTrue(inbox.isUrgent());
        otherChannel.advanceTimeBy(1, TimeUnit.MINUTES);
        for (int k = 0; k < 1000; k++) {
            otherChannel.advanceTimeBy(2, TimeUnit.MILLISECONDS);
            otherChannel.runPendingTasks();
        }
        assertFalse(other.inbox().hasNext());
        inbox.consumed(inbox.poll());
        otherChannel.advanceTimeBy(2, TimeUnit.MILLISECONDS);
        otherChannel.runPendingTasks();
        other.inbox().consumed(other.inbox().poll());
        pool.budget().give(floating);
        other.release();
        otherChannel.runPendingTasks();
        other.inbox().close();
        otherChannel.releaseOutbound();
    }
}
