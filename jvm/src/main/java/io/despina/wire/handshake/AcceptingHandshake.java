package io.despina.wire.handshake;

import io.despina.link.ChannelId;
import io.despina.wire.frame.FrameException;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The accepting side of the handshake ({@link Hello}): until it is over, nothing else is read and little is kept. */
public final class AcceptingHandshake extends ByteToMessageDecoder {

    /** What a peer that knows the secret gets. */
    public interface Door {
        /**
         * The handler for what the hello asks for, or a refusal.
         *
         * @param channel null for a control connection
         */
        Entry enter(ChannelId channel);
    }

    /**
     * A handler, or why there is none.
     *
     * @param loop that serves the connection from now on; null for the one that does already
     */
    public record Entry(ChannelHandler handler, EventLoop loop, int status, String reason) {
        public static Entry accepted(ChannelHandler handler, EventLoop loop) {
            return new Entry(handler, loop, Hello.ACCEPTED, "");
        }

        public static Entry refused(int status, String reason) {
            return new Entry(null, null, status, reason);
        }
    }

    private final Secret secret;
    private final Door door;
    private final byte[] nonce = Secret.nonce();
    private byte[] hello;
    private boolean over;
    private final Strangers strangers;
    private Channel stranger;
    private ScheduledFuture<?> patience;

    /** @param strangers where this connection is until its peer has proved that it knows the secret, or has not */
    public AcceptingHandshake(Secret secret, Door door, Strangers strangers) {
        this.secret = secret;
        this.door = door;
        this.strangers = strangers;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        stranger = ctx.channel();
        strangers.enter(stranger);
        patience = ctx.executor().schedule(() -> ctx.close(), ConnectingHandshake.PATIENCE_S, TimeUnit.SECONDS);
    }

    @Override
    protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) throws FrameException {
        if (over) {
            in.skipBytes(in.readableBytes());
        } else if (hello == null) {
            hello = Hello.take(in);
            if (hello != null) {
                byte[] proof = secret.proof(Secret.Side.ACCEPTING, hello, nonce);
                ctx.writeAndFlush(ctx.alloc().buffer(Hello.ANSWER_BYTES).writeBytes(nonce).writeBytes(proof));
            }
        } else if (in.readableBytes() >= Secret.PROOF_BYTES) {
            byte[] proof = new byte[Secret.PROOF_BYTES];
            in.readBytes(proof);
            judge(ctx, secret.proves(proof, Secret.Side.CONNECTING, hello, nonce));
        }
    }

    private void judge(ChannelHandlerContext ctx, boolean known) throws FrameException {
        end();
        Entry entry = known ? door.enter(Hello.parse(hello).channel())
                : Entry.refused(Hello.REFUSED, "the peer does not know the secret");
        if (entry.handler() == null) {
            ctx.writeAndFlush(verdict(ctx, entry)).addListener(ChannelFutureListener.CLOSE);
        } else if (entry.loop() == null || entry.loop() == ctx.channel().eventLoop()) {
            open(ctx, entry);
        } else {
            move(ctx, entry);
        }
    }

    /**
     * The verdict goes first: the loop that is to serve the connection may be busy for longer than the peer is patient. What the
     * peer sends then waits in its socket, which nobody reads meanwhile.
     */
    private void move(ChannelHandlerContext ctx, Entry entry) {
        Channel channel = ctx.channel();
        channel.config().setAutoRead(false);
        ctx.writeAndFlush(verdict(ctx, entry)).addListener(told -> channel.deregister()
                .addListener(left -> entry.loop().register(channel).addListener(moved -> {
                    if (moved.isSuccess() && !ctx.isRemoved()) {        // it is, where the connection has broken on the way
                        ctx.pipeline().replace(this, "connection", entry.handler());
                    } else {
                        channel.unsafe().closeForcibly();
                    }
                })));
    }

    private void open(ChannelHandlerContext ctx, Entry entry) {
        ctx.writeAndFlush(verdict(ctx, entry));
        ctx.pipeline().replace(this, "connection", entry.handler());
    }

    private static ByteBuf verdict(ChannelHandlerContext ctx, Entry entry) {
        byte[] reason = entry.reason().getBytes(StandardCharsets.UTF_8);
        return ctx.alloc().buffer().writeByte(entry.status()).writeShort(reason.length).writeBytes(reason);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end();
    }

    /** A stranger gets no answer; with whom TLS failed is told here, for the reason may be on this side. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!over && TlsFailure.is(cause)) {
            strangers.failed(ctx.channel().remoteAddress(), TlsFailure.ofCaller(cause, ctx.channel().localAddress()));
        }
        end();
        ctx.close();
    }

    private void end() {
        over = true;
        strangers.leave(stranger);
        if (patience != null) {
            patience.cancel(false);
        }
    }
}
