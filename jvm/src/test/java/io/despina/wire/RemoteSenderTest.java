package io.despina.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.buffer.Budget;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.buffer.SegmentPool;
import io.despina.link.Attempt;
import io.despina.link.ChannelContract;
import io.despina.link.ChannelId;
import io.despina.metrics.LinkCounters;
import io.despina.packet.Bytes;
import io.despina.wire.frame.ControlFrames;
import io.despina.wire.frame.FrameException;
import io.despina.wire.frame.FrameReader;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The sending end, stepped through by hand; what it writes is read as the far side reads it. */
class RemoteSenderTest {
    private static final ChannelId ID = new ChannelId(Attempt.first("job"), 7);
    private static final byte[] SECRET = new byte[16];
    /** More than one write takes. */
    private static final int LARGE = 300 << 10;
    private static final int MANY = 40;

    private final SegmentPool pool = new SegmentPool(new Budget(8 << 20));
    private final List<String> failures = new ArrayList<>();
    /** Run once, when the clock is looked at next: within a poll that has found a segment, and when a write is done. */
    private Runnable meanwhile = () -> { };
    private int fed;
    private int heard;

    private final RemoteSender sender = new RemoteSender(ID, ChannelContract.OPTIONS,
            new WireOptions("127.0.0.1", 0, 1, SECRET, null, pool, this::clock, 64 << 10),
            new RemoteSender.Ends(new LinkCounters.WireCounters(), (id, reason) -> failures.add(reason),
                    () -> failures.add("end")));
    private final Socket socket = new Socket();
    private final EmbeddedChannel channel = new EmbeddedChannel(socket, sender);

    private final List<String> arrived = new ArrayList<>();
    private final FrameReader reader = new FrameReader(ID.number(), ID.attempt().number(),
            ChannelContract.OPTIONS.maxSegmentBytes(), new Arrivals());

    private long clock() {
        Runnable now = meanwhile;
        meanwhile = () -> { };
        now.run();
        return 0;
    }

    /** Takes what is written; while it is stuck a write is done only when {@link #take} says so. */
    static final class Socket extends ChannelOutboundHandlerAdapter {
        final Deque<ByteBuf> written = new ArrayDeque<>();
        private final Deque<ChannelPromise> undone = new ArrayDeque<>();
        boolean stuck;

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            written.add((ByteBuf) message);
            if (stuck) {
                undone.add(promise);
            } else {
                promise.setSuccess();
            }
        }

        void take() {
            while (!undone.isEmpty()) {
                undone.remove().setSuccess();
            }
        }
    }

    private final class Arrivals implements FrameReader.SegmentHandler {
        @Override
        public Segment take(int bytes) {
            return pool.take(bytes);
        }

        @Override
        public Segment scratch(int bytes) {
            return pool.take(bytes);
        }

        @Override
        public Segment signal(SegmentKind kind, long value, boolean exact) {
            return pool.signal(kind, value, exact);
        }

        @Override
        public boolean received(Segment segment) {
            arrived.add(segment.kind + " " + (segment.kind == SegmentKind.DATA ? segment.size() : segment.value));
            segment.release();
            return true;
        }
    }

    @AfterEach
    void nothingLeaks() {
        sender.end();
        assertEquals(Map.of(), pool.leaks());
        assertEquals(0, pool.budget().used());
    }

    private void offer(SegmentKind kind, long value) {
        sender.queue().send(pool.signal(kind, value, false));
    }

    private void offerLarge() {
        Segment segment = pool.take(LARGE);
        Bytes.putVarint(segment.bytes(), 0, LARGE - 3);
        segment.end = LARGE;
        segment.packets = 1;
        sender.queue().send(segment);
    }

    private List<String> arrived() throws FrameException {
        while (!socket.written.isEmpty()) {
            ByteBuf bytes = socket.written.remove();
            reader.read(bytes);
            bytes.release();
        }
        return arrived;
    }

    @Test
    void whatIsQueuedWhileTheQueueIsPolledComesAfterWhatThePollHasFound() throws Exception {
        meanwhile = () -> offer(SegmentKind.END, Segment.COMPLETE);
        offer(SegmentKind.WATERMARK, 5);
        assertEquals(List.of("WATERMARK 5", "END 0"), arrived());
    }

    @Test
    void aFrameThatNeedsSeveralWritesIsNotInterrupted() throws Exception {
        socket.stuck = true;
        meanwhile = this::offerLarge;
        offer(SegmentKind.WATERMARK, 5);
        socket.take();
        assertEquals(List.of("WATERMARK 5", "DATA " + LARGE), arrived());
        assertEquals(0, sender.queue().queuedBytes());
    }

    @Test
    void aWriteTakesAtMostHalfOfAFullQueueSoThatTheTaskMayWriteMeanwhile() {
        socket.stuck = true;
        meanwhile = this::offerLarge;
        offer(SegmentKind.WATERMARK, 5);
        long bytes = 0;
        while (!socket.written.isEmpty()) {
            ByteBuf write = socket.written.remove();
            bytes += write.readableBytes();
            assertTrue(write.readableBytes() <= ChannelContract.OPTIONS.bounds().high() / 2, write::toString);
            write.release();
            socket.take();
        }
        assertTrue(bytes > LARGE, bytes + " bytes");
    }

    private void hear(byte notice) {
        channel.writeInbound(ControlFrames.write(channel.alloc().buffer(), 1, heard++, new byte[] {notice}));
    }

    @Test
    void theChannelEndsWellWhenTheReceiverHasSaidThatItHasAll() {
        offer(SegmentKind.END, Segment.COMPLETE);
        assertEquals(List.of(), failures);
        hear(ControlFrames.ENDED);
        assertEquals(List.of("end"), failures);
        assertFalse(channel.isOpen());
    }

    @Test
    void aConnectionThatClosesWithoutThatWordIsAFailureAndToldBeforeTheEnd() {
        offer(SegmentKind.END, Segment.COMPLETE);
        channel.close();
        assertEquals(List.of("the receiving resource closed the connection before the channel's end", "end"), failures);
    }

    @Test
    void anEndThatTheReceiverCannotKnowOfIsAFailure() {
        offer(SegmentKind.WATERMARK, 5);
        hear(ControlFrames.ENDED);
        assertEquals(List.of("the receiving resource says that the channel has ended, but it has not", "end"), failures);
    }

    private void feed() {
        if (fed < MANY) {
            meanwhile = this::feed;
            offer(SegmentKind.WATERMARK, fed++);
        }
    }

    @Test
    void everyBellDuringAWriteIsHeardHoweverManyWritesFollowEachOther() throws Exception {
        feed();
        channel.runPendingTasks();
        assertEquals(IntStream.range(0, MANY).mapToObj(k -> "WATERMARK " + k).toList(), arrived());
        assertEquals(0, sender.queue().queuedBytes());
        offer(SegmentKind.END, Segment.COMPLETE);
        assertEquals("END 0", arrived().get(MANY));
    }

    @Test
    void aWriteWithoutMemoryFailsTheChannel() {
        Exhaustible memory = new Exhaustible();
        memory.exhausted = true;
        channel.config().setAllocator(memory);
        offer(SegmentKind.WATERMARK, 5);
        assertEquals(List.of("cannot write: " + Exhaustible.SAYS, "end"), failures);
        assertFalse(channel.isOpen());
    }
}
