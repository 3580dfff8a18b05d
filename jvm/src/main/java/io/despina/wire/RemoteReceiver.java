package io.despina.wire;

import io.despina.buffer.Overdraft;
import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.buffer.SegmentPool;
import io.despina.link.ChannelId;
import io.despina.link.ChannelOptions;
import io.despina.link.Inbox;
import io.despina.socket.Transport;
import io.despina.wire.frame.ControlFrames;
import io.despina.wire.frame.FrameException;
import io.despina.wire.frame.FrameReader;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.unix.Errors;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * The receiving end of a remote channel: reads its connection into the inbox. Above the inbox's high bound, or without memory,
 * it stops reading; TCP's window does the rest. Only the connection's IO thread touches the fields here; the inbox alone is
 * shared, with the task's thread.
 */
final class RemoteReceiver extends ChannelInboundHandlerAdapter implements FrameReader.SegmentHandler {
    /** How often to look again for memory: nobody is woken when some is free. */
    private static final int RETRY_MS = 2;

    private final ChannelId id;
    private final ChannelOptions options;
    private final SegmentPool pool;
    private final Overdraft.Rank rank;
    private final Inbox inbox;
    private final Ends ends;
    private final FrameReader reader;
    /** Read from the socket, but not yet by {@link #reader}: at most the result of one read. */
    private final Deque<ByteBuf> unread = new ArrayDeque<>();

    /** Written once by the IO thread; read by any thread that releases the channel. */
    private volatile ChannelHandlerContext context;
    /** Written by any thread that releases the channel, read by the IO thread. */
    private volatile boolean released;
    private boolean paused;
    private boolean retrying;
    /**
     * The channel's END was read and confirmed to the sender. Until the sender closes, a connection that breaks is noticed here.
     */
    private boolean ended;
    private boolean over;
    private long notices;

    /**
     * What serves a receiver, and what it reports to: failures, and its end.
     *
     * @param loop null for the one that accepted the connection
     */
    record Ends(EventLoop loop, FailureListener failure, Runnable onEnd) {
    }

    RemoteReceiver(ChannelId id, ChannelOptions options, WireOptions wire, Ends ends) {
        this.id = id;
        this.options = options;
        this.ends = ends;
        pool = wire.pool();
        rank = pool.overdraft().rank(options.rank());
        inbox = new Inbox(options.bounds(), options.queueTargetNanos(), wire.clock());
        reader = new FrameReader(id.number(), id.attempt().number(), options.maxSegmentBytes(), this);
    }

    Inbox inbox() {
        return inbox;
    }

    EventLoop loop() {
        return ends.loop();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        ctx.channel().config().setAutoRead(false);
        if (released) {
            end();
            return;
        }
        inbox.setSender(() -> Transport.execute(ctx.executor(), this::readOn));
        ctx.read();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (over) {
            ((ByteBuf) message).release();
            return;
        }
        unread.add((ByteBuf) message);
        if (!paused) {
            readOn();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (!paused && !over) {
            ctx.read();
        }
    }

    /** Processes what was read; after a pause, asks the socket for more when that is done. */
    private void readOn() {
        boolean wasPaused = paused;
        paused = false;
        try {
            while (!unread.isEmpty() && !over) {
                if (!reader.read(unread.peek())) {
                    pause(wasPaused);
                    return;
                }
                unread.poll().release();
            }
            if (reader.hasEnded() && !ended && !over) {
                ended = true;
                say(ControlFrames.ENDED, "");
            } else if (wasPaused && !over) {
                say(ControlFrames.READING, "");
            }
            if (wasPaused && !over) {
                context.read();
            }
        } catch (FrameException e) {
            fail(e.getMessage());
        } catch (Throwable e) {
            // Netty would only log it, and the channel would hang
            fail("cannot read: " + e);
        }
    }

    private void pause(boolean again) {
        paused = true;
        if (!again) {
            say(ControlFrames.PAUSED, "");
        }
    }

    @Override
    public Segment take(int bytes) {
        Segment segment = pool.tryTake(bytes);
        if (segment == null && inbox.isDrained()) {
            segment = bytes <= options.receiverMinimum() ? pool.take(bytes) : rank.tryTake(bytes);
            if (segment == null && !retrying) {
                retrying = true;
                context.executor().schedule(() -> {
                    retrying = false;
                    readOn();
                }, RETRY_MS, TimeUnit.MILLISECONDS);
            }
        }
        if (segment == null) {
            inbox.urge();
        }
        return segment;
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
        boolean urgent = segment.isBeyondBudget();
        inbox.send(segment);
        if (urgent) {
            inbox.urge();
        }
        return inbox.hasRoom() || reader.hasEnded();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (ended) {
            end();
        } else {
            fail("the sending resource closed the connection before the channel's end");
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (ended && isAnswer(cause)) {
            end();
        } else {
            fail((ended ? "the sending resource may not know that the channel has ended: " : "") + "connection failed: "
                    + cause.getMessage());
        }
    }

    /** Whether the peer's system answered with this error. If the peer cannot be reached, the error is a timeout instead. */
    private static boolean isAnswer(Throwable cause) {
        return !(cause instanceof Errors.NativeIoException system) || system.expectedErr() == Errors.ERRNO_ECONNRESET_NEGATIVE
                || system.expectedErr() == Errors.ERRNO_EPIPE_NEGATIVE;
    }

    private void fail(String reason) {
        if (!over) {
            try {
                say(ControlFrames.FAILED, reason);
            } catch (Throwable unsaid) {
                // the sender sees the connection end in any case
                System.getLogger(RemoteReceiver.class.getName()).log(System.Logger.Level.DEBUG, id.toString(), unsaid);
            }
            end();
            ends.failure().failed(id, reason);
        }
    }

    /** Closes without calling the listener. On the IO thread. */
    void end() {
        if (!over) {
            over = true;
            reader.close();
            unread.forEach(ByteBuf::release);
            unread.clear();
            ends.onEnd().run();
            context.close();
        }
    }

    /** Closes without calling the listener, from any thread. */
    void release() {
        released = true;
        ChannelHandlerContext ctx = context;
        if (ctx != null) {
            Transport.execute(ctx.executor(), this::end);
        }
    }

    private void say(byte what, String reason) {
        byte[] text = reason.getBytes(StandardCharsets.UTF_8);
        byte[] message = new byte[1 + text.length];
        message[0] = what;
        System.arraycopy(text, 0, message, 1, text.length);
        context.writeAndFlush(ControlFrames.write(context.alloc().buffer(), id.attempt().number(), notices++, message));
    }
}
