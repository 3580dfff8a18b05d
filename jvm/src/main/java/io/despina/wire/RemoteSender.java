package io.despina.wire;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.link.ChannelId;
import io.despina.link.ChannelOptions;
import io.despina.link.Inbox;
import io.despina.metrics.LinkCounters.WireCounters;
import io.despina.socket.Transport;
import io.despina.wire.compress.Compressor;
import io.despina.wire.frame.ControlFrames;
import io.despina.wire.frame.FrameException;
import io.despina.wire.frame.FrameWriter;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;

/**
 * The sending end of a remote channel: writes the segments that the task has queued to the connection, one buffer at a time, and
 * the next only when the kernel has taken the last one whole. So nothing piles up in Netty, and the queue is drained exactly
 * when there is no unfinished write. Only the connection's IO thread touches the fields here; the queue alone is shared, with
 * the task's thread.
 */
final class RemoteSender extends ChannelInboundHandlerAdapter {
    /** The most that one write takes; at most half of a full queue, so that the task can write meanwhile. */
    private static final int MOST_BATCH = 256 << 10;
    private static final int LEAST_BATCH = 512;
    /** Writes in a row before the thread's other connections have their turn. */
    private static final int TURN = 8;
    private static final int LONGEST_NOTICE = 4 << 10;

    private final ChannelId id;
    private final FailureListener failure;
    private final Runnable onEnd;
    private final LongSupplier clock;
    private final Inbox queue;
    private final Compressor compressor;
    private final FrameWriter writer;
    private final int mostBatch;
    private final ControlFrames notices;

    private ChannelHandlerContext context;
    private boolean writing;
    /** {@link #drain} is running. */
    private boolean draining;
    private boolean lastWritten;
    private boolean over;
    /** The receiver has paused: its task is slow. */
    private boolean peerPaused;
    private boolean pausedMeanwhile;

    RemoteSender(ChannelId id, ChannelOptions options, WireOptions wire, Ends ends) {
        this.id = id;
        failure = ends.failure();
        onEnd = ends.onEnd();
        clock = wire.clock();
        mostBatch = (int) Math.max(LEAST_BATCH, Math.min(MOST_BATCH, options.bounds().high() / 2));
        queue = new Inbox(options.bounds(), options.queueTargetNanos(), clock);
        compressor = new Compressor(options.compression(), wire.pool(), clock);
        notices = new ControlFrames(LONGEST_NOTICE, id.attempt().number());
        writer = new FrameWriter(id.number(), id.attempt().number(), compressor, ends.counters());
    }

    /** What a sender reports to: its counters, failures, and its end. */
    record Ends(WireCounters counters, FailureListener failure, Runnable onEnd) {
    }

    Inbox queue() {
        return queue;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        if (over) {
            ctx.close();
            return;
        }
        queue.setReceiver(this::wake);
        drain();
    }

    /**
     * A segment was queued. If the task runs on this very thread, the segment is written and released before the task continues.
     */
    private void wake() {
        if (context.executor().inEventLoop()) {
            drain();
        } else {
            Transport.execute(context.executor(), this::drain);
        }
    }

    /**
     * Writes what is queued. While it polls, the queue may wake it again for a segment that another thread has just sent; that
     * nested call returns at once, because the loop polls again anyway. The loop ends in one of three ways, and after each it is
     * called again when needed: a poll found nothing, so the queue wakes it for the next segment; a write is unfinished, so that
     * write's listener calls it; or its turn is over, so it waits behind the thread's other work.
     */
    private void drain() {
        if (draining) {
            return;
        }
        draining = true;
        try {
            int turn = 0;
            while (!writing && !over && turn < TURN && write()) {
                turn++;
            }
            if (turn == TURN) {
                Transport.execute(context.executor(), this::drain);
            }
        } catch (Throwable e) {
            // Netty would only log it, and the channel would hang
            fail("cannot write: " + e);
        } finally {
            draining = false;
        }
    }

    /** Writes a buffer full of frames; false if there was nothing to write. */
    private boolean write() {
        if (writer.isDone() && !next()) {
            return false;
        }
        int size = (int) Math.min(mostBatch, Math.max(LEAST_BATCH, queue.queuedBytes()));
        ByteBuf out = context.alloc().directBuffer(size, size);
        long charge;
        try {
            charge = fill(out);
        } catch (Throwable e) {
            out.release();
            throw e;
        }
        writing = true;
        pausedMeanwhile = peerPaused;
        int bytes = out.readableBytes();
        ChannelFuture future = context.writeAndFlush(out);
        if (future.isDone()) {
            written(future, charge, bytes, 0);
        } else {
            long begin = clock.getAsLong();
            future.addListener(f -> {
                written(future, charge, bytes, clock.getAsLong() - begin);
                drain();
            });
        }
        return true;
    }

    /** @return the charge of the segments whose frames end in {@code out} */
    private long fill(ByteBuf out) {
        long charge = 0;
        while (out.isWritable() && (!writer.isDone() || next())) {
            Segment whole = writer.fill(out);
            if (whole != null) {
                lastWritten = whole.kind == SegmentKind.END;
                charge += Inbox.charge(whole);
                whole.release();
            }
        }
        return charge;
    }

    private boolean next() {
        Segment segment = queue.poll();
        if (segment == null) {
            return false;
        }
        writer.begin(segment);
        return true;
    }

    private void written(ChannelFuture future, long charge, int bytes, long nanos) {
        writing = false;
        if (charge > 0) {
            queue.completed(charge);
        }
        if (!future.isSuccess()) {
            fail("write failed: " + future.cause().getMessage());
        } else {
            compressor.wrote(bytes, pausedMeanwhile ? 0 : nanos);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            byte[] notice;
            while (!over && (notice = notices.read(in)) != null) {
                received(notice);
            }
        } catch (FrameException e) {
            fail("receiving resource: " + e.getMessage());
        } finally {
            in.release();
        }
    }

    private void received(byte[] notice) {
        switch (notice.length == 0 ? 0 : notice[0]) {
            case ControlFrames.PAUSED -> {
                peerPaused = true;
                pausedMeanwhile = true;
            }
            case ControlFrames.READING -> peerPaused = false;
            case ControlFrames.ENDED -> {
                if (lastWritten) {
                    end();
                } else {
                    fail("the receiving resource says that the channel has ended, but it has not");
                }
            }
            case ControlFrames.FAILED -> fail("the receiving resource refused it: "
                    + new String(notice, 1, notice.length - 1, StandardCharsets.UTF_8));
            default -> fail("the receiving resource sent something unexpected");
        }
    }

    /**
     * The sender closes after the receiver has confirmed END. To close earlier could discard bytes that the kernel still holds,
     * and a connection that closes without the confirmation may have lost frames.
     */
    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        fail("the receiving resource closed the connection before the channel's end");
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        fail("connection failed: " + cause.getMessage());
    }

    /**
     * On the IO thread; also before there is a connection. The listener is called first: whoever learns of the end must already
     * know that it is a failure.
     */
    void fail(String reason) {
        if (!over) {
            over = true;
            try {
                failure.failed(id, reason);
            } finally {
                release();
            }
        }
    }

    /** Closes without calling the listener, and drops what is queued. On the IO thread. */
    void end() {
        if (!over) {
            over = true;
            release();
        }
    }

    private void release() {
        writer.close();
        queue.close();
        onEnd.run();
        if (context != null) {
            context.close();
        }
    }
}
