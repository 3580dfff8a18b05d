package io.despina.wire;

import io.despina.wire.frame.ControlFrames;
import io.despina.wire.frame.FrameException;
import io.despina.wire.frame.FrameHeader;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

/** A control connection over its socket. Sequence numbers are given on the IO thread, so any thread may send. */
final class ControlChannel extends ChannelInboundHandlerAdapter implements ControlConnection {
    /** Messages are graphs and reports: the largest is far below. */
    static final int MOST_BYTES = 64 << 20;
    /**
     * Bytes of messages in flight at which {@link #sendInTurn} waits: far enough below {@link #MOST_BYTES} that {@link #send}
     * still works.
     */
    static final int MOST_LEAVING = 16 << 20;

    private final Function<ControlConnection, ControlHandler> accept;
    private final String admitted;
    /** Of connections that serve many jobs. */
    private static final int NO_ATTEMPT = 0;
    private final ControlFrames notices = new ControlFrames(MOST_BYTES, NO_ATTEMPT);
    private ControlHandler handler;
    /** Written once, before any other thread has this connection. */
    private ChannelHandlerContext context;
    private long sent;
    private String reason = "the other side closed the connection";
    /** Written by the IO thread, with this locked; other threads lock this to read it. */
    private boolean over;
    /** Guarded by this: bytes of messages that were sent and that the kernel has not taken yet. */
    private long leaving;

    /**
     * @param accept   gives the handler; called once, when the connection is open
     * @param admitted see {@link #admitted()}
     */
    ControlChannel(Function<ControlConnection, ControlHandler> accept, String admitted) {
        this.accept = accept;
        this.admitted = admitted;
    }

    @Override
    public String admitted() {
        return admitted;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        handler = accept.apply(this);
    }

    @Override
    public void send(byte[] json) {
        checkSize(json);
        synchronized (this) {
            leaving += json.length;
        }
        execute(() -> write(json));
    }

    @Override
    public void sendInTurn(byte[] json) throws InterruptedException {
        checkSize(json);
        synchronized (this) {
            while (leaving >= MOST_LEAVING && !over) {
                wait();
            }
            leaving += json.length;
        }
        execute(() -> write(json));
    }

    private static void checkSize(byte[] json) {
        if (json.length > MOST_BYTES) {
            throw new IllegalArgumentException("control message of " + json.length + " bytes; at most " + MOST_BYTES);
        }
    }

    private void write(byte[] json) {
        try {
            ChannelOutboundBuffer waiting = context.channel().unsafe().outboundBuffer();
            if (waiting != null && waiting.totalPendingWriteBytes() > MOST_BYTES) {
                end("the other side reads nothing: " + waiting.totalPendingWriteBytes() + " bytes wait for it");
            } else {
                ByteBuf out = context.alloc().buffer(FrameHeader.BYTES + json.length);
                context.writeAndFlush(ControlFrames.write(out, NO_ATTEMPT, sent++, json))
                        .addListener(f -> taken(json.length));
            }
        } catch (Throwable e) {
            // Netty would only log it, and both sides would wait for the message's effect
            end("cannot write: " + e);
        }
    }

    private synchronized void taken(int bytes) {
        leaving -= bytes;
        notifyAll();
    }

    @Override
    public void execute(Runnable task) {
        try {
            context.executor().execute(task);
        } catch (RejectedExecutionException ignored) {
            // The wire has been closed, and with it this connection.
        }
    }

    @Override
    public void close() {
        execute(() -> {
            reason = "closed here";
            context.writeAndFlush(context.alloc().buffer(0)).addListener(ChannelFutureListener.CLOSE);
        });
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            byte[] notice;
            while (!over && (notice = notices.read(in)) != null) {
                handler.message(notice);
            }
        } catch (FrameException e) {
            end(e.getMessage());
        } finally {
            in.release();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end(reason);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        end("connection failed: " + cause);
    }

    private void end(String why) {
        if (!over) {
            synchronized (this) {
                over = true;
                notifyAll();
            }
            context.close();
            handler.closed(why);
        }
    }
}
