package io.despina.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The accepting side of the handshake ({@link Hello}): until it is over, nothing else is read and little is kept. */
final class AcceptingHandshake extends ByteToMessageDecoder {

    /** What a peer that knows the secret gets. */
    interface Door {
        /**
         * The handler for what the hello asks for, or a refusal.
         *
         * @param channel null for a control connection
         */
        Entry enter(ChannelId channel);
    }

    /** A handler, or why there is none. */
    record Entry(ChannelHandler handler, int status, String reason) {
        static Entry accepted(ChannelHandler handler) {
            return new Entry(handler, Hello.ACCEPTED, "");
        }

        static Entry refused(int status, String reason) {
            return new Entry(null, status, reason);
        }
    }

    private final Secret secret;
    private final Door door;
    private final byte[] nonce = Secret.nonce();
    private byte[] hello;
    private boolean over;
    private ScheduledFuture<?> patience;

    AcceptingHandshake(Secret secret, Door door) {
        this.secret = secret;
        this.door = door;
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
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
        byte[] reason = entry.reason().getBytes(StandardCharsets.UTF_8);
        ByteBuf verdict = ctx.alloc().buffer().writeByte(entry.status()).writeShort(reason.length).writeBytes(reason);
        if (entry.handler() == null) {
            ctx.writeAndFlush(verdict).addListener(ChannelFutureListener.CLOSE);
        } else {
            ctx.writeAndFlush(verdict);
            ctx.pipeline().replace(this, "connection", entry.handler());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        end();
    }

    /** A stranger gets no answer. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        end();
        ctx.close();
    }

    private void end() {
        over = true;
        if (patience != null) {
            patience.cancel(false);
        }
    }
}
